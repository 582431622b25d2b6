"""What comes back from a cluster: answers, failures of machines, losses, and what nobody asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.course.catalog import Catalog
from grader.instruct.batch import Ended, Failed, Item, items_of
from grader.instruct.cluster import dispatch, items_on, read_cluster, remote_tasks
from grader.instruct.cluster.remote_tasks import RemoteTask, Terms
from grader.instruct.results import Record
from grader.support.errors import InfrastructureError
from grader.verdict import CheckResult, Status, Verdict
from tests.cluster import fakes
from tests.cluster.conftest import COURSE, HandedIn
from tests.cluster.test_settings import SLURM

Answering = Callable[[RemoteTask, int], Record | Failed]
RIGHT = CheckResult("correctness", Status.PASS, "Right.", 40.0, 40.0)
FAULT = CheckResult("build", Status.INFRA_ERROR, "There is no compiler.")


def record(item: Item, check: CheckResult) -> Record:
    return Record.now(item.key, Verdict(item.exercise.slug, "", item.backend, 1, (check,)))


@pytest.fixture
def items(handed_in: Callable[[int], HandedIn]) -> list[Item]:
    return items_of(handed_in(3).read(), Catalog.open(COURSE), lambda exercise: "cuda")


def sent(
    items: list[Item], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Callable[[Item, int], Any]
) -> tuple[list[Ended], list[str]]:
    """What is told of `items` when a cluster answers so, and in which order it was asked for what."""
    pytest.importorskip("parsl", reason="no parsl here: pip install cu2grad[cluster]")
    asked: list[str] = []
    by_student = {item.submission.student: item for item in items}

    def app(unit: Callable[..., Any], executor: str, kernel: object) -> Callable[..., Future[Any]]:
        def call(task: RemoteTask, built: Future[None] | None = None) -> Future[Any]:
            name = "build" if unit is remote_tasks.build else "grade"
            assert built is None or built.done()
            asked.append(f"{executor}:{name}:{task.submission.student}:{task.attempt}")
            future: Future[Any] = Future()
            try:
                future.set_result(answer(by_student[task.submission.student], task.attempt))
            except Exception as error:
                future.set_exception(error)
            return future

        return call

    monkeypatch.setattr(dispatch, "_app", app)
    kernel = SimpleNamespace(executors={"cpu": None, "gpu": None})
    sending = dispatch._Sending(kernel, Terms(COURSE, tmp_path / "results"))  # type: ignore[arg-type]
    return list(sending.all(items)), asked


def test_a_build_goes_to_a_core_before_the_grading_goes_to_a_gpu(
    items: list[Item], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, asked = sent(items[:1], tmp_path, monkeypatch, lambda item, attempt: record(item, RIGHT))
    assert asked == ["cpu:build:student000:1", "gpu:grade:student000:1"]
    assert [ended.answer for ended in told] == [told[0].answer]
    assert isinstance(told[0].answer, Record) and told[0].answer.verdict.earned == 40.0


def test_what_a_machine_failed_is_tried_three_times_and_built_once(
    items: list[Item], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(item: Item, attempt: int) -> Record:
        broken = item.submission.student == "student001" or attempt == 1
        return record(item, FAULT if broken else RIGHT)

    told, asked = sent(items[:2], tmp_path, monkeypatch, answer)
    statuses = {
        ended.item.submission.student: ended.answer.verdict.status
        for ended in told
        if isinstance(ended.answer, Record)
    }
    assert statuses == {"student000": Status.PASS, "student001": Status.INFRA_ERROR}
    assert [word for word in asked if "student000" in word] == [
        "cpu:build:student000:1", "gpu:grade:student000:1", "gpu:grade:student000:2"
    ]  # fmt: skip
    assert sum("grade:student001" in word for word in asked) == dispatch.TRIES


def test_what_the_cluster_lost_is_told_and_the_others_arrive(
    items: list[Item], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(item: Item, attempt: int) -> Record:
        if item.submission.student == "student001":
            raise RuntimeError("the block went away\nwith a long story")
        return record(item, RIGHT)

    told, _ = sent(items, tmp_path, monkeypatch, answer)
    lost = [ended.answer.sentence for ended in told if isinstance(ended.answer, Failed)]
    assert len(told) == 3
    assert lost == [
        "The cluster lost it (RuntimeError: the block went away). It does not count against the student; "
        "run the same command again."
    ]


def test_blocks_that_never_start_end_the_run_with_what_they_printed(
    items: list[Item], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsl_errors = pytest.importorskip(
        "parsl.executors.errors", reason="no parsl here: pip install cu2grad[cluster]"
    )
    jobs_errors = pytest.importorskip("parsl.jobs.errors")
    printed = "Error 1:\n\tEXIT CODE: 3\n\tSTDERR: no module cuda\nError 2:\n\tSTDERR: no module cuda\n"

    def answer(item: Item, attempt: int) -> Record:
        executor = SimpleNamespace(label="gpu")
        raise parsl_errors.BadStateException(executor, jobs_errors.TooManyJobFailuresError(printed))

    with pytest.raises(InfrastructureError) as ended:
        sent(items, tmp_path, monkeypatch, answer)
    assert ended.value.what == (
        "The last blocks failed, one after the other: EXIT CODE: 3 / STDERR: no module cuda"
    )
    assert "Correct cluster.toml" in ended.value.next


def test_a_record_of_another_grader_is_no_answer(
    items: list[Item], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(item: Item, attempt: int) -> Record:
        return record(replace(item, key=replace(item.key, grader="0.0.9:old")), RIGHT)

    told, _ = sent(items[:1], tmp_path, monkeypatch, answer)
    assert isinstance(told[0].answer, Failed)
    assert "grader differ" in told[0].answer.sentence


def test_keys_name_the_clusters_gpu_and_folders_are_absolute(
    items: list[Item], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(SLURM)
    monkeypatch.chdir(items[0].submission.folder.parent)
    relative = replace(items[0], submission=replace(items[0].submission, folder=Path("00_negate")))
    (moved,) = items_on([relative], read_cluster(path))
    assert moved.key == replace(items[0].key, device="NVIDIA H200")
    assert moved.submission.folder == items[0].submission.folder.resolve()
    (on_simt,) = items_on([replace(relative, backend="simt")], read_cluster(path))
    assert on_simt.key == items[0].key


@pytest.fixture
def two_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = fakes.write_nvidia_smi(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    yield


@pytest.mark.parametrize(
    ("visible", "model", "said"),
    [
        ("0", "NVIDIA H200", "has Fake Accelerator, and cluster.toml says model = 'NVIDIA H200'"),
        ("0,1", fakes.MODEL, "has Fake Accelerator, Fake Accelerator"),
        ("", fakes.MODEL, "has no GPU"),
    ],
)
def test_a_block_with_another_gpu_judges_nothing(
    items: list[Item],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    two_gpus: None,
    visible: str,
    model: str,
    said: str,
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    task = RemoteTask(Terms(COURSE, tmp_path / "results", device=model), items[0].submission, "cuda")
    answer = remote_tasks.grade(task)
    assert isinstance(answer, Failed)
    assert said in answer.sentence
    assert not (tmp_path / "results" / "records").exists()


def test_a_machine_that_fails_gives_others_time_to_take_its_work(
    items: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(remote_tasks.time, "sleep", waited.append)
    pauses = remote_tasks._Pauses()
    for check in (FAULT, FAULT, FAULT, RIGHT, FAULT):
        pauses.after(record(items[0], check))
    pauses.after(Failed("of the exercise"))
    pauses.after(record(items[0], FAULT))
    assert waited == [2.0, 4.0, 8.0, 2.0, 2.0]
