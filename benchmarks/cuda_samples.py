"""NVIDIA's cuda-samples on the simulated GPU: built by their own CMake files, run to success, no finding.

    git clone https://github.com/NVIDIA/cuda-samples ~/cuda-samples
    python -m benchmarks.cuda_samples ~/cuda-samples --record cuda_samples

The checkout is only read. Left out are samples that need more than CUDA: `cuda_samples.toml` has the rules,
and the record the reason of each. The others run where CMake builds them, with the arguments that the
checkout's own test_args.json gives, or those in the `.toml`. A sample passes if its exit status is 0 and it
prints no FAILED; with the status 2 it waives what the GPU lacks, which counts as unsupported.

A second try, limits and rows that stay are those of `benchmarks.hecbench`.
"""

from __future__ import annotations

import json
import re
import shlex
import tempfile
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.checkouts import Ended, commit_of, run_limited
from benchmarks.judged_programs import BUILD_LIMIT, Built, Result, Rules, judged, limits
from benchmarks.program_records import arguments, run_and_record

_FOLDERS = (
    "0_Introduction",
    "1_Utilities",
    "2_Concepts_and_Techniques",
    "3_CUDA_Features",
    "4_CUDA_Libraries",
    "5_Domain_Specific",
    "6_Performance",
)
_PROGRAM = re.compile(r"^\s*add_executable\(\s*([\w-]+)", re.MULTILINE)
_PROJECT = ("cmake_minimum_required(VERSION 3.20)", "project(samples LANGUAGES C CXX CUDA)")
_REFUSED = re.compile(
    r"^CMake Error at \S*?(\w+)/CMakeLists\.txt:\d+ \(.*\):\n+\s*(.*(?:\n {2}\S.*)*)", re.MULTILINE
)
RULES = Rules(passed=re.compile(""), failed=re.compile(r"\bFAIL(ED|URE)?\b"), missing="no program", waived=2)
Table = dict[str, Any]


def samples(checkout: Path) -> dict[str, Path]:
    """The folder of each sample that is built on its own."""
    folders = (checkout / "Samples" / folder for folder in _FOLDERS)
    files = (file for folder in folders for file in folder.glob("*/CMakeLists.txt"))
    return {file.parent.name: file.parent for file in sorted(files)}


def reason_to_exclude(folder: Path, rules: list[Table]) -> str:
    """Why the sample in `folder` is left out, or nothing."""
    text = (folder / "CMakeLists.txt").read_text()
    return next((rule["reason"] for rule in rules if re.search(rule["pattern"], text)), "")


def runs_of(name: str, own: Table, known: Table) -> tuple[str, ...]:
    """The arguments of each run: ours, or the checkout's own, or none."""
    if "runs" in known.get(name, {}):
        return tuple(known[name]["runs"])
    entry = own.get(name, {})
    return tuple(shlex.join(each.get("args", ())) for each in entry.get("runs", [entry]))


class Tree:
    """The samples in `sources`, configured once for a build: `refused` has CMake's reason against some.

    CMake writes down which nvcc it found: the one of the simulated toolkit.
    """

    def __init__(self, folder: Path, sources: dict[str, Path], within: tuple[str, ...]) -> None:
        self.folder, self.within = folder, within
        self.refused: dict[str, Ended] = {}
        folder.mkdir()
        while True:
            added = (
                f"add_subdirectory({source} {name})"
                for name, source in sources.items()
                if name not in self.refused
            )
            (folder / "CMakeLists.txt").write_text("\n".join([*_PROJECT, *added, ""]))
            ended = run_limited([*within, "cmake", "-S", ".", "-B", "."], folder, BUILD_LIMIT)
            wrong = _REFUSED.findall(ended.output)
            if ended.succeeded or not wrong:
                return
            self.refused.update(
                (name, replace(ended, output=f"CMake error: {' '.join(why.split())}")) for name, why in wrong
            )

    def build(self, source: Path, runs: tuple[str, ...]) -> Built:
        """Build the sample in `source`; each of its programs runs with each of `runs`."""
        built, names = self.folder / source.name, _programs(source)
        if source.name in self.refused:
            return Built(built, self.refused[source.name])
        command = [*self.within, "cmake", "--build", ".", "--target", *names]
        ended = run_limited(command, self.folder, BUILD_LIMIT)
        for folder in (source, source.parents[2], record.REPOSITORY):  # no path of this machine
            ended = replace(ended, output=ended.output.replace(f"{folder}/", ""))
        lines = tuple(f"./{program} {arguments}" for program in names for arguments in runs)
        return Built(built, ended, lines, runs if any(runs) else ())


class Trees:
    """A tree for each build, configured when a sample first asks for it."""

    def __init__(self, scratch: Path, sources: dict[str, Path]) -> None:
        self._scratch, self._sources = scratch, sources
        self._trees: dict[tuple[str, ...], Tree] = {}
        self._lock = threading.Lock()

    def of(self, within: tuple[str, ...]) -> Tree:
        """The tree of the build whose commands begin with `within`."""
        with self._lock:
            if within not in self._trees:
                folder = self._scratch / str(len(self._trees))
                self._trees[within] = Tree(folder, self._sources, within)
            return self._trees[within]


def _programs(source: Path) -> list[str]:
    return [*dict.fromkeys(_PROGRAM.findall((source / "CMakeLists.txt").read_text()))]


def _left_out(folders: dict[str, Path], rules: list[Table]) -> Iterator[tuple[str, str]]:
    for name, folder in folders.items():
        if reason := reason_to_exclude(folder, rules):
            yield name, reason


def main() -> None:
    options = arguments(__doc__).parse_args()
    checkout = options.checkout.resolve()
    known = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    own = json.loads((checkout / "test_args.json").read_text())
    folders = samples(checkout)
    left_out = dict(_left_out(folders, known.pop("excluded")))
    chosen = [name for name in folders if name not in left_out]
    how = (
        f"{len(chosen)} samples, without {len(left_out)} that need more than CUDA (last table); one without "
        f"a row has not run. cuda-samples at {commit_of(checkout)}. {limits(options.limit)}"
    )

    with tempfile.TemporaryDirectory(prefix="samples-") as scratch:
        trees = Trees(Path(scratch), {name: folders[name] for name in chosen})

        def one(name: str, scratch: Path) -> Result:
            runs = runs_of(name, own, known)

            def build(_: Path, within: tuple[str, ...]) -> Built:
                return trees.of(within).build(folders[name], runs)

            return judged(name, build, RULES, scratch, options.limit, options.keep, options.patience)

        end = record.table(("left out", "because it"), sorted(left_out.items()))
        run_and_record(one, chosen, known, options, "NVIDIA's cuda-samples on the simulated GPU", how, end)


if __name__ == "__main__":
    main()
