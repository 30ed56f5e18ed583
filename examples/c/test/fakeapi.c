#include "fakeapi.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <curl/curl.h>

enum {
    START_MILLISECONDS = 20000,
    STOP_MILLISECONDS = 10000,
    POLL_MILLISECONDS = 5,
    REQUEST_SECONDS = 30,
    MAX_ARGUMENTS = 64,
    MAX_PATTERN = 1024,
    NOT_STARTED = 127, /* the exit status with which shells say that a program does not exist */
};

struct fakeapi {
    pid_t process; /* 0 after the process has ended */
    int status;    /* of the ended process, as waitpid returns it */
    CURL *curl;
    char *url;
    char *codes;
    char *requests;
    char folder[1024];
    char ready_file[1024 + sizeof "/ready.json"];
};

/* Prints the message, stops the server unless it is NULL, and ends the process. */
static _Noreturn void fail(struct fakeapi *server, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("fakeapi: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    fakeapi_stop(server);
    exit(EXIT_FAILURE);
}

/* Returns its argument. Fails for NULL, which an allocation returns without memory. */
static void *allocated(void *pointer) {
    if (pointer == NULL) {
        fail(NULL, "no memory");
    }
    return pointer;
}

static char *copy(const char *text) {
    return allocated(strdup(text == NULL ? "" : text));
}

static void pause_milliseconds(long milliseconds) {
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

/* Adds bytes to a text that ends with a null character. libcurl calls this function for each part of a response. */
static size_t append(char *bytes, size_t size, size_t count, void *context) {
    char **text = context;
    size_t old = strlen(*text);
    *text = allocated(realloc(*text, old + size * count + 1));
    memcpy(*text + old, bytes, size * count);
    (*text)[old + size * count] = '\0';
    return size * count;
}

/*
 * Sends a request to the control API, and returns the body of the response.
 *
 * The OpenAPI document of the control API is at /_fakeapi/openapi.json. `body` is NULL for a request without a body.
 */
static cJSON *control(struct fakeapi *server, const char *method, const char *path, const cJSON *body) {
    char url[MAX_PATTERN + 256];
    snprintf(url, sizeof url, "%s/_fakeapi%s", server->url, path);
    char *sent = body == NULL ? NULL : allocated(cJSON_PrintUnformatted(body));
    char *received = copy("");
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    char problem[CURL_ERROR_SIZE] = "";

    curl_easy_reset(server->curl);
    curl_easy_setopt(server->curl, CURLOPT_URL, url);
    curl_easy_setopt(server->curl, CURLOPT_PROXY, "");
    curl_easy_setopt(server->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(server->curl, CURLOPT_TIMEOUT, (long)REQUEST_SECONDS);
    curl_easy_setopt(server->curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(server->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(server->curl, CURLOPT_ERRORBUFFER, problem);
    curl_easy_setopt(server->curl, CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(server->curl, CURLOPT_WRITEDATA, &received);
    if (sent != NULL) {
        curl_easy_setopt(server->curl, CURLOPT_POSTFIELDS, sent);
    }
    CURLcode result = curl_easy_perform(server->curl);
    long code = 0;
    curl_easy_getinfo(server->curl, CURLINFO_RESPONSE_CODE, &code);
    if (result != CURLE_OK || code >= 400) {
        fail(server, "%s %s: %s", method, path, result == CURLE_OK ? received : problem);
    }
    cJSON *answer = cJSON_Parse(received);
    curl_slist_free_all(headers);
    cJSON_free(sent);
    free(received);
    return answer;
}

/* Returns the URL in the ready file, or NULL as long as the file does not exist. The server writes it at once. */
static char *read_url(struct fakeapi *server) {
    char content[4096];
    FILE *file = fopen(server->ready_file, "r");
    if (file == NULL) {
        return NULL;
    }
    content[fread(content, 1, sizeof content - 1, file)] = '\0';
    fclose(file);
    cJSON *facts = cJSON_Parse(content);
    const char *url = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(facts, "url"));
    if (url == NULL) {
        fail(server, "%s does not contain a URL: %s", server->ready_file, content);
    }
    char *result = copy(url);
    cJSON_Delete(facts);
    return result;
}

/* Returns whether the process of the server has ended. */
static bool has_ended(struct fakeapi *server) {
    if (server->process != 0 && waitpid(server->process, &server->status, WNOHANG) == server->process) {
        server->process = 0;
    }
    return server->process == 0;
}

static const char *program_name(void) {
    const char *program = getenv("FAKEAPI");
    return program == NULL || *program == '\0' ? "fakeapi" : program;
}

/* Ends this process with its parent, which may be killed before the server can act on --end-with-parent. */
static void end_with(pid_t parent) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() != parent) {
        _exit(EXIT_FAILURE); /* the parent ended before prctl */
    }
}

/* Starts the process of the server. The process has the exit status NOT_STARTED if the program does not exist. */
static void spawn(struct fakeapi *server, const char *const options[]) {
    const char *arguments[MAX_ARGUMENTS] = {
        program_name(), "serve", "--end-with-parent", "--port", "0", "--ready-file", server->ready_file,
    };
    size_t count = 7;
    for (; options != NULL && *options != NULL; options++) {
        if (count == MAX_ARGUMENTS - 1) {
            fail(server, "more than %d arguments", MAX_ARGUMENTS - 1);
        }
        arguments[count++] = *options;
    }
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == -1) {
        fail(server, "fork: %s", strerror(errno));
    }
    if (child == 0) {
        end_with(parent);
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        close(null);
        execvp(arguments[0], (char *const *)arguments);
        _exit(NOT_STARTED);
    }
    server->process = child;
}

/* Says why the process of the server has ended before the server was ready, and ends this process. */
static _Noreturn void fail_to_start(struct fakeapi *server) {
    if (WIFEXITED(server->status) && WEXITSTATUS(server->status) == NOT_STARTED) {
        fail(server, "cannot run %s; install fakeapi as its docs/c.md says, or name the program in FAKEAPI",
             program_name());
    }
    fail(server, "the server did not start; the lines above say why");
}

struct fakeapi *fakeapi_start(const char *const options[]) {
    struct fakeapi *server = allocated(calloc(1, sizeof *server));
    const char *parent = getenv("TMPDIR");
    snprintf(server->folder, sizeof server->folder, "%s/fakeapi-XXXXXX", parent == NULL ? "/tmp" : parent);
    if (mkdtemp(server->folder) == NULL) {
        fail(server, "%s: %s", server->folder, strerror(errno));
    }
    snprintf(server->ready_file, sizeof server->ready_file, "%s/ready.json", server->folder);
    server->curl = allocated(curl_easy_init());
    spawn(server, options);
    for (long waited = 0; (server->url = read_url(server)) == NULL; waited += POLL_MILLISECONDS) {
        if (has_ended(server)) {
            fail_to_start(server);
        }
        if (waited > START_MILLISECONDS) {
            fail(server, "the server did not start within %d seconds", START_MILLISECONDS / 1000);
        }
        pause_milliseconds(POLL_MILLISECONDS);
    }
    return server;
}

void fakeapi_stop(struct fakeapi *server) {
    if (server == NULL) {
        return;
    }
    if (!has_ended(server)) {
        kill(server->process, SIGTERM);
    }
    for (long waited = 0; !has_ended(server) && waited < STOP_MILLISECONDS; waited += POLL_MILLISECONDS) {
        pause_milliseconds(POLL_MILLISECONDS);
    }
    if (!has_ended(server)) {
        kill(server->process, SIGKILL);
        waitpid(server->process, NULL, 0);
    }
    unlink(server->ready_file); /* exists only if the server was killed */
    rmdir(server->folder);
    curl_easy_cleanup(server->curl);
    free(server->url);
    free(server->codes);
    free(server->requests);
    free(server);
}

const char *fakeapi_url(const struct fakeapi *server) {
    return server->url;
}

void fakeapi_fault(struct fakeapi *server, const char *fault, const char *target, int times) {
    cJSON *body = allocated(cJSON_CreateObject());
    cJSON *rule = allocated(cJSON_AddObjectToObject(body, fault));
    cJSON_AddStringToObject(rule, "target", target);
    cJSON_AddNumberToObject(rule, "times", times);
    cJSON_Delete(control(server, "POST", "/faults", body));
    cJSON_Delete(body);
}

/* Adds `&name=word` to the query, which has space for MAX_PATTERN characters. */
static void add_to_query(struct fakeapi *server, char *query, const char *name, const char *word) {
    char *escaped = allocated(curl_easy_escape(NULL, word, 0));
    size_t length = strlen(query);
    size_t left = MAX_PATTERN - length;
    if ((size_t)snprintf(query + length, left, "&%s=%s", name, escaped) >= left) {
        fail(server, "a pattern has more than %d characters", MAX_PATTERN);
    }
    curl_free(escaped);
}

/* Returns the recorded requests that match the pattern, as the control API shows them. */
static cJSON *journal(struct fakeapi *server, const char *pattern) {
    char query[MAX_PATTERN] = "/requests?last=10000";
    char *words = copy(pattern);
    char *position = NULL;
    char *verb = strtok_r(words, " ", &position);
    char *resource = strtok_r(NULL, " ", &position);
    char *namespace = strtok_r(NULL, " ", &position);
    char *name = namespace == NULL ? NULL : strchr(namespace, '/');
    if (verb == NULL || (namespace != NULL && name == NULL) || strtok_r(NULL, " ", &position) != NULL) {
        fail(server, "\"%s\" is not of the form VERB [RESOURCE[/SUBRESOURCE] [NAMESPACE/NAME]]", pattern);
    }
    add_to_query(server, query, "verb", verb);
    if (resource != NULL) {
        add_to_query(server, query, "resource", resource);
    }
    if (namespace != NULL) {
        *name++ = '\0';
        add_to_query(server, query, "namespace", namespace);
        add_to_query(server, query, "name", name);
    }
    free(words);
    return control(server, "GET", query, NULL);
}

/* Returns a field of each recorded request, joined by the separator. Numbers are printed as integers. */
static char *joined(struct fakeapi *server, const char *pattern, const char *field, const char *separator) {
    cJSON *answer = journal(server, pattern);
    char *text = copy("");
    const cJSON *request;
    cJSON_ArrayForEach(request, cJSON_GetObjectItemCaseSensitive(answer, "requests")) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(request, field);
        char number[16];
        snprintf(number, sizeof number, "%d", cJSON_IsNumber(value) ? value->valueint : 0);
        char *word = copy(cJSON_IsString(value) ? value->valuestring : number);
        if (*text != '\0') {
            append((char *)separator, 1, strlen(separator), &text);
        }
        append(word, 1, strlen(word), &text);
        free(word);
    }
    cJSON_Delete(answer);
    return text;
}

const char *fakeapi_codes(struct fakeapi *server, const char *pattern) {
    char *text = joined(server, pattern, "code", " ");
    free(server->codes);
    return server->codes = text;
}

const char *fakeapi_requests(struct fakeapi *server, const char *pattern) {
    char *text = joined(server, pattern, "text", "\n");
    free(server->requests);
    return server->requests = text;
}

void fakeapi_reset(struct fakeapi *server) {
    cJSON_Delete(control(server, "POST", "/reset", NULL));
}
