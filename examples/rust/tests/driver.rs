//! Runs the driver with a fakeapi server.

mod fakeapi;

use std::time::Duration;

use devicestatus::{DRIVER, READY};
use fakeapi::FakeApi;
use k8s_openapi::api::resource::v1::ResourceClaim;
use kube::Client;
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::runtime::wait::await_condition;
use serde_json::json;

const TIMEOUT: Duration = Duration::from_secs(20);

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[tokio::test]
async fn the_driver_retries_after_each_conflict_and_writes_once() -> Outcome {
    let server = FakeApi::start(&[]).await;
    for (conflicts, codes) in [(0, vec![200]), (1, vec![409, 200]), (3, vec![409, 409, 409, 200])] {
        if conflicts > 0 {
            server.fault("conflict", "update resourceclaims/status", conflicts).await;
        }
        let driver = tokio::spawn(devicestatus::run(server.client.clone()));
        create_allocated_claim(&server.client, "gpu").await?;
        wait_until_ready(&server.client, "gpu").await?;
        // The driver handles one event after the other. When the later claim is ready, the driver has seen its own
        // write to the first claim.
        create_allocated_claim(&server.client, "later").await?;
        wait_until_ready(&server.client, "later").await?;

        let updates = server.requests("update resourceclaims/status default/gpu").await;
        let answers: Vec<u16> = updates.iter().map(|update| update.code).collect();
        assert_eq!(answers, codes, "{:?}", updates.iter().map(|update| &update.text).collect::<Vec<_>>());

        driver.abort();
        assert!(driver.await.is_err_and(|error| error.is_cancelled()), "the driver ran until the end");
        server.reset().await;
    }
    Ok(())
}

/// Creates a claim, and allocates a device of the driver to it, as the scheduler does.
async fn create_allocated_claim(client: &Client, name: &str) -> Outcome {
    let claims: Api<ResourceClaim> = Api::default_namespaced(client.clone());
    let claim = serde_json::from_value(json!({
        "metadata": {"name": name},
        "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": DRIVER}}]}},
    }))?;
    claims.create(&PostParams::default(), &claim).await?;
    let result = json!({"request": "gpu", "driver": DRIVER, "pool": "node", "device": "gpu-0"});
    let status = json!({"status": {"allocation": {"devices": {"results": [result]}}}});
    claims.patch_status(name, &PatchParams::default(), &Patch::Merge(status)).await?;
    Ok(())
}

/// Watches a claim until a device has the condition Ready.
async fn wait_until_ready(client: &Client, name: &str) -> Outcome {
    let claims: Api<ResourceClaim> = Api::default_namespaced(client.clone());
    tokio::time::timeout(TIMEOUT, await_condition(claims, name, is_ready)).await??;
    Ok(())
}

fn is_ready(claim: Option<&ResourceClaim>) -> bool {
    let status = claim.and_then(|claim| claim.status.as_ref());
    let devices = status.and_then(|status| status.devices.as_deref()).unwrap_or_default();
    let mut conditions = devices.iter().flat_map(|device| device.conditions.iter().flatten());
    conditions.any(|condition| condition.type_ == READY && condition.status == "True")
}
