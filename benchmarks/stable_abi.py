"""A package in two C++ interfaces of torch, built by and run with several releases: what loads, at what cost.

Takes Pythons (or virtual environments) that have torch, what torch needs, setuptools and ninja. Each of them
builds the solutions of 23 (TORCH_LIBRARY) and 24 (stable ABI) on the simulated GPU. Each of them then loads
every library, calls its operator in float32 and float64, compares the values with torch's own, and times it.
Without a GPU; run it with the course's own Python:

    python benchmarks/stable_abi.py /path/to/torch-2.11 /path/to/torch-2.14 --record stable_abi_cpu

On a machine with a GPU, `--gpu` leaves the simulated one out, and `--built` names folders into which wheels
from another machine were unpacked, with the torch that built them:

    python benchmarks/stable_abi.py --gpu --built 2.14.1+cu130=FOLDER --record stable_abi_h200
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import record

from cusimt.support.demangling import demangled, qualified
from grader.support.elf import read_library
from grader.support.folders import python_path

PACKAGES = {"TORCH_LIBRARY (23)": "23_ahead_of_time", "stable ABI (24)": "24_stable_abi"}
CALLS, BATCHES = 1000, 60
RUN = f"""
import sys, time
sys.path.insert(0, sys.argv[1])
import torch
try:
    import fused_muladd
except BaseException as error:
    print("FAILED", type(error).__name__, error.__cause__ or error)
    sys.exit()
right = True
for dtype in (torch.float32, torch.float64):
    a, b, c = (torch.randn(1000, dtype=dtype, device="cuda") for _ in range(3))
    right &= torch.allclose(fused_muladd.muladd(a, b, c), a * b + c, rtol=1e-6, atol=1e-6)
try:
    fused_muladd.muladd(a, b.float(), c)
    refusal = ""
except RuntimeError as error:
    refusal = str(error)
right &= "b must be" in refusal
empty = [torch.empty(0, device="cuda") for _ in range(2)]
call = torch.ops.fused_muladd.multiply  # neither package registers a derivative of it
for _ in range(1000):
    call(*empty)
best = float("inf")
for _ in range({BATCHES}):
    start = time.process_time()
    for _ in range({CALLS}):
        call(*empty)
    best = min(best, time.process_time() - start)
