"""One submission as an ordinary program, so that other tools can watch it: `hardware_run.py --help`.

On `cuda` it only runs, for Nsight Compute and compute-sanitizer to see; on `simt` it also notes what was
counted and found. Results go to OUT.npz, everything else to OUT.json.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch

    from cusimt.findings import Finding
    from grader.specification import Case

SEED = 20260403
METRICS = (  # properties of LaunchCounts
    "global_load_requests",
    "global_store_requests",
    "global_load_sectors",
    "global_store_sectors",
    "shared_load_wavefronts",
    "shared_store_wavefronts",
)


def base_name(kernel: str) -> str:
    """``ns::scale<float, 4>`` and ``void scale<float, 4>(const float *)`` are both ``scale``."""
    for anonymous in ("(anonymous namespace)::", "<unnamed>::", "{anonymous}::"):
        kernel = kernel.replace(anonymous, "")
    plain = kernel.partition("<")[0].partition("(")[0].strip()
    return plain.split(" ")[-1].split("::")[-1]


def on_device(tensor: torch.Tensor, device: str) -> torch.Tensor:
    """A copy with the same strides and offset."""
    elements = tensor.untyped_storage().nbytes() // tensor.element_size()
    flat = tensor.as_strided((elements,), (1,), 0).to(device)
    return flat.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def arguments_of(case: Case, needs_grad: bool) -> list[Any]:
    """The case's arguments, drawn from SEED and its name."""
    from grader.checks.values.inputs import Drawn, draw, seeded

    def placed(value: Any) -> Any:
        if isinstance(value, list):
            return [placed(each) for each in value]
        if not isinstance(value, Drawn):
            return value
        if value.device == "numpy":
            return value.tensor.numpy()
        tensor = on_device(value.tensor, value.device)
        return tensor.requires_grad_(needs_grad and tensor.is_floating_point())

    return [placed(value) for value in draw(case.args, seeded(SEED, case.name)).values]


def flat(values: Iterable[Any]) -> Iterator[Any]:
    """The values, and those in lists."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from flat(value)
        else:
            yield value


def changeable(value: Any) -> Any:
    """A copy that autograd lets the entry change in place, which it does not let anybody do to a leaf."""
    return [changeable(each) for each in value] if isinstance(value, list) else value.clone()


def results_of(case: Case, entry: Any, needs_grad: bool, modified: Sequence[bool]) -> Iterator[Any]:
    """What one call returns, and the gradients of its floating inputs; ``modified`` are changed in place."""
    import torch

    from grader.checks.values.inputs import seeded

    arguments = arguments_of(case, needs_grad)
    stream: Any = torch.cuda.Stream() if case.stream == "side" else torch.cuda.current_stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        passed = [
            changeable(each) if needs_grad and changes else each
            for each, changes in zip(arguments, modified, strict=False)
        ]
        outputs = list(flat([entry(*passed)]))
        yield from outputs
        tensors = [each for each in flat(arguments) if isinstance(each, torch.Tensor) and each.requires_grad]
        if needs_grad and tensors:
            generator = seeded(SEED, case.name, "cotangent")
            cotangents = [
                torch.randn(each.shape, generator=generator, dtype=each.dtype).to(each) for each in outputs
            ]
            yield from torch.autograd.grad(outputs, tensors, cotangents, allow_unused=True)
    torch.cuda.synchronize()


def run_cases(root: Path, slug: str, folder: Path, profile: bool) -> tuple[dict[str, Any], list[str]]:
    """Results by case and number, and the errors. `profile`: only the case that is profiled."""
    import runpy

    from grader.checks.device.counted_case import choose
    from grader.checks.values.devices import within
    from grader.course.catalog import Catalog
    from grader.specification import load_spec

    exercise = next(each for each in Catalog.open(root).exercises if each.slug == slug)
    spec = within(load_spec(exercise), 1)  # the same calls on every machine
    calls = [(case, False) for case in spec.cases]
    calls += [(case, True) for case in (spec.gradient.cases if spec.gradient else ())]
    if profile:
        calls = [(choose(spec, exercise, None), spec.gradient is not None)]
    entry = runpy.run_path(str(folder / "op.py"))[spec.entry]
    results: dict[str, Any] = {}
    errors: list[str] = []
    for case, needs_grad in calls:
        try:
            modified = [name in case.modifies for name in spec.parameters]
            for number, result in enumerate(results_of(case, entry, needs_grad, modified)):
                if result is not None:
                    stage = "gradient" if needs_grad else "forward"
                    results[f"{stage}, {case.name}, {number}"] = _array(result)
        except Exception as error:  # the point of some submissions
            errors.append(f"{case.name}: {type(error).__name__}: {str(error).splitlines()[0][:200]}")
    return results, errors


def run_patterns() -> None:
    """The kernels of cusimt/tests/surface/counters.cu that were measured."""
    from cusimt.tests.counted_kernels import KERNELS
    from cusimt.tests.surface_program import program

    for kernel, arguments in KERNELS.items():
        passed = [np.zeros(each, np.float32) if isinstance(each, tuple) else each for each in arguments]
        program("counters", checked=os.environ["CU2GRAD_BACKEND"] == "simt").call(kernel, *passed)


def _noted(finding: Finding) -> tuple[str, list[str]]:
    """Its kind, and the lines of all parties, as ``kernel.cu:28``."""
    frames = [finding.frame, *([finding.other.frame] if finding.other else [])]
    return finding.kind, [f"{Path(frame.file).name}:{frame.line}" for frame in frames if frame.line]


def _array(result: Any) -> Any:
    array = result if isinstance(result, np.ndarray) else result.detach().cpu()
    if isinstance(array, np.ndarray):
        return array
    return array.double().numpy() if str(array.dtype) == "torch.bfloat16" else array.numpy()


def watched(options: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Any]]:
    """The submission's results; counts and findings, where there is something to ask."""

    def run() -> tuple[dict[str, Any], list[str]]:
        if options.slug == "patterns":
            run_patterns()
            return {}, []
        return run_cases(options.root, options.slug, options.folder, options.profile)

    if os.environ["CU2GRAD_BACKEND"] != "simt":
        results, errors = run()
        return results, {"errors": errors}
    from cusimt import findings
    from cusimt.activate import activate
    from cusimt.counters import counting

    activate()
    if not options.profile:
        results, errors = run()
        return results, {"errors": errors, "findings": [_noted(each) for each in findings.take()]}
    with counting() as counts:
        results, errors = run()
    kernels: defaultdict[str, list[dict[str, int]]] = defaultdict(list)
    for launch in counts:
        kernels[base_name(launch.launch.kernel)].append({name: getattr(launch, name) for name in METRICS})
    return results, {"errors": errors, "kernels": kernels}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("root", type=Path, help="the course")
    parser.add_argument("slug", help="the exercise; `patterns` for the kernels of cusimt/tests/surface")
    parser.add_argument("folder", type=Path, help="where op.py lies")
    parser.add_argument("out", type=Path, help="the results, without a suffix")
    parser.add_argument("--profile", action="store_true", help="only the spec's PROFILE case; count it")
    options = parser.parse_args()
    results, notes = watched(options)
    np.savez(options.out.with_suffix(".npz"), **results)
    options.out.with_suffix(".json").write_text(json.dumps(notes))


if __name__ == "__main__":
    main()
