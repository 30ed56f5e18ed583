package com.example.devicestatus;

import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.ResourceV1Api;
import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1AllocatedDeviceStatus;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1DeviceRequestAllocationResult;
import io.kubernetes.client.openapi.models.V1ResourceClaimStatus;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/** Writes the status of ResourceClaims with the official client. */
public final class ClaimStatus {
  private static final int ATTEMPTS = 5;
  private static final int CONFLICT = 409;

  private ClaimStatus() {}

  /** Reports each allocated device of a claim as ready, and tries again after a conflict. */
  public static void reportReady(ResourceV1Api claims, String namespace, String name) throws ApiException {
    for (int attempt = 1; ; attempt++) {
      ResourceV1ResourceClaim claim = claims.readNamespacedResourceClaim(name, namespace).execute();
      setReady(claim.getStatus());
      try {
        claims.replaceNamespacedResourceClaimStatus(name, namespace, claim).execute();
        return;
      } catch (ApiException error) {
        if (error.getCode() != CONFLICT || attempt == ATTEMPTS) {
          throw error;
        }
      }
    }
  }

  private static void setReady(V1ResourceClaimStatus status) {
    status.setDevices(null);
    for (V1DeviceRequestAllocationResult allocated : status.getAllocation().getDevices().getResults()) {
      V1Condition ready =
          new V1Condition()
              .type(Driver.READY)
              .status("True")
              .reason("Prepared")
              .message("")
              .lastTransitionTime(OffsetDateTime.now(ZoneOffset.UTC));
      status.addDevicesItem(
          new V1AllocatedDeviceStatus()
              .driver(allocated.getDriver())
              .pool(allocated.getPool())
              .device(allocated.getDevice())
              .addConditionsItem(ready));
    }
  }
}
