"""The figures that the lessons show: each reference solution on a GPU, next to PyTorch and to the floor.

For every exercise with a speed case: the time of the solution, of the kernels that its lesson shows on the
way to it, of the spec's baseline, and of the same expression under ``torch.compile``; the traffic that the
operation cannot do without, and the time that moving it takes at the bandwidth of a large copy on the same
device; of some exercises, the same for the backward. Times are medians of CUDA events, with launches queued
ahead (`device_clock`). What the other lessons measure is in `lesson_extras`. ``--record`` writes one file for
each exercise, ``results/lesson_SLUG.md``; the lessons are built from these.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeAlias

import lesson_extras
import record
import torch
from device_clock import copy_bandwidth, launch_microseconds, milliseconds
from stand_ins import milliseconds_of

from grader.course.catalog import Catalog, Exercise
from grader.specification import Spec, Speed, TensorSpec, load_spec, tensor

Stage: TypeAlias = Literal["forward", "backward"]
# Graded for no speed, and measured like the others: the lesson's next step is about this figure.
SPEEDS = {"00_first_kernel": Speed([tensor(1 << 26), 2.0], baseline="alpha * x")}
# Kernels that stand in for the kernel.cu of an exercise, in the order of its lesson.
ON_THE_WAY = {
    "08_half_and_bfloat16": ("rounded", "two_channels"),
    "13_transpose": ("naive", "tiled", "padded", "swizzled"),
    "16_softmax": ("naive", "online", "registers"),
    "17_layer_norm": ("naive", "block_per_row", "merged"),
}
SAMPLES = {
    slug: Path(record.REPOSITORY) / "docs" / "samples" / folder
    for slug, folder in (
        ("08_half_and_bfloat16", "half"),
        ("13_transpose", "transposes"),
        ("16_softmax", "softmaxes"),
        ("17_layer_norm", "layer_norms"),
    )
}
# Exercises whose backward is measured too: the bytes that it cannot do without.
BACKWARDS: dict[str, Callable[..., int]] = {
    "17_layer_norm": lambda x, weight, bias, eps: (3 * x.numel() + 3 * weight.numel()) * x.element_size(),
    "29_attention_backward": lambda q, k, v, causal: (4 * q.numel() + 4 * k.numel()) * q.element_size(),
}


@cache
def loaded(folder: Path, name: str) -> ModuleType:
    recipe = importlib.util.spec_from_file_location(name, folder / "op.py")
    assert recipe is not None and recipe.loader is not None
    module = importlib.util.module_from_spec(recipe)
    sys.path.insert(0, str(folder))  # where kernels in Triton are modules beside op.py
    try:
        recipe.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


def own_call(folder: Path, exercise: Exercise, stage: Stage = "forward") -> Callable[[], object]:
    """The call of the submission in ``folder`` that is timed, in this process."""
    spec = load_spec(exercise)
    arguments = [draw(each) for each in speed_of(exercise, spec).args]
    entry = getattr(loaded(folder, f"timed_{exercise.slug}"), spec.entry)
    return (lambda: entry(*arguments)) if stage == "forward" else backward_of(entry, arguments)


def backward_of(function: Callable[..., Any], arguments: list[object]) -> Callable[[], object]:
    """The gradients of every tensor argument, for one random cotangent, of the first result where there are
    several; forward runs here, once.
    """
    leaves = [each.detach().requires_grad_() for each in arguments if isinstance(each, torch.Tensor)]
    ahead = iter(leaves)
    out = function(*[next(ahead) if isinstance(each, torch.Tensor) else each for each in arguments])
    out = out[0] if isinstance(out, tuple) else out
    cotangent = torch.rand_like(out)
    return lambda: torch.autograd.grad(out, leaves, cotangent, retain_graph=True)


def on_the_way(exercise: Exercise, stage: Stage = "forward") -> Iterator[tuple[str, float]]:
    """Name and time of each kernel that the lesson shows before the solution's."""
    names = ON_THE_WAY.get(exercise.slug, ())
    return milliseconds_of(exercise, SAMPLES[exercise.slug], names, stage) if names else iter(())


def speed_of(exercise: Exercise, spec: Spec) -> Speed:
    """What is timed of an exercise that is measured like most."""
    speed = spec.speed or SPEEDS.get(exercise.slug)
    assert speed is not None, exercise.slug
    return speed


def baselines(spec: Spec, speed: Speed, arguments: list[object]) -> dict[str, Callable[[], object]]:
    """The expression that the solution is compared with, eager and compiled."""
    return {
        name: lambda function=function: function(*arguments)  # type: ignore[misc]
        for name, function in baseline_functions(spec, speed).items()
    }


