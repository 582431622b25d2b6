"""A class through `grader class grade`: gradings a minute; with ``--kill``, whether kills lose anything.

Every hand-in is another one: each of its files carries a comment of its own, so that nothing but what the
course hands out is found in the cache. Of ten students six are right, two have one of the planted mistakes,
one has left the stub and one does not build. What any machine builds once (precompiled headers, the simulated
device) is there: an untimed class of one goes before.

``--kill`` grades a class undisturbed, then again with the same seeds while the driver is killed ten times
with SIGKILL at random moments, and compares everything but times.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import secrets
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import record

from grader.course.catalog import Catalog, Exercise
from grader.course.mutants import load_mutants
from grader.course.stubs import stub_text, without_markers
from grader.instruct.results import Record, ResultStore

KILLS = 10


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--exercises", nargs="+", default=["00", "03", "06"])
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--backend", default="simt")
    parser.add_argument("--kill", action="store_true", help="kill the driver instead of timing it")
    options = parser.parse_args()
    catalog = Catalog.open(record.REPOSITORY)
    exercises = [catalog.find(name) for name in options.exercises]
    with tempfile.TemporaryDirectory(prefix="cu2grad-class-") as folder:
        root = Path(folder)
        hand_in(exercises, root / "submitted", options.students, options.backend)
        title, text = (kill if options.kill else measure)(root, exercises, options)
    record.report(title, text, options.record)


# ---- a class -------------------------------------------------------------------------------------------


def hand_in(
    exercises: Sequence[Exercise], into: Path, students: int, backend: str, kinds: int | None = None
) -> None:
    """Write STUDENT/EXERCISE/ for everybody; with ``kinds``, as many students hand in the same once more."""
    nonce = secrets.token_hex(4)
    for exercise in exercises:
        for number in range(students):
            for name, text in files_of(exercise, number % (kinds or students), backend).items():
                path = into / f"s{number:04}" / exercise.slug / name
                path.parent.mkdir(parents=True, exist_ok=True)
                mark = "//" if Path(name).suffix in (".cu", ".cpp", ".h") else "#"
                path.write_text(f"{text}\n{mark} {nonce} {number}\n")


def files_of(exercise: Exercise, number: int, backend: str) -> dict[str, str]:
    """What student ``number`` hands in: by its last digit right, wrong, untouched or broken."""
    solved = {
        name: without_markers((exercise.solution_dir / name).read_text(encoding="utf-8"))
        for name in exercise.edit
    }
    match number % 10:
        case 3 | 6:
            mutants = [
                each for each in load_mutants(exercise) if backend in each.backends and each.devices == 1
            ]
            mutant = mutants[number // 10 % len(mutants)]
            with tempfile.TemporaryDirectory() as folder:
                mutant.write(Path(folder))
                return {
                    name: without_markers((Path(folder) / name).read_text(encoding="utf-8"))
                    for name in solved
                }
        case 8:
            return {name: stub_text(exercise, name) for name in solved}
        case 9:
            source = next(name for name in solved if name.endswith(".cu"))
            return solved | {source: solved[source].replace(";", "", 1)}
        case _:
            return solved


def command(root: Path, results: Path, options: argparse.Namespace) -> list[str]:
    """The command, for a class of its own whose hand-ins are in ``root``."""
    folder = results.with_name(f"{results.name}-class")
    folder.mkdir(exist_ok=True)
    results.mkdir(exist_ok=True)
    for name, place in (("submitted", root), ("results", results)):
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(place.resolve())
    slugs = sorted({each.name for student in root.iterdir() for each in student.iterdir()})
    (folder / "course.toml").write_text(
        f'title = "Made up"\nbackend = "{options.backend}"\n'
        + "".join(f"[assignments.{slug}]\n" for slug in slugs)
    )
    line = [sys.executable, "-m", "grader", "class", "grade", "--class", str(folder), "--plain"]
    line += ["--course", str(record.REPOSITORY)]
    return [*line, "--jobs", str(options.jobs)] if options.jobs else line


def grade(root: Path, results: Path, options: argparse.Namespace) -> float:
    """Grade everything below `root`; wall-clock seconds, from the start of the command to its end."""
    begun = time.perf_counter()
    done = subprocess.run(
        command(root, results, options), cwd=record.REPOSITORY, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"the batch ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return time.perf_counter() - begun


# ---- how many a minute ---------------------------------------------------------------------------------


def measure(root: Path, exercises: Sequence[Exercise], options: argparse.Namespace) -> tuple[str, str]:
    hand_in(exercises, root / "warm", 1, options.backend)
    grade(root / "warm", root / "warm-results", options)
    load = os.getloadavg()[0]
    seconds = grade(root / "submitted", root / "results", options)
    records = list(ResultStore(root / "results").all())
    again = grade(root / "submitted", root / "results", options)
    by_exercise: dict[str, list[Record]] = defaultdict(list)
    for each in records:
        by_exercise[each.key.exercise].append(each)
    rows = [
        [
            slug,
            len(group),
            f"{statistics.mean(each.verdict.seconds for each in group):.2f} s",
            _endings(group),
        ]
        for slug, group in sorted(by_exercise.items())
    ]
    overall = [
        ["hand-ins", len(records)],
        ["lanes", options.jobs or "default: one for each processor"],
        ["load of the machine before (1 min)", f"{load:.1f}"],
        ["wall clock, start and summary included", f"{seconds:.0f} s"],
        ["gradings a minute", f"{60 * len(records) / seconds:.0f}"],
        ["the same command again: nothing to grade", f"{again:.1f} s"],
    ]
    tables = (
        record.table(["a class", options.backend], overall),
        record.table(["exercise", "hand-ins", "mean time in its lane", "how they ended"], rows),
    )
    return "Grading a class", "\n\n".join(tables)


def _endings(group: Sequence[Record]) -> str:
    counts = Counter(each.verdict.status.value for each in group)
    return ", ".join(f"{count} {status}" for status, count in counts.most_common())


# ---- kill -9 -------------------------------------------------------------------------------------------


def kill(root: Path, exercises: Sequence[Exercise], options: argparse.Namespace) -> tuple[str, str]:
    undisturbed, killed = root / "undisturbed", root / "killed"
    grade(root / "submitted", undisturbed, options)
    killed.mkdir()
    shutil.copy(undisturbed / "secret", killed)
    points = random.Random(secrets.randbits(32))
    rows = []
    total = _kept(undisturbed)
    for number in range(KILLS):
        driver = subprocess.Popen(
            command(root / "submitted", killed, options), cwd=record.REPOSITORY, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        before = _kept(killed)
        wanted = before + points.randint(0, (total - before) // (KILLS + 1 - number))
        begun = time.perf_counter()
        while _kept(killed) < wanted and driver.poll() is None:
            time.sleep(0.01)
        time.sleep(points.uniform(0.0, 2.0))  # anywhere in a grading, or in the start of the driver
        ended = driver.poll() is not None
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        after = f"{time.perf_counter() - begun:.1f} s"
        rows.append([number + 1, after + (" (it had ended)" if ended else ""), _kept(killed)])
    grade(root / "submitted", killed, options)
    return "Kills of the driver", "\n\n".join(
        (record.table(["kill", "after", "records then"], rows), _compared(undisturbed, killed))
    )


def _kept(results: Path) -> int:
    return sum(1 for _ in (results / "records").glob("*.json"))


def _compared(undisturbed: Path, killed: Path) -> str:
    """Lost, duplicated and wrong gradings."""
    wanted = {each.key.name: _lasting(each) for each in ResultStore(undisturbed).all()}
    found = {each.key.name: _lasting(each) for each in ResultStore(killed).all()}
    logged = Counter(entry.record for entry in ResultStore(killed).log.entries())
    rows = [
        ["records wanted", len(wanted)],
        ["lost: no record, or none in the log", len([n for n in wanted if n not in found or not logged[n]])],
        ["duplicated: twice in the log, or a surplus record",
         sum(count > 1 for count in logged.values()) + len(found.keys() - wanted.keys())],
        ["wrong: another verdict than undisturbed", sum(found[n] != wanted[n] for n in wanted if n in found)],
    ]  # fmt: skip
    return record.table(["after the last run", ""], rows)


def _lasting(kept: Record) -> Any:
    """A verdict without what differs from run to run: times, and the sentence of the build, which has one."""
    document = json.loads(kept.verdict.to_json())
    del document["seconds"]
    for check in document["checks"]:
        del check["seconds"]
        if check["name"] == "build" and check["status"] == "pass":
            del check["sentence"]
    return document


if __name__ == "__main__":
    main()
