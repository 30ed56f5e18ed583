import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The story of a ResourceClaim, told with fabric8's client; the server is the one of $KUBECONFIG.
 *
 * <p>Prints each chapter when it is through.
 */
public final class Story {
  private static final String NAME = "told";
  private static final String FINALIZER = "example.com/story";
  private static final long PATIENCE_SECONDS = 30;

  private record Seen(String verb, ResourceClaim claim) {}

  private final KubernetesClient client;
  private final BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();

  private Story(KubernetesClient client) {
    this.client = client;
  }

  public static void main(String[] arguments) throws InterruptedException {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      new Story(client).tell();
    }
  }

  private void tell() throws InterruptedException {
    verify(client.hasApiGroup("resource.k8s.io", true), "no claims are served");
    verify(client.supports(ResourceClaim.class), "no claims of this version are served");
    chapter("discover");
    try (SharedIndexInformer<ResourceClaim> informer = client.resources(ResourceClaim.class).inform(new Follower())) {
      create();
      expect("added", claim -> true);
      verify(informer.getStore().list().size() == 1, "the store does not hold what was added");
      chapter("watch");
      conflict();
      patch();
      apply();
      delete();
    }
  }

  private Resource<ResourceClaim> claim() {
    return client.dynamicResourceAllocation().v1().resourceClaims().inNamespace("default").withName(NAME);
  }

  private void create() {
    ResourceClaim body = new ResourceClaimBuilder()
        .withNewMetadata().withName(NAME).addToFinalizers(FINALIZER).endMetadata()
        .withNewSpec().withNewDevices()
        .addNewRequest().withName("gpu").withNewExactly().withDeviceClassName("gpu.example.com").endExactly()
        .endRequest().endDevices().endSpec().build();
    ResourceClaim created = client.resource(body).inNamespace("default").create();
    verify(created.getSpec().getDevices().getRequests().get(0).getExactly().getCount() == 1, "no default");
    chapter("create");
  }

  /** Two writers have read the same; the second is told, reads again and wins. */
  private void conflict() throws InterruptedException {
    ResourceClaim first = labelled(claim().get(), "first");
    ResourceClaim second = labelled(claim().get(), "second");
    client.resource(first).update();
    try {
      client.resource(second).update();
      throw new IllegalStateException("no conflict");
    } catch (KubernetesClientException refused) {
      verify(refused.getCode() == 409 && refused.getStatus().getReason().equals("Conflict"), refused.toString());
    }
    client.resource(labelled(claim().get(), "second")).update();
    expect("updated", claim -> claim.getMetadata().getLabels().keySet().containsAll(Set.of("first", "second")));
    chapter("conflict");
  }

  private static ResourceClaim labelled(ResourceClaim claim, String label) {
    return new ResourceClaimBuilder(claim).editMetadata().addToLabels(label, "won").endMetadata().build();
  }

  /** By default it sends the difference as a JSON patch; a text is sent as what it is. */
  private void patch() {
    claim().edit(read -> new ResourceClaimBuilder(read)
        .editMetadata().removeFromLabels("first").addToLabels("patched", "yes").endMetadata().build());
    claim().patch(PatchContext.of(PatchType.STRATEGIC_MERGE), "{\"metadata\":{\"labels\":{\"strategic\":\"yes\"}}}");
    ResourceClaim patched = claim().patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"labels\":{\"second\":null}}}");
    verify(patched.getMetadata().getLabels().equals(Map.of("patched", "yes", "strategic", "yes")), patched.toString());
    chapter("patch");
  }

  private void apply() throws InterruptedException {
    ResourceClaim wanted = new ResourceClaim();
    wanted.setMetadata(new ObjectMetaBuilder().withName(NAME).withNamespace("default").addToLabels("applied", "yes").build());
    ResourceClaim applied = client.resource(wanted).fieldManager("java").forceConflicts().serverSideApply();
    verify(applied.getMetadata().getManagedFields().stream()
        .anyMatch(entry -> entry.getManager().equals("java") && entry.getOperation().equals("Apply")), "not applied");
    expect("updated", claim -> claim.getMetadata().getLabels().containsKey("applied"));
    chapter("apply");
  }

  private void delete() throws InterruptedException {
    claim().withPropagationPolicy(DeletionPropagation.BACKGROUND).delete();
    verify(claim().get().getMetadata().getDeletionTimestamp() != null, "it is not being deleted");
    claim().edit(read -> new ResourceClaimBuilder(read).editMetadata().removeFromFinalizers(FINALIZER).endMetadata().build());
    expect("deleted", claim -> true);
    verify(claim().get() == null, "it is still there");
    chapter("delete");
  }

  private void expect(String verb, Predicate<ResourceClaim> fits) throws InterruptedException {
    while (true) {
      Seen next = seen.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      verify(next != null, "the informer does not see that the claim was " + verb);
      if (next.verb().equals(verb) && fits.test(next.claim())) {
        return;
      }
    }
  }

  private static void chapter(String name) {
    System.out.println(name);
  }

  private static void verify(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }

  private final class Follower implements ResourceEventHandler<ResourceClaim> {
    @Override
    public void onAdd(ResourceClaim claim) {
      seen.add(new Seen("added", claim));
    }

    @Override
    public void onUpdate(ResourceClaim before, ResourceClaim claim) {
      seen.add(new Seen("updated", claim));
    }

    @Override
    public void onDelete(ResourceClaim claim, boolean finalStateUnknown) {
      seen.add(new Seen("deleted", claim));
    }
  }
}