def baseline_functions(spec: Spec, speed: Speed) -> dict[str, Callable[..., torch.Tensor]]:
    names: dict[str, Any] = {"torch": torch}
    exec(f"def baseline({', '.join(spec.parameters)}):\n    return {speed.baseline}", names)
    return {
        f"`{speed.baseline}`": names["baseline"],
        # Static: every exercise's function is the same line of "<string>" to the compiler, which would take
        # other shapes than those of the exercise before for dynamic ones.
        "the same under `torch.compile`": torch.compile(names["baseline"], dynamic=False),
    }


def draw(argument: object) -> object:
    if not isinstance(argument, TensorSpec):
        return argument
    return torch.rand(argument.shape, dtype=getattr(torch, argument.dtype), device=argument.device) * 2 - 1


def measure(exercise: Exercise, spec: Spec, bandwidth: float) -> str:
    """The table of one exercise."""
    assert spec.traffic is not None
    speed = speed_of(exercise, spec)
    arguments = [draw(each) for each in speed.args]
    calls = {"reference solution": own_call(exercise.solution_dir, exercise)}
    calls |= baselines(spec, speed, arguments)
    times = {name: milliseconds(call) for name, call in calls.items()}
    own = times["reference solution"]
    bytes_moved = spec.traffic(*arguments)
    operations = spec.flops(*arguments) if spec.flops else 0
    tensors = [each for each in speed.args if isinstance(each, TensorSpec)]
    shapes = ", ".join("×".join(map(str, each.shape)) for each in tensors)
    rows = [
        ("inputs", f"{shapes}, {tensors[0].dtype}"),
        ("least traffic", f"{bytes_moved / 1e6:.1f} MB"),
        ("floor: that traffic at the speed of a large copy", f"{bytes_moved / bandwidth:.4f} ms"),
        *((f"kernel `{name}.cu`", f"{each:.4f} ms") for name, each in on_the_way(exercise)),
        *((name, f"{each:.4f} ms") for name, each in times.items()),
        *(
            (f"{name}: host time of a call", f"{launch_microseconds(call):.0f} µs")
            for name, call in calls.items()
        ),
        ("least traffic over the solution's time", f"{bytes_moved / own / 1e9:.2f} TB/s"),
        ("large copy", f"{bandwidth / 1e9:.2f} TB/s"),
        *([("arithmetic of the solution", f"{operations / own / 1e9:.2f} TFLOP/s")] if operations else []),
    ]
    return record.table(("what", "value"), rows)


def measure_backward(exercise: Exercise, spec: Spec, bandwidth: float) -> str:
    """The second table of an exercise in BACKWARDS: the same rows for the gradients of all its inputs."""
    speed = speed_of(exercise, spec)
    arguments = [draw(each) for each in speed.args]
    calls = {"reference solution": own_call(exercise.solution_dir, exercise, "backward")}
    # A graph that is run again and again must keep what it would otherwise overwrite.
    with torch._functorch.config.patch(donated_buffer=False):
        for name, function in baseline_functions(spec, speed).items():
            calls[name] = backward_of(function, arguments)
        times = {name: milliseconds(call) for name, call in calls.items()}
    bytes_moved = BACKWARDS[exercise.slug](*arguments)
    moved = bytes_moved / times["reference solution"] / 1e9
    rows = [
        ("least traffic", f"{bytes_moved / 1e6:.1f} MB"),
        ("floor: that traffic at the speed of a large copy", f"{bytes_moved / bandwidth:.4f} ms"),
        *((f"kernel `{name}.cu`", f"{each:.4f} ms") for name, each in on_the_way(exercise, "backward")),
        *((name, f"{each:.4f} ms") for name, each in times.items()),
        ("least traffic over the solution's time", f"{moved:.2f} TB/s"),
    ]
    return record.table(("backward", "value"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write results/lesson_SLUG.md as well")
    parser.add_argument(
        "--time", nargs=3, metavar=("SLUG", "FOLDER", "STAGE"), help="only this submission: its ms"
    )
    parser.add_argument("names", nargs="*", metavar="SLUG", help="the lessons to measure; default all")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("This measures on a GPU, and torch finds none here.")
    exercises = Catalog.open(Path(record.REPOSITORY)).exercises
    if options.time:
        slug, folder, stage = options.time
        (exercise,) = (each for each in exercises if each.slug == slug)
        print(milliseconds(own_call(Path(folder), exercise, stage)))
        return
    bandwidth = copy_bandwidth()
    for exercise in exercises:
        if options.names and exercise.slug not in options.names:
            continue
        if extra := lesson_extras.TABLES.get(exercise.slug):
            table = extra(exercise, loaded)
        else:
            table = measure(exercise, load_spec(exercise), bandwidth)
            if more := lesson_extras.MORE.get(exercise.slug):
                table += "\n\n" + more(exercise, loaded)
            if exercise.slug in BACKWARDS:
                table += "\n\n" + measure_backward(exercise, load_spec(exercise), bandwidth)
        name = f"lesson_{exercise.slug}" if options.record else None
        record.report(f"{exercise.title}, measured", table, name)


if __name__ == "__main__":
    main()
