"""The figures that stand in the lessons: each reference solution on a GPU, next to PyTorch and to the floor.

For every exercise with a speed case: the time of the solution, of the kernels that its lesson shows on the
way to it, of the spec's baseline, and of the same expression under ``torch.compile``; the traffic that the
operation cannot do without, and the time that moving it takes at the bandwidth of a large copy on the same
device. Times are medians of CUDA events with a cold L2 cache. ``--record`` writes one file for each
exercise, ``results/lesson_SLUG.md``, from which the lessons are built.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import record
import torch

from grader.catalog import Catalog, Exercise
from grader.spec import Spec, TensorSpec, load_spec

ROUNDS = 30
COPY_BYTES = 1 << 30
# Kernels that stand in for the kernel.cu of an exercise, in the order of its lesson.
ON_THE_WAY = {"13_transpose": ("naive", "tiled", "swizzled")}
SAMPLES = {"13_transpose": Path(record.REPOSITORY) / "docs" / "samples" / "transposes"}


def milliseconds(work: Callable[[], object]) -> float:
    """The median device time of ``work``. Before every round 256 MB are written, so that L2 is cold."""
    flush = torch.empty(1 << 26, device="cuda")
    for _ in range(3):
        work()
    times = []
    for _ in range(ROUNDS):
        flush.zero_()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def copy_bandwidth() -> float:
    """Bytes per millisecond of a large copy within the device, reads and writes both counted."""
    source = torch.empty(COPY_BYTES, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    return 2 * COPY_BYTES / milliseconds(lambda: target.copy_(source))


def loaded(folder: Path, name: str) -> ModuleType:
    recipe = importlib.util.spec_from_file_location(name, folder / "op.py")
    assert recipe is not None and recipe.loader is not None
    module = importlib.util.module_from_spec(recipe)
    recipe.loader.exec_module(module)
    return module


def own_milliseconds(folder: Path, exercise: Exercise) -> float:
    """The time of the submission in ``folder``, in the process that this is."""
    spec = load_spec(exercise)
    assert spec.speed is not None
    arguments = [draw(each) for each in spec.speed.args]
    entry = getattr(loaded(folder, f"timed_{exercise.slug}"), spec.entry)
    return milliseconds(lambda: entry(*arguments))


def on_the_way(exercise: Exercise) -> Iterator[tuple[str, float]]:
    """Name and time of each kernel that the lesson shows before the solution's.

    Each in a process of its own: no two libraries may register one operator.
    """
    for name in ON_THE_WAY.get(exercise.slug, ()):
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(shutil.copytree(exercise.solution_dir, Path(scratch) / name))
            shutil.copyfile(SAMPLES[exercise.slug] / f"{name}.cu", copy / "kernel.cu")
            command = [sys.executable, __file__, "--time", exercise.slug, str(copy)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            yield name, float(done.stdout.split()[-1])


def baselines(spec: Spec, arguments: list[object]) -> Iterator[tuple[str, float]]:
    """The expression that the solution is compared with, as it stands and compiled."""
    assert spec.speed is not None
    names: dict[str, Any] = {"torch": torch}
    exec(f"def baseline({', '.join(spec.parameters)}):\n    return {spec.speed.baseline}", names)
    yield f"`{spec.speed.baseline}`", milliseconds(lambda: names["baseline"](*arguments))
    compiled = torch.compile(names["baseline"])
    yield "the same under `torch.compile`", milliseconds(lambda: compiled(*arguments))


def draw(argument: object) -> object:
    if not isinstance(argument, TensorSpec):
        return argument
    return torch.rand(argument.shape, dtype=getattr(torch, argument.dtype), device=argument.device) * 2 - 1


def measure(exercise: Exercise, spec: Spec, bandwidth: float) -> str:
    """The table of one exercise."""
    assert spec.speed is not None and spec.traffic is not None
    arguments = [draw(each) for each in spec.speed.args]
    own = own_milliseconds(exercise.solution_dir, exercise)
    bytes_moved = spec.traffic(*arguments)
    operations = spec.flops(*arguments) if spec.flops else 0
    tensors = [each for each in spec.speed.args if isinstance(each, TensorSpec)]
    shapes = ", ".join("×".join(map(str, each.shape)) for each in tensors)
    rows = [
        ("inputs", f"{shapes}, float32"),
        ("least traffic", f"{bytes_moved / 1e6:.1f} MB"),
        ("floor: that traffic at the speed of a large copy", f"{bytes_moved / bandwidth:.4f} ms"),
        *((f"kernel `{name}.cu`", f"{each:.4f} ms") for name, each in on_the_way(exercise)),
        ("reference solution", f"{own:.4f} ms"),
        *((name, f"{each:.4f} ms") for name, each in baselines(spec, arguments)),
        *([("arithmetic of the solution", f"{operations / own / 1e9:.2f} TFLOP/s")] if operations else []),
        ("large copy", f"{bandwidth / 1e9:.2f} TB/s"),
    ]
    return record.table(("what", "value"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write results/lesson_SLUG.md as well")
    parser.add_argument("--time", nargs=2, metavar=("SLUG", "FOLDER"), help="only this submission: its ms")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("This measures on a GPU, and torch finds none here.")
    exercises = Catalog.open(Path(record.REPOSITORY)).exercises
    if options.time:
        slug, folder = options.time
        (exercise,) = (each for each in exercises if each.slug == slug)
        print(own_milliseconds(Path(folder), exercise))
        return
    bandwidth = copy_bandwidth()
    for exercise in exercises:
        spec = load_spec(exercise)
        if spec.speed is None:
            continue
        name = f"lesson_{exercise.slug}" if options.record else None
        record.report(f"{exercise.title}, measured", measure(exercise, spec, bandwidth), name)


if __name__ == "__main__":
    main()
