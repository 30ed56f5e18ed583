package com.example.devicestatus;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * A fakeapi server, a fake Kubernetes API server. Copy this file into your tests.
 *
 * <p>{@code @ExtendWith(FakeApi.Extension.class)} passes the server to test methods with a parameter FakeApi. All tests
 * share one server, which is reset before each test.
 *
 * <p>The class starts the program fakeapi: {@code uv tool install 'fakeapi-k8s[all]'} or {@code pipx install
 * 'fakeapi-k8s[all]'} installs the program. The variable FAKEAPI names another program.
 */
public final class FakeApi implements AutoCloseable {
  private static final Duration START_TIMEOUT = Duration.ofSeconds(20);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Process process;
  private final String url;
  private final HttpClient http = HttpClient.newHttpClient();

  /** A request that the server has received. {@code code}: of the response; {@code text}: the request in one line. */
  public record Request(int code, String text) {}

  private FakeApi(Process process, String url) {
    this.process = process;
    this.url = url;
  }

  /** Starts a server with these options of {@code fakeapi serve}, such as {@code "--release", "1.34"}. */
  public static FakeApi start(String... options) {
    try {
      Path folder = Files.createTempDirectory("fakeapi");
      Path readyFile = folder.resolve("ready.json");
      Path log = folder.resolve("log");
      String program = System.getenv().getOrDefault("FAKEAPI", "fakeapi");
      List<String> command = new ArrayList<>(List.of(program, "serve", "--end-with-parent", "--port", "0", "--ready-file", readyFile.toString()));
      command.addAll(List.of(options));
      Process process = launch(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()));
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
      Instant deadline = Instant.now().plus(START_TIMEOUT);
      while (!Files.exists(readyFile)) { // the server writes the whole file at once
        if (!process.isAlive() || Instant.now().isAfter(deadline)) {
          process.destroyForcibly();
          throw new IllegalStateException("fakeapi did not start: " + Files.readString(log));
        }
        Thread.sleep(5);
      }
      String url = JSON.readTree(readyFile.toFile()).get("url").asText();
      for (Path path : List.of(folder, log, readyFile)) {
        path.toFile().deleteOnExit(); // the last path is deleted first
      }
      return new FakeApi(process, url);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(error);
    }
  }

  private static Process launch(ProcessBuilder builder) {
    try {
      return builder.start();
    } catch (IOException error) {
      throw new IllegalStateException("fakeapi: " + error.getMessage() + "; install it as docs/java.md of fakeapi says, or name the program in FAKEAPI", error);
    }
  }

  /** Returns the URL of the server. Its clients need no credentials. */
  public String url() {
    return url;
  }

  /**
   * Injects a fault, which affects the next matching requests. {@code conflict} with the target {@code update
   * resourceclaims/status} answers them with 409 Conflict.
   */
  public void fault(String fault, String target, int times) {
    send("POST", "/faults", Map.of(fault, Map.of("target", target, "times", times)));
  }

  /**
   * Returns the recorded requests that match a pattern {@code VERB [RESOURCE[/SUBRESOURCE] [NAMESPACE/NAME]]}, such as
   * {@code update resourceclaims/status default/gpu}, oldest first.
   */
  public List<Request> requests(String pattern) {
    String[] words = pattern.split(" ");
    StringBuilder query = new StringBuilder("?last=10000&verb=" + words[0]);
    if (words.length > 1) {
      query.append("&resource=").append(words[1]);
    }
    if (words.length > 2) {
      String[] object = words[2].split("/");
      query.append("&namespace=").append(object[0]).append("&name=").append(object[1]);
    }
    List<Request> requests = new ArrayList<>();
    for (JsonNode request : send("GET", "/requests" + query, null).get("requests")) {
      requests.add(new Request(request.get("code").asInt(), request.get("text").asText()));
    }
    return requests;
  }

  /** Deletes all objects, faults and recorded requests, as in a new cluster. Watches end. */
  public void reset() {
    send("POST", "/reset", null);
  }

  /** Stops the server. */
  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }

  /** Sends a request to the control API. Its OpenAPI document is at /_fakeapi/openapi.json. */
  private JsonNode send(String method, String path, Object body) {
    try {
      var publisher = body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body));
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(url + "/_fakeapi" + path))
              .header("Content-Type", "application/json")
              .method(method, publisher)
              .build();
      var response = http.send(request, BodyHandlers.ofString());
      if (response.statusCode() >= 400) {
        throw new IllegalStateException(method + " " + path + ": " + response.body());
      }
      return JSON.readTree(response.body());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(error);
    }
  }

  /** Starts one server for all tests, resets it before each test, and stops it after the last test. */
  public static final class Extension implements BeforeEachCallback, ParameterResolver {
    private static FakeApi server(ExtensionContext context) {
      // JUnit closes the server together with this store.
      return context
          .getRoot()
          .getStore(Namespace.create(FakeApi.class))
          .getOrComputeIfAbsent(FakeApi.class, key -> FakeApi.start(), FakeApi.class);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
      server(context).reset();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == FakeApi.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return server(context);
    }
  }
}
