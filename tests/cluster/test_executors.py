"""Each setting that some grade was once lost without, and each option that would undo one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.instruct.cluster import executors, read_cluster
from grader.instruct.cluster.settings import Cluster
from grader.support.errors import InfrastructureError, UsageError
from tests.cluster import fakes
from tests.cluster.test_settings import LOCAL, SLURM

pytest.importorskip("parsl", reason="no parsl here: pip install cu2grad[cluster]")

if TYPE_CHECKING:
    from parsl.config import Config

TWO_GPUS = LOCAL + f'[gpu]\nblocks = 2\nmodel = "{fakes.MODEL}"\n'


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An nvidia-smi with two GPUs, and a Slurm whose commands do nothing."""
    folder = fakes.write_nvidia_smi(tmp_path / "bin")
    (folder / "sacct").write_text("#!/bin/sh\nexit 1\n")
    (folder / "sacct").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def cluster_of(folder: Path, text: str) -> Cluster:
    path = folder / "cluster.toml"
    path.write_text(text)
    return read_cluster(path)


def configured(folder: Path, text: str, everything: int = 200, timed: int = 200) -> Config:
    return executors.configuration(
        cluster_of(folder, text), folder / "run", everything=everything, timed=timed
    )


def by_label(config: Config) -> dict[str, Any]:
    return {executor.label: executor for executor in config.executors}


def test_builds_run_side_by_side_and_a_gpu_has_one_worker(tmp_path: Path, programs: None) -> None:
    found = by_label(configured(tmp_path, SLURM))
    assert set(found) == {"cpu", "gpu"}
    assert (found["cpu"].max_workers_per_node, found["gpu"].max_workers_per_node) == (8, 1)
    assert (found["cpu"].provider.max_blocks, found["gpu"].provider.max_blocks) == (2, 4)


def test_a_block_with_one_gpu_keeps_the_one_that_slurm_chose(tmp_path: Path, programs: None) -> None:
    gpu = by_label(configured(tmp_path, SLURM))["gpu"]
    assert gpu.available_accelerators == []
    assert gpu.provider.gres == "gpu:1"
    assert "#SBATCH --gres=gpu:1" in gpu.provider.scheduler_options


def test_one_machine_hands_out_its_own_gpus_by_uuid(tmp_path: Path, programs: None) -> None:
    gpu = by_label(configured(tmp_path, TWO_GPUS))["gpu"]
    assert gpu.available_accelerators == list(fakes.UUIDS)
    assert (gpu.max_workers_per_node, gpu.provider.max_blocks) == (2, 1)
    with pytest.raises(InfrastructureError, match="asks for 3 GPUs, and this machine shows 2"):
        configured(tmp_path, TWO_GPUS.replace("blocks = 2", "blocks = 3"))


def test_what_keeps_grades_from_being_lost(tmp_path: Path, programs: None) -> None:
    from parsl.jobs.error_handlers import windowed_error_handler

    config = configured(tmp_path, SLURM)
    for executor in by_label(config).values():
        assert executor.block_error_handler is windowed_error_handler
        assert (executor.heartbeat_period, executor.heartbeat_threshold) == (2, 10)
        assert executor.prefetch_capacity == 0
        assert executor.encrypted
        assert executor.interchange_launch_cmd[:4] == ["setsid", "setpriv", "--pdeathsig", "KILL"]
        assert executor.provider.status_polling_interval == 10
        assert executor.provider.exclusive is False
        assert "--exclusive" not in executor.provider.scheduler_options
    drained = {label: executor.drain_period for label, executor in by_label(config).items()}
    assert drained == {"cpu": 4 * 3600 - 600, "gpu": 3600 - 600}  # ten minutes before a block's time is up


def test_losses_are_retried_and_errors_are_not(tmp_path: Path) -> None:
    from parsl.executors.high_throughput.errors import ManagerLost, WorkerLost

    lost = [WorkerLost(0, "node1"), ManagerLost(b"m", "node1")]
    assert [executors.cost_of_retry(each, None) for each in lost] == [1.0, 1.0]
    assert executors.cost_of_retry(ValueError("of the grader"), None) > executors.RETRIES


def test_no_more_blocks_than_there_is_work(tmp_path: Path, programs: None) -> None:
    found = by_label(configured(tmp_path, SLURM, everything=3, timed=3))
    assert (found["cpu"].provider.init_blocks, found["gpu"].provider.init_blocks) == (1, 3)


def test_what_is_timed_needs_a_gpu_table(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no \[gpu\] table, and 3 submissions"):
        configured(tmp_path, LOCAL, everything=5, timed=3)
    assert set(by_label(configured(tmp_path, LOCAL, timed=0))) == {"cpu"}


def test_machines_without_a_gpu_compile_for_the_one_that_is_named(tmp_path: Path) -> None:
    lines = executors.environment(cluster_of(tmp_path, 'setup = "module load cuda"\n' + SLURM))
    assert lines.splitlines()[0] == "module load cuda"
    assert "export TORCH_CUDA_ARCH_LIST=9.0" in lines.splitlines()


def test_without_setpriv_or_parsl_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError, match="setpriv"):
        executors.require_parsl()
    monkeypatch.setattr(executors.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install cu2grad\[cluster\]"):
        executors.require_parsl()


def test_parsl_is_imported_by_nobody_else() -> None:
    code = "import sys, grader.cli.grade_class; print('parsl' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
