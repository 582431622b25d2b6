"""Kubernetes documents: pods of workers.

Inside a pod, submissions are kept in by bubblewrap as everywhere. It needs user namespaces and a ``/proc`` of
its own, and containers get neither by default: hence ``procMount`` and the unconfined profiles below, which
are bearable because ``hostUsers: false`` makes the pod's own root nobody on its node. Where a cluster cannot
do that, ``privileged = true`` in cluster.toml is the other way, for nodes that hold nothing else.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from grader.instruct.cluster.settings import Blocks, Cluster

Document: TypeAlias = dict[str, Any]

GPU_RESOURCE = "nvidia.com/gpu"
SCRATCH_SIZE = "8Gi"  # of /tmp, where submissions are laid out and compilers write
SHARED_MEMORY = "1Gi"
LABEL = "cu2grad/block"


def worker_pod(cluster: Cluster, blocks: Blocks, gpu: bool, name: str, script: str) -> Document:
    """The pod of one block, which runs the shell lines ``script`` once. ``name`` labels it, too."""
    claims = cluster.pods.claims
    mounts = [{"name": claim, "mountPath": folder} for claim, folder in claims.items()]
    volumes = [{"name": claim, "persistentVolumeClaim": {"claimName": claim}} for claim in claims]
    spec = {
        "restartPolicy": "Never",  # a block that ended is replaced by another one, which is counted
        "activeDeadlineSeconds": blocks.seconds,
        "automountServiceAccountToken": False,  # nothing in here talks to the cluster
        "enableServiceLinks": False,
        "securityContext": {
            "runAsNonRoot": not cluster.pods.privileged,
            "runAsUser": 0 if cluster.pods.privileged else cluster.pods.user,
            "runAsGroup": 0 if cluster.pods.privileged else cluster.pods.group,
            "fsGroup": cluster.pods.group,
        },
        "containers": [
            {
                "name": "workers",
                "image": cluster.pods.image,
                "command": ["/bin/bash", "-c", script],
                "env": [{"name": "HOME", "value": "/tmp"}],
                "resources": _resources(blocks, gpu),
                "securityContext": _container_security(cluster.pods.privileged),
                "volumeMounts": [*mounts, *_scratch_mounts()],
            }
        ],
        "volumes": [*volumes, *_scratch()],
    }
    if not cluster.pods.privileged:
        spec["hostUsers"] = False
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": cluster.pods.namespace, "labels": {LABEL: name}},
        "spec": spec,
    }


def _resources(blocks: Blocks, gpu: bool) -> Document:
    """Requests equal to limits: a timing next to a neighbour that borrows the processor is worth nothing."""
    amounts = {"cpu": str(blocks.workers), "memory": f"{blocks.memory_gb}Gi"}
    if gpu:
        amounts[GPU_RESOURCE] = "1"
    return {"requests": dict(amounts), "limits": amounts}


def _container_security(privileged: bool) -> Document:
    if privileged:
        return {"privileged": True}
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "procMount": "Unmasked",
        "seccompProfile": {"type": "Unconfined"},  # the default one refuses user namespaces
        "appArmorProfile": {"type": "Unconfined"},  # the default one refuses mounts within them
    }


def _scratch_mounts() -> list[Document]:
    return [{"name": "scratch", "mountPath": "/tmp"}, {"name": "shared-memory", "mountPath": "/dev/shm"}]


def _scratch() -> list[Document]:
    memory = {"medium": "Memory", "sizeLimit": SHARED_MEMORY}
    return [
        {"name": "scratch", "emptyDir": {"sizeLimit": SCRATCH_SIZE}},
        {"name": "shared-memory", "emptyDir": memory},
    ]
