"""cluster.toml is read, or refused with the key and the rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.instruct.cluster import read_cluster
from grader.instruct.cluster.settings import KINDS
from grader.support.errors import UsageError

LOCAL = 'kind = "local"\n[cpu]\nworkers = 2\n'
SLURM = """\
kind = "slurm"
address = "10.0.0.1"
architectures = "9.0"
[cpu]
blocks = 2
workers = 8
walltime = "04:00:00"
[gpu]
blocks = 4
model = "NVIDIA H200"
partition = "gpu"
options = ["--account=cs101"]
"""
KUBERNETES = """\
kind = "kubernetes"
address = "10.0.0.1"
[cpu]
[gpu]
model = "NVIDIA H200"
[kubernetes]
image = "cu2grad:0.1"
claims = { course = "/course" }
"""


def read(folder: Path, text: str) -> object:
    path = folder / "cluster.toml"
    path.write_text(text)
    return read_cluster(path)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(SLURM)
    cluster = read_cluster(path)
    assert cluster.gpu is not None
    assert (cluster.kind, cluster.address, cluster.architectures) == ("slurm", "10.0.0.1", "9.0")
    assert (cluster.cpu.blocks, cluster.cpu.workers, cluster.cpu.seconds) == (2, 8, 4 * 3600)
    assert (cluster.gpu.blocks, cluster.gpu.workers, cluster.gpu.model) == (4, 1, "NVIDIA H200")
    assert cluster.gpu.options == ("--account=cs101",)
    assert cluster.lanes == 4


def test_without_a_gpu_the_cores_are_the_lanes(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(LOCAL)
    cluster = read_cluster(path)
    assert (cluster.gpu, cluster.lanes, cluster.address) == (None, 2, "127.0.0.1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('kind = "cloud"\n[cpu]\n', "local, slurm, kubernetes"),
        ('kind = "local"\n', "cpu is missing"),
        ('kind = "slurm"\n[cpu]\n', "address is missing"),
        (SLURM.replace("10.0.0.1", " "), "address is empty"),
        (SLURM.replace("10.0.0.1", "$NOT_THERE"), "no such variable"),
        (SLURM.replace("04:00:00", "4 hours"), "HH:MM:SS"),
        (SLURM.replace("04:00:00", "00:00:30"), "a minute at least"),
        (SLURM.replace("blocks = 4", "blocks = 0"), "asks for nothing"),
        (SLURM.replace('model = "NVIDIA H200"\n', ""), "gpu.model is missing"),
        (SLURM.replace("blocks = 4", "workers = 2"), "gpu.workers is not a known key"),
        (SLURM.replace("--account=cs101", "--gres=gpu:2"), "exactly one GPU"),
        (SLURM.replace("--account=cs101", "--exclusive"), "exactly one GPU"),
        (SLURM.replace("--account=cs101", "account=cs101"), "none of sbatch"),
        (SLURM.replace("--account=cs101", "--mem=1\\nrm"), "none of sbatch"),
        (LOCAL + "[kubernetes]\nimage = 'x'\n", "Only kind kubernetes"),
        (KUBERNETES.replace('{ course = "/course" }', "{}"), "PersistentVolumeClaim"),
        (KUBERNETES.replace('"/course"', '"course"'), "absolute folder"),
        (KUBERNETES.replace('image = "cu2grad:0.1"\n', ""), "image is missing"),
        ("kind = ", "cannot be read"),
    ],
)
def test_what_cannot_work_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        read(tmp_path, text)
    assert said in str(refused.value)
    assert "cluster.toml" in str(refused.value)
    assert "make sync" not in str(refused.value)


def test_a_file_that_is_not_there_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="grader class grade"):
        read_cluster(tmp_path / "cluster.toml")


SAMPLES = sorted((Path(__file__).resolve().parents[2] / "docs" / "samples" / "cluster").glob("*.toml"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_the_handbooks_files_are_read(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POD_IP", "10.1.2.3")
    cluster = read_cluster(sample)
    assert cluster.kind == sample.stem
    assert cluster.gpu is not None
    if cluster.kind == "kubernetes":
        assert cluster.address == "10.1.2.3"


def test_the_handbook_has_a_file_for_each_kind() -> None:
    assert {sample.stem for sample in SAMPLES} == set(KINDS)
