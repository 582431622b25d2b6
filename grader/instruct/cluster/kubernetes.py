"""Blocks as pods, started through the Kubernetes API from a pod inside the cluster."""

from __future__ import annotations

import importlib.util
from typing import Any

from parsl.jobs.states import JobState, JobStatus
from parsl.providers import KubernetesProvider

from grader.instruct.cluster.pods import worker_pod
from grader.instruct.cluster.settings import Blocks, Cluster
from grader.support.errors import UsageError

POLL_SECONDS = 10
_GONE = 404


class PodProvider(KubernetesProvider):
    """Parsl's provider with pods of our own, which can hold a sandbox, and with an eye on pods that vanish.

    Parsl's takes a pod that was deleted, as with its node, for a running one, and waits for it for ever.
    """

    def __init__(self, cluster: Cluster, blocks: Blocks, gpu: bool, **counts: Any) -> None:
        super().__init__(image=cluster.pods.image, namespace=cluster.pods.namespace, **counts)
        self.cluster, self.blocks, self.gpu = cluster, blocks, gpu

    @property
    def status_polling_interval(self) -> int:
        return POLL_SECONDS

    def _create_pod(self, *, pod_name: str, cmd_string: str, **_: Any) -> None:
        body = worker_pod(self.cluster, self.blocks, self.gpu, pod_name, cmd_string)
        self.kube_client.create_namespaced_pod(namespace=self.namespace, body=body)

    def _status(self) -> None:
        from kubernetes.client.exceptions import ApiException

        for block in self.resources.values():
            if block["status"].terminal:
                continue
            try:
                self.kube_client.read_namespaced_pod(name=block["pod_name"], namespace=self.namespace)
            except ApiException as error:
                if error.status == _GONE:
                    block["status"] = JobStatus(JobState.MISSING)
        super()._status()


def pod_provider(cluster: Cluster, blocks: Blocks, gpu: bool, **counts: Any) -> PodProvider:
    """Raises UsageError without Kubernetes' client, or where no cluster can be reached from here."""
    if importlib.util.find_spec("kubernetes") is None:
        raise UsageError(
            "Starting pods needs Kubernetes' client for Python, which is not installed.",
            "It comes with the extra `cluster`.",
            "Run: pip install cu2grad[cluster]",
        )
    from kubernetes.config import ConfigException

    try:
        return PodProvider(cluster, blocks, gpu, **counts)
    except ConfigException as error:
        raise UsageError(
            f"No Kubernetes cluster is known here ({error}).",
            "The driver runs in a pod of the cluster, or where ~/.kube/config names one.",
            "Run: kubectl config current-context",
        ) from error
