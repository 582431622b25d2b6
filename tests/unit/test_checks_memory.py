"""A GPU of 4 GB: what is timed gets smaller, what cannot be smaller is left out, and the verdict says so."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from grader.checks.timing.scaling import PLENTY, call_bytes, fitted, needed_bytes, scaled
from grader.checks.values import correctness, memory
from grader.course.catalog import Catalog
from grader.run.values import Output, RemoteError, Reply
from grader.specification import Case, Gradient, Spec, Speed, TensorSpec, load_spec, tensor
from tests.unit.fake_submission import FakeSession, fake_bench

ROOT = Path(__file__).resolve().parents[2]
GIB = 1 << 30
CARD = int(3.4 * GIB)  # what is free of 4 GB


class Gpu:
    """A worker's GPU with so many bytes free, on which the reference needs ``reference`` times its inputs."""

    def __init__(self, free: int, reference: float = 1.0) -> None:
        self.free, self.reference = free, reference
        self.rehearsed: list[int] = []

    def run_inside(self, check: str, args: Sequence[Any], **_: Any) -> Reply:
        if check.endswith(":free_bytes"):
            return Reply((Output("value", value=json.dumps(self.free)),))
        asked = json.loads(args[0])["arguments"]
        nbytes = sum(
            torch.Size(each["tensor"]["shape"]).numel() * getattr(torch, each["tensor"]["dtype"]).itemsize
            for each in asked
            if isinstance(each, dict)
        )
        self.rehearsed.append(nbytes)
        full = self.reference * nbytes > self.free
        return Reply(error=RemoteError("OutOfMemoryError", "CUDA out of memory")) if full else Reply()


def bench_of(gpu: Gpu, spec: Spec) -> Any:
    @contextmanager
    def lent() -> Iterator[Gpu]:
        yield gpu

    return SimpleNamespace(
        clean=lent, spawn=lent, spec=spec, backend="cuda", exercise=SimpleNamespace(root=ROOT)
    )


def test_every_timed_call_of_the_course_fits_into_4_gb() -> None:
    timed = 0
    for exercise in Catalog.open(ROOT).exercises:
        spec = load_spec(exercise)
        if spec.speed is not None:
            fit = fitted(bench_of(Gpu(CARD), spec), spec.speed)
            assert needed_bytes(spec, fit.speed.args) <= CARD, exercise.slug
            assert bool(fit.note) is (needed_bytes(spec, spec.speed.args) > CARD), exercise.slug
            timed += 1
    assert timed > 10


def test_the_largest_size_that_fits_is_timed_and_the_note_says_so() -> None:
    speed = Speed([tensor((1 << 16, 4096)), tensor(4096)], baseline="x")  # 1 GiB, and as much of results
    spec = Spec(Path(), "f", torch.abs, ("x", "y"), (), speed=speed)
    fit = fitted(bench_of(Gpu(CARD), spec), speed)
    assert [each.shape for each in fit.speed.args] == [(8192, 4096), (4096,)]  # type: ignore[union-attr]
    assert fit.note == (
        " Timed on 8,192 × 4,096, 4,096 instead of 65,536 × 4,096, 4,096: "
        "of this GPU's memory, 3.4 GiB are free."
    )
    assert fitted(bench_of(Gpu(PLENTY), spec), speed).note == ""


def test_what_the_reference_takes_on_the_way_is_found_out_by_trial() -> None:
    speed = Speed([tensor(1 << 20)], baseline="x")
    spec = Spec(Path(), "f", torch.abs, ("x",), (), speed=speed)
    gpu = Gpu(CARD, reference=2000)
    fit = fitted(bench_of(gpu, spec), speed)
    assert gpu.rehearsed == [4 << 20, 2 << 20, 1 << 20]
    assert [each.shape for each in fit.speed.args] == [(1 << 18,)]  # type: ignore[union-attr]


def test_a_call_moves_what_the_byte_model_says() -> None:
    args = [tensor((8, 4), "float16"), 2.0]
    plain = Spec(Path(), "f", torch.abs, ("x",), ())
    assert call_bytes(plain, args) == 128
    assert call_bytes(replace(plain, traffic=lambda x, k: 3 * x.nbytes), args) == 192
    assert scaled(args, torch.finfo(torch.float32).eps)[0].shape == (1, 4)  # type: ignore[union-attr,arg-type]


FAR: list[TensorSpec] = [tensor((2, 5), "uint8", layout="far", high=9) for _ in range(2)]
CASES = [Case("near", [tensor(3)]), Case("far", FAR[:1]), Case("both far", FAR)]


@pytest.mark.parametrize(
    ("free", "left"), [(CARD, ["near", "far"]), (GIB, ["near"]), (8 * GIB, ["near", "far", "both far"])]
)
def test_cases_that_do_not_fit_are_left_out(free: int, left: list[str]) -> None:
    spec = Spec(Path(), "f", torch.abs, ("x",), tuple(CASES), gradient=Gradient(cases=CASES))
    fit = memory.within_memory(bench_of(Gpu(free), spec))
    assert [case.name for case in fit.cases] == left
    assert fit.gradient is not None and [case.name for case in fit.gradient.cases] == left
    assert fit.too_large == 3 - len(left)


def test_nothing_is_asked_where_no_case_is_large() -> None:
    spec = Spec(Path(), "f", torch.abs, ("x",), (CASES[0],))
    bench = bench_of(Gpu(0), spec)
    bench.spawn = None
    assert memory.within_memory(bench) is spec
    large = bench_of(Gpu(0), replace(spec, cases=tuple(CASES)))
    large.backend = "simt"
    assert memory.within_memory(large) is large.spec


def test_the_verdict_says_how_many_cases_were_left_out() -> None:
    def double(a: torch.Tensor) -> torch.Tensor:
        return 2 * a

    case = Case("near", [replace(tensor(3), name="a")])
    bench = fake_bench(FakeSession(double), double, [case], parameters=("a",))
    bench.spec = replace(bench.spec, refusals=(), too_large=2)
    assert correctness.check(bench).sentence == (
        "The one case is right. 2 more need more memory than is free on this GPU."
    )
