package com.example.devicestatus;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.AllocatedDeviceStatus;
import io.fabric8.kubernetes.api.model.resource.v1.AllocatedDeviceStatusBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Watches ResourceClaims with fabric8's client, and reports allocated devices as ready in their status. */
public final class Driver implements AutoCloseable {
  /** The driver whose devices are reported. */
  public static final String NAME = "gpu.example.com";

  /** The type of the condition that is written. */
  public static final String READY = "Ready";

  private static final int ATTEMPTS = 5;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  private final KubernetesClient client;
  private final SharedIndexInformer<ResourceClaim> informer;

  /** Starts the driver. */
  public Driver(KubernetesClient client) {
    this.client = client;
    informer = client.resources(ResourceClaim.class).inAnyNamespace().inform(new Handler());
  }

  /** Stops the driver. */
  @Override
  public void close() {
    informer.close();
  }

  /** Writes the condition Ready for each allocated device of the driver, and tries again after a conflict. */
  private void reportReady(ResourceClaim claim) {
    ResourceClaim newest = claim;
    for (int attempt = 1; newest != null; attempt++) {
      ResourceClaim changed = new ResourceClaimBuilder(newest).build();
      if (!setReady(changed)) {
        return;
      }
      try {
        client.resource(changed).updateStatus();
        return;
      } catch (KubernetesClientException error) {
        if (error.getCode() == NOT_FOUND) {
          return;
        }
        if (error.getCode() != CONFLICT || attempt == ATTEMPTS) {
          throw error;
        }
        newest = client.resource(claim).get();
      }
    }
  }

  /** Sets the condition Ready for each allocated device of the driver. Returns whether the claim changed. */
  private static boolean setReady(ResourceClaim claim) {
    if (claim.getStatus() == null || claim.getStatus().getAllocation() == null) {
      return false;
    }
    boolean changed = false;
    for (DeviceRequestAllocationResult allocated : claim.getStatus().getAllocation().getDevices().getResults()) {
      if (allocated.getDriver().equals(NAME)) {
        changed |= setReady(deviceStatus(claim.getStatus().getDevices(), allocated).getConditions());
      }
    }
    return changed;
  }

  private static boolean setReady(List<Condition> conditions) {
    if (conditions.stream().anyMatch(each -> each.getType().equals(READY) && each.getStatus().equals("True"))) {
      return false;
    }
    conditions.removeIf(each -> each.getType().equals(READY));
    conditions.add(
        new ConditionBuilder()
            .withType(READY)
            .withStatus("True")
            .withReason("Prepared")
            .withMessage("")
            .withLastTransitionTime(Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
            .build());
    return true;
  }

  /** Returns the status of an allocated device. Adds an empty one if there is none. */
  private static AllocatedDeviceStatus deviceStatus(
      List<AllocatedDeviceStatus> devices, DeviceRequestAllocationResult allocated) {
    for (AllocatedDeviceStatus device : devices) {
      if (device.getDriver().equals(allocated.getDriver())
          && device.getPool().equals(allocated.getPool())
          && device.getDevice().equals(allocated.getDevice())) {
        return device;
      }
    }
    AllocatedDeviceStatus added =
        new AllocatedDeviceStatusBuilder()
            .withDriver(allocated.getDriver())
            .withPool(allocated.getPool())
            .withDevice(allocated.getDevice())
            .build();
    devices.add(added);
    return added;
  }

  private final class Handler implements ResourceEventHandler<ResourceClaim> {
    @Override
    public void onAdd(ResourceClaim claim) {
      reportReady(claim);
    }

    @Override
    public void onUpdate(ResourceClaim old, ResourceClaim claim) {
      reportReady(claim);
    }

    @Override
    public void onDelete(ResourceClaim claim, boolean finalStateUnknown) {}
  }
}
