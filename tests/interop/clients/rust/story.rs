// The story of a ResourceClaim, told with kube and k8s-openapi; the server is the one of $KUBECONFIG.
//
// Prints each chapter when it is through, and at the end what the watcher saw.

use std::time::Duration;

use futures::TryStreamExt;
#[cfg(feature = "v1_30")]
use k8s_openapi::api::resource::v1alpha2 as resource;
#[cfg(feature = "v1_31")]
use k8s_openapi::api::resource::v1alpha3 as resource;
#[cfg(feature = "v1_37")]
use k8s_openapi::api::resource::v1 as resource;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Client, Resource, ResourceExt, discovery};
use resource::ResourceClaim;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

const NAME: &str = "told";
const FINALIZER: &str = "example.com/story";
const PATIENCE: Duration = Duration::from_secs(30);

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let client = Client::try_default().await?;
    let claims: Api<ResourceClaim> = Api::default_namespaced(client.clone());

    let group = discovery::group(&client, "resource.k8s.io").await?;
    let found = group.recommended_kind("ResourceClaim").ok_or("no claims")?.0;
    assert_eq!(found.plural, "resourceclaims");
    println!("discover");

    let mut seen = watch(claims.clone());
    let created = claims.create(&PostParams::default(), &claim()?).await?;
    assert!(created.uid().is_some());
    println!("create");

    expect(&mut seen, "ADDED", |_| true).await?;
    println!("watch");

    // Two writers have read the same; the second is told, reads again and wins.
    let (mut first, mut second) = (claims.get(NAME).await?, claims.get(NAME).await?);
    first.labels_mut().insert("first".into(), "won".into());
    claims.replace(NAME, &PostParams::default(), &first).await?;
    second.labels_mut().insert("second".into(), "won".into());
    match claims.replace(NAME, &PostParams::default(), &second).await {
        Err(kube::Error::Api(status)) if status.code == 409 => assert_eq!(status.reason, "Conflict"),
        other => return Err(format!("no conflict: {other:?}").into()),
    }
    second = claims.get(NAME).await?;
    second.labels_mut().insert("second".into(), "won".into());
    let merged = claims.replace(NAME, &PostParams::default(), &second).await?;
    assert_eq!(merged.labels().len(), 2);
    expect(&mut seen, "MODIFIED", |found| found.labels().contains_key("second")).await?;
    println!("conflict");

    let labelled = json!({"metadata": {"labels": {"patched": "yes", "first": null}}});
    let patched = claims.patch(NAME, &PatchParams::default(), &Patch::Merge(&labelled)).await?;
    assert_eq!(patched.labels().keys().collect::<Vec<_>>(), ["patched", "second"]);
    println!("patch");

    let wanted = json!({
        "apiVersion": ResourceClaim::api_version(&()), "kind": "ResourceClaim",
        "metadata": {"name": NAME, "labels": {"applied": "yes"}},
    });
    let applied = claims.patch(NAME, &PatchParams::apply("rust"), &Patch::Apply(&wanted)).await?;
    assert!(applied.managed_fields().iter().any(|entry| entry.operation.as_deref() == Some("Apply")));
    expect(&mut seen, "MODIFIED", |found| found.labels().contains_key("applied")).await?;
    println!("apply");

    let deleting = claims.delete(NAME, &DeleteParams::default()).await?;
    assert!(deleting.left().ok_or("deleted at once")?.metadata.deletion_timestamp.is_some());
    let released = json!({"metadata": {"finalizers": null}});
    claims.patch(NAME, &PatchParams::default(), &Patch::Merge(&released)).await?;
    expect(&mut seen, "DELETED", |_| true).await?;
    assert!(claims.get_opt(NAME).await?.is_none());
    println!("delete");
    Ok(())
}

#[cfg(feature = "v1_30")]
fn spec() -> Value {
    json!({"resourceClassName": "gpu.example.com"})
}

#[cfg(feature = "v1_31")]
fn spec() -> Value {
    json!({"devices": {"requests": [{"name": "gpu", "deviceClassName": "gpu.example.com"}]}})
}

#[cfg(feature = "v1_37")]
fn spec() -> Value {
    json!({"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}})
}

fn claim() -> serde_json::Result<ResourceClaim> {
    serde_json::from_value(json!({
        "apiVersion": ResourceClaim::api_version(&()), "kind": "ResourceClaim",
        "metadata": {"name": NAME, "finalizers": [FINALIZER]},
        "spec": spec(),
    }))
}

/// Follows the claims as an informer does: the newest release by a streaming list, the others by list and watch.
fn watch(claims: Api<ResourceClaim>) -> UnboundedReceiver<(&'static str, ResourceClaim)> {
    let (sender, receiver) = unbounded_channel();
    let config = watcher::Config::default();
    #[cfg(feature = "v1_37")]
    let config = config.streaming_lists();
    tokio::spawn(async move {
        let mut events = std::pin::pin!(watcher(claims, config));
        let mut known = false;
        while let Some(event) = events.try_next().await.expect("the watch goes on") {
            let told = match event {
                Event::Apply(claim) | Event::InitApply(claim) => {
                    let kind = if known { "MODIFIED" } else { "ADDED" };
                    known = true;
                    (kind, claim)
                }
                Event::Delete(claim) => ("DELETED", claim),
                Event::Init | Event::InitDone => continue,
            };
            if sender.send(told).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Waits for an event of a kind that fits; earlier ones are passed over.
async fn expect(
    seen: &mut UnboundedReceiver<(&'static str, ResourceClaim)>,
    kind: &str,
    fits: impl Fn(&ResourceClaim) -> bool,
) -> Outcome<()> {
    let waiting = async {
        while let Some((found, claim)) = seen.recv().await {
            if found == kind && fits(&claim) {
                return Ok(());
            }
        }
        Err("the watch has ended".into())
    };
    tokio::time::timeout(PATIENCE, waiting).await?
}
