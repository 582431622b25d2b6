"""Pods as Kubernetes' own schema wants them, able to hold a sandbox, and noticed when they vanish.

There is no cluster here: what is rendered is checked, and what a provider asks of a client that is made up.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.instruct.cluster import pods, read_cluster
from grader.instruct.cluster.settings import Cluster
from tests.cluster.test_settings import KUBERNETES

VERSION = "1.33"
SAMPLES = Path(__file__).resolve().parents[2] / "docs" / "samples" / "cluster"


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    path = tmp_path / "cluster.toml"
    path.write_text(KUBERNETES)
    return read_cluster(path)


def privileged(folder: Path) -> Cluster:
    path = folder / "cluster.toml"
    path.write_text(KUBERNETES.replace("[kubernetes]", "[kubernetes]\nprivileged = true"))
    return read_cluster(path)


def documents(cluster: Cluster) -> list[pods.Document]:
    assert cluster.gpu is not None
    return [
        pods.worker_pod(cluster, cluster.cpu, False, "cpu-0", "true"),
        pods.worker_pod(cluster, cluster.gpu, True, "gpu-0", "true"),
    ]


def test_every_document_is_valid(cluster: Cluster, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="no kubernetes client here: pip install cu2grad[cluster]")
    validator = pytest.importorskip(
        "kubernetes_validate", reason="no kubernetes-validate here: pip install kubernetes-validate"
    )
    for document in [*documents(cluster), *documents(privileged(tmp_path))]:
        validator.validate(document, VERSION, strict=True)
    for sample in ("driver.yaml", "rights.yaml"):
        for document in yaml.safe_load_all((SAMPLES / sample).read_text()):
            validator.validate(document, VERSION, strict=True)
    wrong = pods.worker_pod(cluster, cluster.cpu, False, "cpu-0", "true")
    wrong["spec"]["hostUser"] = False
    with pytest.raises(validator.ValidationError):
        validator.validate(wrong, VERSION, strict=True)


def test_a_gpu_block_gets_one_gpu_and_a_cpu_block_none(cluster: Cluster) -> None:
    assert cluster.gpu is not None
    gpu = pods.worker_pod(cluster, cluster.gpu, True, "gpu-0", "true")["spec"]["containers"][0]["resources"]
    cpu = pods.worker_pod(cluster, cluster.cpu, False, "cpu-0", "true")["spec"]["containers"][0]["resources"]
    assert gpu["limits"]["nvidia.com/gpu"] == gpu["requests"]["nvidia.com/gpu"] == "1"
    assert "nvidia.com/gpu" not in cpu["limits"]
    assert gpu["requests"] == gpu["limits"], "a neighbour could borrow what is being timed on"


def test_a_pod_can_hold_a_sandbox_and_talk_to_nobody(cluster: Cluster) -> None:
    spec = pods.worker_pod(cluster, cluster.cpu, False, "cpu-0", "true")["spec"]
    security = spec["containers"][0]["securityContext"]
    assert (spec["hostUsers"], security["procMount"]) == (False, "Unmasked")
    assert security["seccompProfile"] == security["appArmorProfile"] == {"type": "Unconfined"}
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert security["allowPrivilegeEscalation"] is False
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["automountServiceAccountToken"] is False
    assert spec["volumes"][0]["persistentVolumeClaim"]["claimName"] == "course"
    assert spec["containers"][0]["volumeMounts"][0] == {"name": "course", "mountPath": "/course"}


def test_a_driver_may_do_no_more_than_it_needs() -> None:
    yaml = pytest.importorskip("yaml", reason="no kubernetes client here: pip install cu2grad[cluster]")
    account, role, binding = yaml.safe_load_all((SAMPLES / "rights.yaml").read_text())
    driver = yaml.safe_load((SAMPLES / "driver.yaml").read_text())
    assert role["rules"] == [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["create", "get", "list", "delete"]}
    ]
    name, namespace = account["metadata"]["name"], account["metadata"]["namespace"]
    assert driver["spec"]["template"]["spec"]["serviceAccountName"] == name
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": name, "namespace": namespace}]
    assert {each["metadata"]["namespace"] for each in (account, role, binding, driver)} == {namespace}
    assert f'namespace = "{namespace}"' in (SAMPLES / "kubernetes.toml").read_text()


class Api:
    """Remembers what is created; answers from `phases`, and 404 for what is not in there."""

    def __init__(self) -> None:
        self.created: dict[str, dict[str, Any]] = {}
        self.phases: dict[str, str] = {}

    def create_namespaced_pod(self, namespace: str, body: dict[str, Any]) -> None:
        name = body["metadata"]["name"]
        self.created[name] = body
        self.phases[name] = "Running"

    def read_namespaced_pod(self, name: str, namespace: str) -> SimpleNamespace:
        from kubernetes.client.exceptions import ApiException

        if name not in self.phases:
            raise ApiException(status=404)
        return SimpleNamespace(status=SimpleNamespace(phase=self.phases[name]))


def test_a_pod_that_vanished_is_missed(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("parsl", reason="no parsl here: pip install cu2grad[cluster]")
    kubernetes = pytest.importorskip(
        "kubernetes", reason="no kubernetes client here: pip install cu2grad[cluster]"
    )
    from parsl.jobs.states import JobState

    from grader.instruct.cluster.kubernetes import pod_provider

    api = Api()
    monkeypatch.setattr(kubernetes.config, "load_kube_config", lambda: None)
    monkeypatch.setattr(kubernetes.client, "CoreV1Api", lambda: api)
    assert cluster.gpu is not None
    provider = pod_provider(cluster, cluster.gpu, True, worker_init="export A=1", init_blocks=2)
    blocks = [provider.submit("start workers", 1, "gpu") for _ in range(2)]
    first, second = api.created
    assert api.created[first]["spec"]["hostUsers"] is False
    script = api.created[first]["spec"]["containers"][0]["command"][-1]
    assert script.split() == ["export", "A=1", "start", "workers"]
    assert provider.status_polling_interval == 10

    del api.phases[first]  # its node was taken away
    api.phases[second] = "Failed"
    states = [status.state for status in provider.status(blocks)]
    assert states == [JobState.MISSING, JobState.FAILED]


def test_without_a_cluster_the_command_says_so(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("parsl", reason="no parsl here: pip install cu2grad[cluster]")
    pytest.importorskip("kubernetes", reason="no kubernetes client here: pip install cu2grad[cluster]")
    from grader.instruct.cluster.kubernetes import pod_provider
    from grader.support.errors import UsageError

    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    with pytest.raises(UsageError, match="No Kubernetes cluster is known here"):
        pod_provider(cluster, cluster.cpu, False)
