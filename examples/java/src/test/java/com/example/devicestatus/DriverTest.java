package com.example.devicestatus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the driver, which uses fabric8's client. */
@ExtendWith(FakeApi.Extension.class)
class DriverTest {
  private static final int TIMEOUT_SECONDS = 20;
  private static final String ALLOCATION =
      """
      {"status": {"allocation": {"devices": {"results": [
        {"request": "gpu", "driver": "gpu.example.com", "pool": "node", "device": "gpu-0"}]}}}}
      """;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void theDriverRetriesAfterEachConflictAndWritesOnce(int conflicts, FakeApi fakeapi) {
    if (conflicts > 0) {
      fakeapi.fault("conflict", "update resourceclaims/status", conflicts);
    }
    Config config = new ConfigBuilder(Config.empty()).withMasterUrl(fakeapi.url()).build();
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build();
        Driver driver = new Driver(client)) {
      createAllocatedClaim(client, "gpu").waitUntilCondition(DriverTest::isReady, TIMEOUT_SECONDS, TimeUnit.SECONDS);
      // The driver handles one event after the other. When the later claim is ready, the driver has seen its own write
      // to the first claim.
      createAllocatedClaim(client, "later").waitUntilCondition(DriverTest::isReady, TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
    List<FakeApi.Request> updates = fakeapi.requests("update resourceclaims/status default/gpu");
    List<Integer> expected = new ArrayList<>(Collections.nCopies(conflicts, 409));
    expected.add(200);
    assertEquals(expected, updates.stream().map(FakeApi.Request::code).toList(), updates::toString);
  }

  /** Creates a claim, and allocates a device of the driver to it, as the scheduler does. */
  private static Resource<ResourceClaim> createAllocatedClaim(KubernetesClient client, String name) {
    ResourceClaim claim =
        new ResourceClaimBuilder()
            .withNewMetadata().withNamespace("default").withName(name).endMetadata()
            .withNewSpec().withNewDevices()
            .addNewRequest().withName("gpu").withNewExactly().withDeviceClassName(Driver.NAME).endExactly().endRequest()
            .endDevices().endSpec()
            .build();
    client.resource(claim).create();
    Resource<ResourceClaim> resource = client.resource(claim);
    resource.subresource("status").patch(PatchContext.of(PatchType.JSON_MERGE), ALLOCATION);
    return resource;
  }

  private static boolean isReady(ResourceClaim claim) {
    return claim != null
        && claim.getStatus() != null
        && claim.getStatus().getDevices().stream()
            .flatMap(device -> device.getConditions().stream())
            .anyMatch(each -> each.getType().equals(Driver.READY) && each.getStatus().equals("True"));
  }
}
