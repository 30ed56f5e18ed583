"""PodGroupProtection, PodGroupWorkloadExists and JobValidation: check PodGroups, and Jobs that use them.

Follows k8s.io/kubernetes `plugin/pkg/admission/scheduling/podgroupprotection`, `podgroup` and `job`.
"""

from collections.abc import Iterator

from fakeapi.admission.field_order import add_finalizer
from fakeapi.admission.plugin import CREATE_ONLY, UPDATE_ONLY, AdmissionPlugin
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes

GROUP = "scheduling.k8s.io"
FINALIZER = "scheduling.k8s.io/podgroup-protection"
GATE = "GenericWorkload"
_OF_JOBS = "WorkloadWithJob"


class PodGroupProtection(AdmissionPlugin):
    operations = CREATE_ONLY

    def mutate(self, attributes: Attributes) -> None:
        """Adds the protection finalizer to a new PodGroup, if the gate GenericWorkload is on.

        In a cluster, a controller removes the finalizer when the PodGroup has no more pods.
        """
        if attributes.resource.release.gates.enabled(GATE):
            add_finalizer(attributes.new_object(), FINALIZER)


class PodGroupWorkloadExists(AdmissionPlugin):
    operations = CREATE_ONLY

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 if the Workload or the template that a PodGroup names does not exist.

        A Workload that is being deleted counts as missing. Only release 1.36 makes this check, and only if
        the gate GenericWorkload is on.
        """
        release = attributes.resource.release
        reference = (attributes.new_object()["spec"].get("podGroupTemplateRef") or {}).get("workload")
        if (
            reference is None
            or not release.gates.enabled(GATE)
            or not release.quirks.templates_of_pod_groups_have_to_exist
        ):
            return
        name, template = reference.get("workloadName", ""), reference.get("podGroupTemplateName", "")
        workload = self.objects.get(GROUP, "workloads", attributes.namespace, name)
        if workload is None:
            raise attributes.forbidden(f"PodGroup rejected: Workload {quote(name)} not found")
        if workload["metadata"].get("deletionTimestamp") is not None:
            raise attributes.forbidden(f"PodGroup rejected: Workload {quote(name)} is being deleted")
        if all(
            group_template.get("name") != template
            for group_template in workload["spec"].get("podGroupTemplates") or ()
        ):
            why = f"PodGroupTemplate {quote(template)} not found in Workload {quote(name)}"
            raise attributes.forbidden(f"PodGroup rejected: {why}")


class JobValidation(AdmissionPlugin):
    operations = UPDATE_ONLY

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 if an update changes the parallelism of a Job with a gang-scheduled
        PodGroup.

        Only release 1.36 makes this check, and only if the gate GenericWorkload or WorkloadWithJob is on.
        """
        release, old = attributes.resource.release, attributes.old
        gates = release.gates.enabled(GATE) or release.gates.enabled(_OF_JOBS)
        if old is None or not gates or not release.quirks.jobs_of_gangs_keep_their_parallelism:
            return
        if attributes.new_object()["spec"].get("parallelism") == old["spec"].get("parallelism"):
            return
        for group in self._groups(old):
            if (group["spec"].get("schedulingPolicy") or {}).get("gang") is not None:
                name = quote(group["metadata"]["name"])
                why = f"cannot change parallelism for a Job referencing gang-scheduled PodGroup {name}"
                raise attributes.forbidden(why)

    def _groups(self, job: Object) -> Iterator[Object]:
        """Yields the PodGroups of a Job.

        If the pod template of the Job names a PodGroup, yields only this PodGroup. Otherwise yields all
        PodGroups whose controller is the Job.
        """
        namespace = job["metadata"].get("namespace", "")
        named = (job["spec"]["template"]["spec"].get("schedulingGroup") or {}).get("podGroupName")
        if named is not None:
            group = self.objects.get(GROUP, "podgroups", namespace, named)
            yield from () if group is None else (group,)
            return
        for group in self.objects.list(GROUP, "podgroups", namespace):
            owners = group["metadata"].get("ownerReferences") or ()
            if any(owner.get("controller") and owner["uid"] == job["metadata"]["uid"] for owner in owners):
                yield group
