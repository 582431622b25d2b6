"""Grades without a compiler, interrupted at each of their steps: ``python -m tests.unit.interrupted_grades``.

A class of two and a learner's own check, with everything that lasts being real: the build cache, scratch
folders, records, log, progress. Prints what was found wrong, one line each, and how many steps there were.
Without torch, so that processes can be forked.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cusimt.support import cache, scratch
from cusimt.support.locks import hold
from grader.course import progress
from grader.course.catalog import Catalog, Exercise
from grader.course.snapshot import taken
from grader.instruct.batch import Ended, Item, items_of, run_batch
from grader.instruct.batch.grading import grade_one
from grader.instruct.results import ResultStore
from grader.instruct.submissions import read_submissions
from grader.support.backends import Backend
from grader.verdict import CheckResult, Status, Verdict
from tests.unit.fake_batch import hand_in
from tests.unit.interrupting import OWN_FAULT, in_child

COURSE = Path(__file__).resolve().parents[1] / "toy_course"


class Silent:
    """A watch of a batch that says nothing."""

    def begin(self, left: Sequence[Item], found: int, same: int = 0) -> None:
        pass

    def ended(self, ended: Ended) -> None:
        pass


def judge(
    exercise: Exercise, files: Path, *, backend: Backend, seed: int | None, isolate: bool, owner: str
) -> Verdict:
    """A verdict on what the build cache has for these files, which is built where it is missing."""
    source = (files / exercise.edit[0]).read_bytes()
    with cache.entry([source.hex()], room="libraries") as slot, scratch.scratch("build") as folder:
        if slot.missing:
            (folder / "object").write_bytes(source)
            (slot.folder / "library").write_bytes((folder / "object").read_bytes())
    sentence = f"{len((slot.path / 'library').read_bytes())} bytes, {cache.digest([source.hex()])}"
    check = CheckResult("correctness", Status.FAIL, sentence, 10.0, 40.0)
    return Verdict(exercise.slug, exercise.title, backend, seed or 0, (check,), f"exercises/{exercise.slug}")


class World:
    """A course, a class and a cache in a folder; the same secret in every copy."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.catalog = Catalog.open(root / "course")
        self.exercise = self.catalog.exercises[0]

    @classmethod
    def made(cls, root: Path) -> World:
        shutil.copytree(COURSE, root / "course", ignore=shutil.ignore_patterns(".cu2grad", "__pycache__"))
        (root / "temporary").mkdir()
        world = cls(root)
        hand_in(world.catalog, root / "submitted", ["ada", "eve"])
        for student in ("ada", "eve"):
            shutil.rmtree(root / "submitted" / student / world.catalog.exercises[1].slug)
        ResultStore(root / "results").secret.pseudonym("ada")
        passed = progress.Result(True, "pass", 40.0, "simt", world.exercise.version, 40.0)
        progress.store_verdict(world.exercise, '{"earlier": true}', passed)
        return world

    def copy(self, to: Path) -> World:
        shutil.copytree(self.root, to)
        return World(to)

    def enter(self) -> None:
        os.environ["CUSIMT_CACHE"] = str(self.root / "cache")
        tempfile.tempdir = str(self.root / "temporary")

    def grade(self) -> None:
        """The class, then the learner's own files."""
        self.enter()
        store = ResultStore(self.root / "results")
        submissions = read_submissions(self.root / "submitted", self.catalog)
        outcome = run_batch(
            items_of(submissions, self.catalog, lambda _: "simt"), store, self._work(store), Silent()
        )
        if outcome.failed:
            raise OSError(28, "; ".join(outcome.failed.values()))
        with taken(self.exercise, self.exercise.root) as files:
            verdict = judge(self.exercise, files, backend="simt", seed=1, isolate=False, owner="")
        result = progress.Result(False, "fail", 10.0, "simt", self.exercise.version, 40.0)
        progress.store_verdict(self.exercise, verdict.to_json(), result)

    def _work(self, store: ResultStore) -> Any:
        def work(left: Sequence[Item]) -> Iterator[Ended]:
            for item in left:
                record = grade_one(
                    item.submission, item.exercise, store, backend="simt", isolate=False, judge=judge
                )
                yield Ended(item, record, 0.0)

        return work

    def found(self) -> dict[str, Any]:
        """What lasts, without times; and what is there that nobody needs."""
        self.enter()
        store = ResultStore(self.root / "results")
        records = {}
        for record in store.all():
            document = json.loads(record.verdict.to_json())
            records[record.key.name] = {"attempt": record.attempt, **document}
        kept = progress.load_record(self.exercise)
        path = progress.verdict_path(self.exercise)
        names = {each.relative_to(self.root).as_posix() for each in self.root.rglob("*") if each.is_file()}
        return {
            "records": records,
            "log": dict(Counter(entry.record for entry in store.log.entries())),
            "last": kept and kept.last.status,
            "best": kept and kept.best.status,
            "verdict": path and path.read_text(),
            "entries": sorted(path.name for path in (self.root / "cache" / "libraries").iterdir()),
            "files": {name for name in names if not self._is_free_lock(name)},
            "temporary": sorted(path.name for path in (self.root / "temporary").iterdir()),
        }

    def _is_free_lock(self, name: str) -> bool:
        """A lock is what is held; its file, if its holder was killed, goes with the next who needs it."""
        if "/locks/" not in name and not name.endswith(".lock"):
            return False
        with hold(self.root / name, wait=False):
            return True

    def lost(self, base: World) -> str:
        """What was kept before and is not there any more."""
        self.enter()
        kept = progress.load_record(self.exercise)
        if kept is None or kept.best.status != "pass":
            return "the earlier pass"
        same = (self.root / "results/secret").read_bytes() == (base.root / "results/secret").read_bytes()
        return "" if same else "the secret of the results"