print("RIGHT" if right else "WRONG", round(best / {CALLS} * 1e9))
"""
VERSION = "import torch; print(torch.__version__)"


@dataclass(frozen=True)
class Built:
    """A library: which package, by which torch, and the folder that it was built into."""

    package: str
    torch: str
    folder: Path


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("pythons", type=Path, nargs="*", help="Pythons with other releases of torch")
    parser.add_argument("--gpu", action="store_true", help="a real GPU instead of the simulated one")
    parser.add_argument("--built", action="append", default=[], metavar="TORCH=FOLDER")
    options = parser.parse_args()
    device = [] if options.gpu else ["-m", "cusimt"]
    others = (path / "bin/python" if path.is_dir() else path for path in options.pythons)
    pythons = [Path(sys.executable), *others]
    releases = {python: output([str(python)], ["-c", VERSION]).split()[-1] for python in pythons}
    rows, costs, symbols = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        for number, python in enumerate(pythons):
            for package, slug in PACKAGES.items():
                folder = Path(scratch) / f"{number}_{slug}"
                built = build([str(python), *device], package, slug, releases[python], folder)
                results = [run([str(other), *device], built) for other in pythons]
                rows.append((package, f"torch {built.torch}", *(said for said, _ in results)))
                if number == 0:
                    costs.append((package, *(f"{cost} ns" if cost else "–" for _, cost in results)))
                    symbols.append((package, *undefined(built)))
        for text in options.built:
            release, _, name = text.partition("=")
            built = Built(_package_of(Path(name)), release, Path(name).resolve())
            results = [run([str(other), *device], built) for other in pythons]
            rows.append((built.package, f"torch {release}, elsewhere", *(said for said, _ in results)))
    header = ("package", "built by", *(f"run with {release}" for release in releases.values()))
    text = "\n\n".join(
        (
            "What happened when each library was loaded and called:",
            record.table(header, rows),
            f"Undefined symbols of the libraries that torch {releases[pythons[0]]} built:",
            record.table(("package", *GROUPS, "CPython", "NEEDED libraries of torch"), symbols),
            "Processor time of one `multiply` of two empty tensors, which launches nothing (least "
            f"of {BATCHES} times {CALLS:,} calls, {'a real GPU' if options.gpu else 'simulated device'}):",
            record.table(("package", *(f"torch {release}" for release in releases.values())), costs),
        )
    )
    record.report("One package, several torch", text, options.record)


GROUPS = ("C++ of `at`", "C++ of `c10`", "C++ of `torch`", "C functions of torch")


def build(python: Sequence[str], package: str, slug: str, release: str, folder: Path) -> Built:
    shutil.copytree(record.REPOSITORY / "solutions" / slug, folder)
    output(python, ["setup.py", "build_ext", "--inplace"], folder)
    return Built(package, release, folder)


def _package_of(folder: Path) -> str:
    stable = any((folder / "fused_muladd").glob("*.abi3.so"))
    return next(name for name in PACKAGES if name.startswith("stable") is stable)


def run(python: Sequence[str], built: Built) -> tuple[str, int]:
    """What happened, in a few words, and the nanoseconds of a call; 0 where there was none."""
    program = built.folder / "run_it.py"
    program.write_text(RUN)
    command = [*python, str(program), str(built.folder)]
    done = subprocess.run(
        command, env=environment(), cwd=built.folder.parent, capture_output=True, text=True, check=False
    )
    said = ("RIGHT", "WRONG", "FAILED")
    line = next((each for each in done.stdout.splitlines() if each.startswith(said)), "")
    print(built, python, done.returncode, line or done.stderr[-500:], sep="\n  ", flush=True)
    if line.startswith(("RIGHT", "WRONG")):
        verdict, cost = line.split()
        return ("runs, right" if verdict == "RIGHT" else "runs, **wrong**"), int(cost)
    if undefined_one := re.search(r"undefined symbol: (\w+)", line):
        return f"undefined symbol: `{qualified(demangled([undefined_one[1]])[0])}`", 0
    if missing := re.search(r"(\S+\.so[.\d]*): cannot open shared object file", line):
        return f"cannot open `{missing[1]}`", 0
    if line:
        return line.removeprefix("FAILED ")[:120], 0
    return f"signal {-done.returncode}" if done.returncode < 0 else f"exit status {done.returncode}", 0


def undefined(built: Built) -> list[object]:
    """How many undefined symbols are in GROUPS and CPython's, and the libraries of torch that it needs."""
    (path,) = (built.folder / "fused_muladd").glob("*.so")
    library = read_library(path)
    names = [each.name for each in library.symbols if not each.defined and each.name]
    kinds = Counter(kind(name, text) for name, text in zip(names, demangled(names), strict=True))
    needed = [name for name in library.needed if name.startswith(("libtorch", "libc10"))]
    return [*(kinds[group] for group in (*GROUPS, "CPython")), ", ".join(needed)]


def kind(name: str, text: str) -> str:
    root = qualified(text).partition("::")[0]
    if "::" in text and root in ("at", "c10", "torch"):
        return f"C++ of `{root}`"
    if re.fullmatch(r"(aoti_)?torch_\w+", name):
        return GROUPS[-1]
    return "CPython" if re.fullmatch(r"_?Py[A-Z_]\w*", name) else "other"


def output(python: Sequence[str], arguments: Sequence[str], folder: Path | None = None) -> str:
    done = subprocess.run(
        [*python, *arguments], env=environment(), cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(python)} {' '.join(arguments)}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": python_path(), "MAX_JOBS": "2"}


if __name__ == "__main__":
    main()
