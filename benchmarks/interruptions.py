"""What a kill or a full disk does to `grader check`, at steps that are found and not listed.

An exercise of the toy course is checked undisturbed, which counts its steps. Then it is checked with another
comment, so that it is compiled, and interrupted at ``--points`` of these steps by each of five things; and
after each once more, undisturbed. Beside that, the grades without a compiler of
tests/unit/interrupted_grades.py are interrupted at each of their steps.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import record

from cusimt.support import cache
from grader.course.catalog import Catalog
from grader.course.progress import last_verdict, load_record
from grader.course.stubs import without_markers

ACTIONS = {
    "kill": "the grader is killed",
    "worker": "its workers are killed",
    "zygote": "its zygote is killed",
    "compiler": "its compilers are killed",
    "full": "the disk is full from there on",
}
SLUG = "00_negate"
_COMMAND = Path(__file__).resolve().parent / "interrupted_command.py"


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("--points", type=int, default=8, help="of each kind")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="cu2grad-interrupted-") as folder:
        course = Course(Path(folder))
        wanted, steps = course.undisturbed()
        for action, words in ACTIONS.items():
            found = Counter[str]()
            for number in range(options.points):
                point = 1 + (2 * number + 1) * steps // (2 * options.points)
                found.update(course.interrupted(action, point, wanted))
            rows.append([words, options.points, *(found[each] for each in ("same", "none", "wrong"))])
            rows[-1] += [found[each] for each in ("left", "lost", "wrong next")]
    header = ["interruption", "points", "same verdict", "none, with a sentence or killed", "another verdict",
              "left behind", "earlier pass lost", "another verdict next"]  # fmt: skip
    text = record.table(header, rows)
    record.report(
        "Interrupted checks", f"{steps} steps of a check.\n\n{text}\n\n{_without_compiler()}", options.record
    )


class Course:
    """A learner's course with a solved exercise, and a cache and a folder for temporary files of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.catalog = Catalog.open(shutil.copytree(record.REPOSITORY / "tests/toy_course", root / "course"))
        self.exercise = self.catalog.find(SLUG)
        self._number = 0
        for name in self.exercise.edit:
            text = (self.exercise.solution_dir / name).read_text()
            (self.exercise.root / name).write_text(without_markers(text))
        subprocess.run(["cp", "-al", str(cache.cache_root()), str(root / "cache")], check=False)
        os.environ["CUSIMT_CACHE"] = str(root / "cache")

    def undisturbed(self) -> tuple[dict[str, Any], int]:
        code, verdict, steps = self._check(0, "")
        if code != 0:
            sys.exit(f"the undisturbed check ended with {code}: {verdict}")
        return verdict, steps

    def interrupted(self, action: str, point: int, wanted: dict[str, Any]) -> Iterator[str]:
        kernel = self.exercise.root / self.exercise.edit[0]
        self._number += 1
        kernel.write_text(kernel.read_text() + f"// {self._number}\n")
        code, verdict, _ = self._check(point, action)
        print(f"{action} at {point}: {code}", file=sys.stderr)
        yield "same" if verdict == wanted else "none" if code in (3, -9) else "wrong"
        if not self._is_kept():
            yield "lost"
        code, verdict, _ = self._check(0, "")
        if verdict != wanted or code != 0:
            print(f"  then {code}: {verdict}", file=sys.stderr)
            yield "wrong next"
        for left in self._left():
            print(f"  left: {left}", file=sys.stderr)
            yield "left"

    def _check(self, point: int, action: str) -> tuple[int, dict[str, Any], int]:
        """The exit code, what lasts of the verdict, and the steps."""
        temporary, steps = self.root / "temporary", self.root / "steps"
        temporary.mkdir(exist_ok=True)
        steps.write_text("")
        command = [sys.executable, str(_COMMAND), str(point), action, str(steps), "check", SLUG, "--json"]
        command += ["--seed", "5", "--backend", "simt", "--course", str(self.catalog.course)]
        environment = {**os.environ, "TMPDIR": str(temporary)}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, cwd=self.root
        )
        try:
            verdict = _lasting(json.loads(done.stdout))
        except ValueError:
            verdict = {"said": done.stderr[-500:]}
        return done.returncode, verdict, int(steps.read_text() or 0)

    def _is_kept(self) -> bool:
        kept = load_record(self.exercise)
        return kept is not None and kept.best.passed and last_verdict(self.exercise) is not None

    def _left(self) -> list[str]:
        """Processes, temporary files and half entries of the cache, a moment after the last check."""
        for _ in range(50):
            left = [f"process {pid}" for pid in _with(f"TMPDIR={self.root / 'temporary'}")]
            left += [path.name for path in (self.root / "temporary").iterdir()]
            left += [path.name for path in (self.root / "cache").glob("*/*.building")]
            if not left:
                break
            time.sleep(0.1)
        return left


def _with(variable: str) -> Iterator[str]:
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdecimal() and variable.encode() in (place / "environ").read_bytes().split(b"\0"):
                yield place.name
        except OSError:
            pass


def _lasting(document: dict[str, Any]) -> dict[str, Any]:
    """A verdict without what differs from run to run: times, the digest, and the sentence of the build."""
    checks = [
        (each["name"], each["status"], each["points"], "" if each["name"] == "build" else each["sentence"])
        for each in document["checks"]
    ]
    return {"checks": checks}


def _without_compiler() -> str:
    rows = []
    for action in ("kill", "full"):
        command = [sys.executable, "-m", "tests.unit.interrupted_grades", action, "1"]
        done = subprocess.run(command, cwd=record.REPOSITORY, capture_output=True, text=True, check=False)
        *problems, steps = [line for line in done.stdout.splitlines() if line] or ["it did not run"]
        rows.append([ACTIONS[action], steps, len(problems)])
    return record.table(["grades without a compiler", "each of", "lost, doubled, wrong or left behind"], rows)


if __name__ == "__main__":
    main()
