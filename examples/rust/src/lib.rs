//! Reports allocated devices as ready, in the status of their ResourceClaim.

use std::pin::pin;

use futures::StreamExt;
use k8s_openapi::api::resource::v1::{AllocatedDeviceStatus, DeviceRequestAllocationResult, ResourceClaim};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, PostParams};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, Error, ResourceExt};

/// The driver whose devices are reported.
pub const DRIVER: &str = "gpu.example.com";

/// The type of the condition that is written.
pub const READY: &str = "Ready";

const ATTEMPTS: usize = 5;

/// Watches ResourceClaims, and writes their status. Returns the error of a request that failed for good.
pub async fn run(client: Client) -> Result<(), Error> {
    let all: Api<ResourceClaim> = Api::all(client.clone());
    let mut claims = pin!(watcher(all, watcher::Config::default()).default_backoff().applied_objects());
    while let Some(event) = claims.next().await {
        match event {
            Ok(claim) => report_ready(&client, claim).await?,
            Err(error) => eprintln!("the watch starts again: {error}"),
        }
    }
    Ok(())
}

/// Writes the condition Ready for each allocated device of the driver, and tries again after a conflict.
pub async fn report_ready(client: &Client, mut claim: ResourceClaim) -> Result<(), Error> {
    let claims: Api<ResourceClaim> = Api::namespaced(client.clone(), &claim.namespace().unwrap_or_default());
    let name = claim.name_any();
    let mut attempt = 1;
    while set_ready(&mut claim) {
        match claims.replace_status(&name, &PostParams::default(), &claim).await {
            Err(Error::Api(status)) if status.is_not_found() => return Ok(()),
            Err(Error::Api(status)) if status.is_conflict() && attempt < ATTEMPTS => {
                attempt += 1;
                let Some(newest) = claims.get_opt(&name).await? else { return Ok(()) };
                claim = newest;
            }
            result => return result.map(drop),
        }
    }
    Ok(())
}

/// Sets the condition Ready for each allocated device of the driver. Returns whether the claim changed.
fn set_ready(claim: &mut ResourceClaim) -> bool {
    let Some(status) = &mut claim.status else { return false };
    let Some(allocation) = &status.allocation else { return false };
    let results = allocation.devices.iter().flat_map(|devices| devices.results.iter().flatten());
    let devices = status.devices.get_or_insert_default();
    let mut changed = false;
    for allocated in results.filter(|result| result.driver == DRIVER) {
        let conditions = device_status(devices, allocated).conditions.get_or_insert_default();
        if conditions.iter().any(|condition| condition.type_ == READY && condition.status == "True") {
            continue;
        }
        conditions.retain(|condition| condition.type_ != READY);
        conditions.push(Condition {
            type_: READY.into(),
            status: "True".into(),
            reason: "Prepared".into(),
            message: String::new(),
            last_transition_time: Time(Timestamp::now()),
            observed_generation: None,
        });
        changed = true;
    }
    changed
}

/// Returns the status of an allocated device. Adds an empty one if there is none.
fn device_status<'a>(
    devices: &'a mut Vec<AllocatedDeviceStatus>,
    allocated: &DeviceRequestAllocationResult,
) -> &'a mut AllocatedDeviceStatus {
    let known = devices.iter().position(|device| {
        (&device.driver, &device.pool, &device.device) == (&allocated.driver, &allocated.pool, &allocated.device)
    });
    let index = known.unwrap_or_else(|| {
        devices.push(AllocatedDeviceStatus {
            driver: allocated.driver.clone(),
            pool: allocated.pool.clone(),
            device: allocated.device.clone(),
            ..Default::default()
        });
        devices.len() - 1
    });
    &mut devices[index]
}
