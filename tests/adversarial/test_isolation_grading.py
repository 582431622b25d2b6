"""Gradings of strangers' code, one after another in one lane: whatever one does, the next verdict is right.

The audit would refuse most of these by reading them. It is switched off here, since no reading is complete.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.checks import build as building
from grader.checks import grade
from grader.checks.lanes import open_lane
from grader.course import workspace
from grader.course.catalog import Catalog, Exercise
from grader.run import Limits, Zygote
from grader.verdict import Status, Verdict
from tests.adversarial.lane import TOOLS, isolated, reusable
from tests.conftest import TOY_COURSE

pytestmark = [isolated, reusable]
LIMITS = Limits(seconds=5.0, load_seconds=10.0, memory_bytes=2 * 2**30, printed_bytes=2**20)
ATTACKS = {
    "crashes": ("ctypes.string_at(0)", Status.BUILD_ERROR, Status.CRASH),
    "claims to have ended well": ("os._exit(0)", Status.CRASH),
    "never ends": ("while True: pass", Status.TIMEOUT),
    "floods": ("while True: os.write(1, bytes(65536))", Status.CRASH),
    "takes all memory": ("kept = [bytearray(2**28) for _ in range(64)]", Status.BUILD_ERROR),
    "ends the zygote": ("os.kill(zygote, 9)", Status.BUILD_ERROR),
    "starves whoever comes next": (
        "resource.prlimit(zygote, resource.RLIMIT_DATA, (2**20, 2**20))", Status.BUILD_ERROR
    ),
    "multiplies": ("while True: os.fork()", Status.BUILD_ERROR),
    "reads its neighbour": ("open('../../honest/00_negate/op.py').read()", Status.BUILD_ERROR),
}  # fmt: skip


class Class:
    """A lane of the toy course's first exercise."""

    def __init__(self, exercise: Exercise, zygote: Zygote, spool: Path) -> None:
        self.exercise = exercise
        self.zygote = zygote
        self.spool = spool

    def grade(self, student: str, before: str = "") -> Verdict:
        """The solution, with these lines before op.py's own."""
        folder = self.spool / student / self.exercise.slug
        folder.mkdir(parents=True, exist_ok=True)
        for name in (*self.exercise.edit, *self.exercise.given):
            source = self.exercise.solution_dir / name
            text = workspace.without_markers(
                (source if source.exists() else self.exercise.root / name).read_text()
            )
            (folder / name).write_text(before + "\n" + text if name == "op.py" else text)
        return grade(
            self.exercise, folder, backend="simt", isolate=True, owner="test", seed=1, zygote=self.zygote
        )


@pytest.fixture(scope="module")
def lane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    place = tmp_path_factory.mktemp("lane")
    course, spool = place / "course", place / "spool"
    shutil.copytree(TOY_COURSE, course, ignore=shutil.ignore_patterns(".cu2grad", "__pycache__"))
    spool.mkdir()
    exercise = Catalog.open(course).find("00")
    with open_lane("simt", spool, [exercise], limits=LIMITS) as zygote:
        yield Class(exercise, zygote, spool)


@pytest.fixture(autouse=True)
def no_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "audit_sources", lambda *_: None)
    monkeypatch.setattr(building, "audit_python", lambda *_: None)


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_next_is_graded_right(lane: Class, attack: str) -> None:
    line, *statuses = ATTACKS[attack]
    process = lane.zygote.pid
    verdict = lane.grade("attacker", f"{TOOLS}\n{line}")
    assert verdict.checks[0].status in statuses, verdict.checks[0].sentence
    assert sum(check.points for check in verdict.checks) == 0
    honest = lane.grade("honest")
    assert {check.status for check in honest.checks} == {Status.PASS}
    assert lane.zygote.pid == process


def test_what_belongs_to_the_exercise_is_there_and_not_for_learners(lane: Class) -> None:
    """Programs that an exercise asks questions about run in a worker of their own."""
    spec = lane.exercise.root / "spec.py"
    with lane.zygote.spawn_worker() as session:
        session.load(None, spec, lane.exercise.root)
    verdict = lane.grade("attacker", f"open({str(spec)!r})")
    assert verdict.checks[0].status is Status.BUILD_ERROR
    assert "PermissionError" in verdict.checks[0].sentence


def test_a_lane_leaves_nothing_behind(lane: Class) -> None:
    lane.grade("honest")
    assert sorted(path.name for path in lane.spool.iterdir()) == ["attacker", "honest"]
    children = [path for path in Path("/sys/fs/cgroup").rglob(f"cu2grad-{os.getpid()}-*") if path.is_dir()]
    assert len({path.name for path in children}) <= 1


def test_a_verdict_of_a_lane_is_that_of_any_grading(lane: Class, tmp_path: Path) -> None:
    in_lane = lane.grade("honest")
    folder = lane.spool / "honest" / lane.exercise.slug
    link = tmp_path / "link"
    link.symlink_to(folder)
    linked = grade(
        lane.exercise, link, backend="simt", isolate=True, owner="test", seed=1, zygote=lane.zygote
    )
    assert linked.digest == in_lane.digest
    assert linked.status is Status.PASS
    alone = grade(lane.exercise, folder, backend="simt", owner="test", seed=1)
    assert [(c.name, c.status, c.points) for c in in_lane.checks] == [
        (c.name, c.status, c.points) for c in alone.checks
    ]


def test_a_lane_refuses_what_it_cannot_see(lane: Class, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not below the spool"):
        grade(lane.exercise, tmp_path, backend="simt", isolate=True, zygote=lane.zygote)
    with pytest.raises(ValueError, match="was asked for another"):
        grade(lane.exercise, lane.spool / "x", backend="simt", isolate=False, zygote=lane.zygote)
