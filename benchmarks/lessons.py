"""The figures that stand in the lessons: each reference solution on a GPU, next to PyTorch and to the floor.

For every exercise with a speed case: the time of the solution and of the spec's baseline, the traffic that
the operation cannot do without, and the time that moving it takes at the bandwidth of a large copy on the
same device. Times are medians of CUDA events with a cold L2 cache. ``--record`` writes one file for each
exercise, ``results/lesson_SLUG.md``, from which the lessons are built.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import record
import torch

from grader.catalog import Catalog, Exercise
from grader.spec import Spec, TensorSpec, load_spec

ROUNDS = 30
COPY_BYTES = 1 << 30


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


def solution(exercise: Exercise) -> ModuleType:
    path = exercise.solution_dir / "op.py"
    recipe = importlib.util.spec_from_file_location(f"solution_{exercise.slug}", path)
    assert recipe is not None and recipe.loader is not None
    module = importlib.util.module_from_spec(recipe)
    recipe.loader.exec_module(module)
    return module


def draw(argument: object) -> object:
    if not isinstance(argument, TensorSpec):
        return argument
    return torch.rand(argument.shape, dtype=getattr(torch, argument.dtype), device=argument.device) * 2 - 1


def measure(exercise: Exercise, spec: Spec, bandwidth: float) -> str:
    """The table of one exercise."""
    assert spec.speed is not None and spec.traffic is not None and spec.flops is not None
    arguments = [draw(each) for each in spec.speed.args]
    entry = getattr(solution(exercise), spec.entry)
    names = dict(zip(spec.parameters, arguments, strict=False)) | {"torch": torch}
    baseline = compile(spec.speed.baseline, "<baseline>", "eval")
    own = milliseconds(lambda: entry(*arguments))
    other = milliseconds(lambda: eval(baseline, names))
    bytes_moved, operations = spec.traffic(*arguments), spec.flops(*arguments)
    tensors = [each for each in spec.speed.args if isinstance(each, TensorSpec)]
    shapes = ", ".join("×".join(map(str, each.shape)) for each in tensors)
    rows = [
        ("inputs", f"{shapes}, float32"),
        ("least traffic", f"{bytes_moved / 1e6:.1f} MB"),
        ("floor: that traffic at the speed of a large copy", f"{bytes_moved / bandwidth:.4f} ms"),
        ("reference solution", f"{own:.4f} ms"),
        (f"`{spec.speed.baseline}`", f"{other:.4f} ms"),
        ("arithmetic of the solution", f"{operations / own / 1e9:.2f} TFLOP/s"),
        ("large copy", f"{bandwidth / 1e9:.2f} TB/s"),
    ]
    return record.table(("what", "value"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write results/lesson_SLUG.md as well")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("This measures on a GPU, and torch finds none here.")
    bandwidth = copy_bandwidth()
    for exercise in Catalog.open(Path(record.REPOSITORY)).exercises:
        spec = load_spec(exercise)
        if spec.speed is None:
            continue
        name = f"lesson_{exercise.slug}" if options.record else None
        record.report(f"{exercise.title}, measured", measure(exercise, spec, bandwidth), name)


if __name__ == "__main__":
    main()
