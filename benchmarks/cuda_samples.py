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
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.checkouts import commit_of, run_limited
from benchmarks.judged_programs import BUILD_LIMIT, LIMITS, Built, Result, Rules, judged
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


def build(source: Path, runs: tuple[str, ...], scratch: Path, within: tuple[str, ...]) -> Built:
    """Configure and build the sample in `source`; each of its programs runs with each of `runs`."""
    (folder := scratch / source.name).mkdir()
    # CMake writes down which nvcc it found: the one of the simulated toolkit.
    command = shlex.join(["cmake", "-S", str(source), "-B", "."]) + " && cmake --build ."
    ended = run_limited([*within, "bash", "-c", command], folder, BUILD_LIMIT)
    names = dict.fromkeys(_PROGRAM.findall((source / "CMakeLists.txt").read_text()))
    programs = [name for name in names if (folder / name).is_file()]
    lines = tuple(f"./{program} {arguments}" for program in programs for arguments in runs)
    return Built(folder, ended, lines, runs if any(runs) else ())


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
        f"The samples of {len(_FOLDERS)} folders, without {len(left_out)} that need more than CUDA (last "
        f"table); cuda-samples at {commit_of(checkout)}. {LIMITS}"
    )

    def one(name: str, scratch: Path) -> Result:
        runs = runs_of(name, own, known)

        def build_it(folder: Path, within: tuple[str, ...]) -> Built:
            return build(folders[name], runs, folder, within)

        return judged(name, build_it, RULES, scratch, options.keep, options.patience)

    end = record.table(("left out", "because it"), sorted(left_out.items()))
    run_and_record(one, chosen, known, options, "NVIDIA's cuda-samples on the simulated GPU", how, end)


if __name__ == "__main__":
    main()
