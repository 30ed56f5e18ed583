package com.example.devicestatus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import com.google.gson.reflect.TypeToken;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.ResourceV1Api;
import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1DeviceClaim;
import io.kubernetes.client.openapi.models.V1DeviceRequest;
import io.kubernetes.client.openapi.models.V1ExactDeviceRequest;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ResourceClaimSpec;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Watch;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Writes the status of a claim with the official client. */
@ExtendWith(FakeApi.Extension.class)
class ClaimStatusTest {
  private static final int TIMEOUT_SECONDS = 20;
  private static final String ALLOCATION =
      """
      {"status": {"allocation": {"devices": {"results": [
        {"request": "gpu", "driver": "gpu.example.com", "pool": "node", "device": "gpu-0"}]}}}}
      """;

  @Test
  void theStatusIsWrittenAgainAfterAConflict(FakeApi fakeapi) throws Exception {
    ApiClient client = ClientBuilder.standard(false).setBasePath(fakeapi.url()).build();
    ResourceV1Api claims = new ResourceV1Api(client);
    createAllocatedClaim(client, claims);
    fakeapi.fault("conflict", "update resourceclaims/status", 1);

    ClaimStatus.reportReady(claims, "default", "gpu");

    waitUntilReady(client, claims);
    List<FakeApi.Request> updates = fakeapi.requests("update resourceclaims/status default/gpu");
    assertEquals(List.of(409, 200), updates.stream().map(FakeApi.Request::code).toList(), updates::toString);
  }

  /** Creates a claim, and allocates a device of the driver to it, as the scheduler does. */
  private static void createAllocatedClaim(ApiClient client, ResourceV1Api claims) throws Exception {
    V1DeviceRequest request =
        new V1DeviceRequest().name("gpu").exactly(new V1ExactDeviceRequest().deviceClassName(Driver.NAME));
    ResourceV1ResourceClaim claim =
        new ResourceV1ResourceClaim()
            .metadata(new V1ObjectMeta().name("gpu"))
            .spec(new V1ResourceClaimSpec().devices(new V1DeviceClaim().addRequestsItem(request)));
    claims.createNamespacedResourceClaim("default", claim).execute();
    PatchUtils.patch(
        ResourceV1ResourceClaim.class,
        () -> claims.patchNamespacedResourceClaimStatus("gpu", "default", new V1Patch(ALLOCATION)).buildCall(null),
        V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH,
        client);
  }

  /** Watches the claim until a device has the condition Ready. */
  private static void waitUntilReady(ApiClient client, ResourceV1Api claims) throws Exception {
    var call =
        claims
            .listNamespacedResourceClaim("default")
            .fieldSelector("metadata.name=gpu")
            .timeoutSeconds(TIMEOUT_SECONDS)
            .watch(true)
            .buildCall(null);
    var type = new TypeToken<Watch.Response<ResourceV1ResourceClaim>>() {}.getType();
    try (Watch<ResourceV1ResourceClaim> watch = Watch.createWatch(client, call, type)) {
      for (Watch.Response<ResourceV1ResourceClaim> event : watch) {
        var devices = event.object.getStatus().getDevices();
        if (devices != null
            && devices.stream()
                .flatMap(device -> device.getConditions().stream())
                .anyMatch(each -> each.getType().equals(Driver.READY) && each.getStatus().equals("True"))) {
          return;
        }
      }
    }
    fail("the claim is not ready");
  }
}