def main(action: str, every: int) -> int:
    """Interrupt at every ``every``-th step; returns the number of things that were wrong."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        base = World.made(Path(folder, "base"))
        undisturbed = base.copy(Path(folder, "undisturbed"))
        code, steps, sentence = in_child(undisturbed.grade)
        assert code == 0, sentence
        wanted = undisturbed.found()
        for point in range(1, steps + 1, every):
            world = base.copy(Path(folder, "disturbed"))
            code, _, sentence = in_child(world.grade, point, action)
            problems += [f"step {point}: {each}" for each in _wrong(world, base, action, code, sentence)]
            code, _, sentence = in_child(world.grade)
            now = world.found()
            if code != 0:
                problems.append(f"step {point}: the next grade ended with {code}: {sentence}")
            problems += [f"step {point}: {each}" for each in _differences(now, wanted)]
            shutil.rmtree(world.root)
    print(*problems, sep="\n")
    print(f"{steps} steps")
    return len(problems)


def _differences(now: dict[str, Any], wanted: dict[str, Any]) -> Iterator[str]:
    for name, right in wanted.items():
        if name == "files":
            yield from (f"{file} is left" for file in sorted(now[name] - right))
            yield from (f"{file} is missing" for file in sorted(right - now[name]))
        elif now[name] != right:
            yield f"{name}: {now[name]} instead of {right}"


def _wrong(world: World, base: World, action: str, code: int, sentence: str) -> Iterator[str]:
    """What is wrong right after the interruption, before anything was run again."""
    if lost := world.lost(base):
        yield f"{lost} is lost"
    if action == "kill" and code != -signal.SIGKILL:
        yield f"it ended with {code} instead of being killed: {sentence}"
    if action == "full":
        if code not in (0, 2, 3):
            yield f"it ended with {code}: {sentence}"
        if code and "room" not in sentence and "No space left" not in sentence and "written" not in sentence:
            yield f"it does not say that the disk is full: {sentence}"


if __name__ == "__main__":
    assert OWN_FAULT not in (0, 2, 3)
    sys.exit(bool(main(sys.argv[1], int(sys.argv[2]))))
