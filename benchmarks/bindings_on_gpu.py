"""docs/samples/bindings on this GPU: does each build, how long does that take, is it right, what is a call?

The seven samples are copied out of the repository and run unmodified, as plain PyTorch. They are compiled at
the same time, then run and timed one after the other.
"""

from __future__ import annotations

import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import record

SAMPLES = record.REPOSITORY / "docs" / "samples" / "bindings"
TIMER = Path(__file__).parent / "binding_styles" / "time_calls.py"
WAYS = {
    "pybind11": "pybind11 alone",
    "load": "load()",
    "load_inline": "load_inline()",
    "cuda_extension": "CUDAExtension",
    "torch_library": "TORCH_LIBRARY",
    "custom_op": "custom_op",
    "stable_abi": "stable ABI",
}
# load() asks for no optimisation of the host's code; setuptools does, with the flags of Python's own build.
OPTIMISED, ASKED = "load-optimised", 'extra_cflags=["-O2"]'
NAMES = {**WAYS, OPTIMISED: f"load(), {ASKED}"}
RUN = "python run.py"


@dataclass
class Sample:
    """One way: its copy, and the environment in which nothing of it has been built or cached."""

    way: str
    folder: Path
    environment: dict[str, str]

    def shell(self, script: str) -> tuple[float, subprocess.CompletedProcess[str]]:
        """Run `script` in the copy: the seconds that it took, and what it printed."""
        began = time.perf_counter()
        done = subprocess.run(
            ["sh", "-e", "-c", script], cwd=self.folder, env=self.environment, capture_output=True, text=True
        )
        return time.perf_counter() - began, done

    def build(self) -> tuple[float, bool]:
        """Seconds of the first build, and whether it succeeded.

        A program that builds when it is imported is imported twice, and the second import taken off.
        """
        session = self.folder / "session.sh"
        script = session.read_text().split(RUN)[0] if session.exists() else "python -c 'import run'"
        seconds, done = self.shell(script)
        if not session.exists():
            seconds -= self.shell(script)[0]
        if done.returncode != 0:
            print(f"== {self.way} was not built\n{done.stdout}\n{done.stderr}", file=sys.stderr)
        return seconds, done.returncode == 0

    def printed(self) -> str:
        """What `python run.py` prints, or "" with the reason on stderr."""
        _, done = self.shell(RUN)
        if "terminate called without an active exception" in done.stderr:  # pytorch/pytorch#190489, at exit
            _, done = self.shell(RUN)
        if done.returncode != 0:
            print(f"== {self.way} failed\n{done.stdout}\n{done.stderr}", file=sys.stderr)
            return ""
        return done.stdout


def optimised(scratch: Path) -> Sample:
    """The sample of load(), with optimisation."""
    sample = copied("load", scratch, OPTIMISED)
    program = sample.folder / "run.py"
    sources = '[str(HERE / "axpy.cu"), str(HERE / "binding.cpp")]'
    before, after = program.read_text().split(sources)
    program.write_text(f"{before}{sources}, {ASKED}{after}")
    return sample


def copied(sample: str, scratch: Path, way: str = "") -> Sample:
    """`way` is its name if that is not the sample's."""
    way = way or sample
    folder = scratch / way
    shutil.copytree(SAMPLES / sample, folder)
    programs = scratch / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (programs / "python").chmod(0o755)
    caches = {
        "TORCH_EXTENSIONS_DIR": str(scratch / "built" / way),
        "TORCHINDUCTOR_CACHE_DIR": str(scratch / "inductor" / way),
        "PATH": f"{programs}:{os.environ['PATH']}",
    }
    return Sample(way, folder, {**os.environ, **caches})


def builds(samples: list[Sample]) -> tuple[str, bool]:
    """Every sample compiled, all at the same time, and then run."""
    with concurrent.futures.ThreadPoolExecutor(len(samples)) as pool:
        built = list(pool.map(Sample.build, samples))
    rows, fine = [], True
    for sample, (seconds, succeeded) in zip(samples, built, strict=True):
        right = succeeded and sample.printed() == (sample.folder / "output.txt").read_text()
        fine = fine and right
        first = f"{seconds:.1f} s" if succeeded else "failed"
        rows.append((NAMES[sample.way], first, "as on the page" if right else "DIFFERS"))
    return record.table(("way", "first build", "prints"), rows), fine


def calls(samples: list[Sample]) -> str:
    rows, added = [], {}
    for sample in samples:
        _, done = sample.shell(f"python {TIMER}")
        if done.returncode != 0:
            print(f"== {sample.way} was not timed\n{done.stderr}", file=sys.stderr)
            continue
        times = json.loads(done.stdout.splitlines()[-1])
        cells = (cell(times, name) for name in ("bound", "call", "recording"))
        rows.append((NAMES[sample.way], *cells))
        added = times if "torch.add" in times else added
    cells = (cell(added, f"torch.add{when}") for when in ("", "", " recording"))
    rows.append(("torch.add, for comparison", *cells))
    return record.table(("way", "the bound function", "a call", "a call that records a gradient"), rows)


def cell(times: dict[str, float], name: str) -> str:
    return f"{times[name]:.1f} µs" if name in times else "-"


def elsewhere(library: Path, scratch: Path) -> str:
    """The stable sample with a library that another torch and another Python compiled."""
    folder = scratch / "elsewhere"
    folder.mkdir()
    sample = copied("stable_abi", folder)
    shutil.copy(library, sample.folder / "axpy" / "_C.abi3.so")
    expected = (sample.folder / "output.txt").read_text()
    answer = "prints the same" if sample.printed() == expected else "FAILS"
    return f"The stable ABI's library `{library.name}`, compiled elsewhere, {answer} here."


def main() -> int:
    parser = record.arguments(__doc__)
    parser.add_argument("--library", type=Path, help="a stable_abi library that another torch compiled")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        samples = [*(copied(way, Path(name)) for way in WAYS), optimised(Path(name))]
        table, fine = builds(samples)
        text = f"{table}\n\n{calls(samples)}"
        if options.library is not None:
            text += f"\n\n{elsewhere(options.library.resolve(), Path(name))}"
    record.report("Seven ways to bind a kernel", text, options.record)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
