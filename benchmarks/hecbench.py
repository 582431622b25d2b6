"""Programs of HeCBench on the simulated GPU: built by their own Makefiles, run to their own PASS, no finding.

    git clone https://github.com/zjin-lcf/HeCBench ~/HeCBench
    python -m benchmarks.hecbench ~/HeCBench --record hecbench

The candidates are the CUDA programs whose sources print PASS; a seed chooses among them. The checkout is
only read. Each program runs with the arguments in `hecbench.toml`, or else with those of its `make run`.

A program that takes too long in the checked build gets a second try with the same limits, in two parts: the
fast build has to print its PASS, and a sampled run of the checked build has to end without a finding. The
record names its build `fast` and says which share of the blocks of its kernels was checked. What exceeds the
limit there, too, runs once more in the fast build with the limit `--patience`, for its own PASS alone.

A column of its own says where a program came to its own PASS, whatever was found in it: a program with a true
finding has failed and may pass its own test. The rows that a run does not replace stay in the record: each
names the commit of the simulator that it comes from.
"""

from __future__ import annotations

import random
import shutil
import sys
import tomllib
from pathlib import Path

from benchmarks.checkouts import commit_of, run_limited
from benchmarks.judged_programs import BUILD_LIMIT, Built, Result, Rules, judged, limits
from benchmarks.program_records import arguments, run_and_record

_SOURCES = frozenset({".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp"})
_SUFFIX = "-cuda"
RULES = Rules()


def candidates(checkout: Path) -> list[str]:
    """The names of the CUDA programs that have a Makefile and judge their own result."""
    folders = (makefile.parent for makefile in checkout.glob(f"src/*{_SUFFIX}/Makefile"))
    return sorted(folder.name.removesuffix(_SUFFIX) for folder in folders if _prints_pass(folder))


def _prints_pass(folder: Path) -> bool:
    sources = (file for file in folder.rglob("*") if file.suffix in _SOURCES and file.is_file())
    return any("PASS" in source.read_text(errors="replace") for source in sources)


def run(
    name: str,
    checkout: Path,
    given: tuple[str, ...],
    scratch: Path,
    limit: float,
    kept: Path | None,
    patience: float = 0,
) -> Result:
    """Build and run the program `name` in `scratch`; its output goes into the folder `kept`, if there is one.

    `given` are the arguments of its runs; without any, those of its `make run`.
    """

    def build(folder: Path, within: tuple[str, ...]) -> Built:
        return _build(name, checkout, given, folder, within)

    return judged(name, build, RULES, scratch, limit, kept, patience)


def _build(
    name: str, checkout: Path, given: tuple[str, ...], scratch: Path, within: tuple[str, ...]
) -> Built:
    folder = _copy(name, checkout, scratch)
    built = run_limited([*within, "make"], folder, BUILD_LIMIT)
    if not built.succeeded:
        return Built(folder, built, runs=given)
    dry = run_limited(["make", "-n", "run"], folder, BUILD_LIMIT).output.splitlines()
    own = [line.split(maxsplit=1) for line in dry if line.startswith("./")]
    program = own[0][0] if own else "./main"
    runs = given or tuple(" ".join(words[1:]) for words in own)
    return Built(folder, built, tuple(f"{program} {each}" for each in runs), runs)


def _copy(name: str, checkout: Path, scratch: Path) -> Path:
    """The program's folder, with its neighbours where its Makefile and its arguments look for them."""
    folder = f"{name}{_SUFFIX}"
    for each in (checkout / "src").iterdir():
        if each.name != folder:
            (scratch / each.name).symlink_to(each)
    shutil.copytree(checkout / "src" / folder, scratch / folder)
    return scratch / folder


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    checkout = options.checkout.resolve()
    names = candidates(checkout)
    if len(names) < options.count:
        sys.exit(f"{options.checkout} has {len(names)} programs that print PASS, fewer than {options.count}")
    chosen = sorted(random.Random(options.seed).sample(names, options.count))
    known = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    how = (
        f"{options.count} of {len(names)} programs that print PASS, chosen with the seed {options.seed}; "
        f"HeCBench at {commit_of(checkout)}. {limits(options.limit)}"
    )

    def one(name: str, scratch: Path) -> Result:
        given = tuple(known.get(name, {}).get("runs", ()))
        return run(name, checkout, given, scratch, options.limit, options.keep, options.patience)

    run_and_record(one, chosen, known, options, "HeCBench on the simulated GPU", how)


if __name__ == "__main__":
    main()
