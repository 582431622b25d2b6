"""Triton's kernels on the simulated device: values, findings, counts, provenance, configurations."""

from __future__ import annotations

import pytest

from cusimt.tests.device.process import on_device
from cusimt.triton import lacking, version

pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there")


@on_device
def test_values_and_who_wrote_them() -> None:
    import torch

    from cusimt.activate import driver
    from cusimt.tests import triton_kernels

    x = torch.randn(100, device="cuda")
    out = torch.empty_like(x)
    triton_kernels.scaled[(2,)](x, out, 100, 3.0, BLOCK=64)
    assert torch.equal(out.cpu(), x.cpu() * 3)
    assert driver().writers(out.data_ptr(), 400) == {"kernel": 400}


@on_device
def test_who_asked_whether_triton_is_there_gets_the_simulated_one() -> None:
    """PyTorch asks before a tensor is made, and so before most programs import Triton."""
    import importlib.util
    import sys

    from cusimt.triton import grid

    assert "triton" not in sys.modules
    for _ in range(2):
        assert importlib.util.find_spec("triton") is not None
    from triton.runtime.interpreter import GridExecutor

    assert GridExecutor.__call__ is grid.run


@on_device
def test_a_float_argument_has_32_bits() -> None:
    import torch

    from cusimt.tests import triton_kernels

    x = torch.ones(4, dtype=torch.float64, device="cuda")
    out = torch.empty_like(x)
    triton_kernels.scaled[(1,)](x, out, 4, 0.1, BLOCK=4)
    assert out[0].item() == torch.tensor(0.1, dtype=torch.float32).double().item() != 0.1


@on_device
def test_a_missing_mask_is_found_with_its_line_and_program() -> None:
    import torch

    from cusimt import findings
    from cusimt.tests import triton_kernels

    x = torch.randn(100, device="cuda")
    triton_kernels.unmasked[(2,)](x, torch.empty_like(x), 100, BLOCK=64)
    (found,) = findings.take()
    assert (found.kind, found.access, found.block, found.thread) == ("out_of_bounds", "read", (1, 0, 0), None)
    assert found.kernel == "unmasked" and "tl.load(x + at)" in found.frame.source
    said = findings.explain(found)
    assert "element 100" in said and "program (1,0,0)" in said and "mask" in said


@on_device
def test_masked_elements_without_other_show() -> None:
    import torch

    from cusimt.tests import triton_kernels

    out = torch.empty(1, device="cuda")
    triton_kernels.sum_without_other[(1,)](torch.ones(5, device="cuda"), out, 5, BLOCK=8)
    assert out.isnan().item()


@on_device
def test_programs_that_write_one_element_race_and_atomics_do_not() -> None:
    import torch

    from cusimt import findings
    from cusimt.tests import triton_kernels

    x, out = torch.ones(64, device="cuda"), torch.zeros(1, device="cuda")
    triton_kernels.sum_by_stores[(4,)](x, out, BLOCK=16)
    assert {each.kind for each in findings.take()} == {"race_global"}
    out.zero_()
    triton_kernels.sum_by_atomics[(4,)](x, out, BLOCK=16)
    assert out.item() == 64 and findings.take() == []
    triton_kernels.sum_by_atomics[(1,)](x, torch.empty(1, device="cuda"), BLOCK=16)
    assert [each.kind for each in findings.take()] == ["uninitialized_read"]


@on_device
def test_lanes_of_one_atomic_may_meet() -> None:
    import torch

    from cusimt import findings
    from cusimt.tests import triton_kernels

    x = torch.randint(0, 4, (64,), device="cuda")
    out = torch.zeros(4, dtype=torch.int32, device="cuda")
    triton_kernels.histogram_by_atomics[(4,)](x, out, BLOCK=16)
    assert out.tolist() == torch.bincount(x.cpu(), minlength=4).tolist() and findings.take() == []


@on_device
def test_a_program_is_in_order_with_itself() -> None:
    import torch

    from cusimt import findings
    from cusimt.tests import triton_kernels

    x = torch.arange(64.0, device="cuda")
    out = torch.empty_like(x)
    triton_kernels.through_memory[(2,)](x, out, BLOCK=32)
    assert torch.equal(out.cpu(), x.cpu().view(2, 32).flip(1).flatten()) and findings.take() == []


@on_device
def test_block_pointers_and_descriptors() -> None:
    import torch

    from cusimt import findings
    from cusimt.tests import triton_kernels

    x = torch.randn(5, 12, device="cuda")
    for kernel in (triton_kernels.block_pointers, triton_kernels.descriptors):
        out = torch.empty_like(x)
        kernel[(2,)](x, out, 5, 12, ROWS=4, COLUMNS=16)
        assert torch.equal(out, x) and findings.take() == []


@on_device
def test_a_descriptor_says_which_stride_or_address_it_cannot_have() -> None:
    import torch

    from cusimt.tests import triton_kernels

    storage = torch.zeros(64, device="cuda")
    for x, columns, said in (
        (storage, 7, "strides\\[0\\] does not fit, as 7 elements of 4 bytes are 28 bytes"),
        (storage[1:], 12, "the base begins 4 bytes behind a multiple of 16"),
    ):
        with pytest.raises(ValueError, match=said):
            triton_kernels.descriptors[(1,)](x, storage, 4, columns, ROWS=4, COLUMNS=8)


@on_device
def test_sectors_are_those_of_a_tile_in_the_best_order() -> None:
    import torch

    from cusimt.counters import counting
    from cusimt.tests import triton_kernels

    x = torch.randn(1024, device="cuda")
    out = torch.empty_like(x)
    with counting() as counts:
        triton_kernels.scaled[(8,)](x, out, 1024, 1.0, BLOCK=128)
        triton_kernels.through_memory[(8,)](x, out, BLOCK=128)
    assert [each.global_load_sectors for each in counts] == [128, 256]
    assert [each.global_store_sectors for each in counts] == [128, 256]
    assert [each.barriers for each in counts] == [0, 0]


@on_device
def test_values_do_not_depend_on_the_order_of_programs() -> None:
    import torch

    from cusimt.activate import driver
    from cusimt.tests import triton_kernels

    x = torch.randn(100, device="cuda")
    for schedule in range(3):
        driver().simt_set_schedule(schedule, 7)
        out = torch.empty_like(x)
        triton_kernels.scaled[(7,)](x, out, 100, 2.0, BLOCK=16)
        assert torch.equal(out, x * 2)


@on_device
def test_host_memory_and_empty_grids() -> None:
    import torch

    from cusimt.records import take_records
    from cusimt.tests import triton_kernels

    x = torch.randn(8)
    with pytest.raises(ValueError, match=r"Pointer argument \(at 0\) cannot be accessed"):
        triton_kernels.scaled[(1,)](x, x.cuda(), 8, 1.0, BLOCK=8)
    take_records("launches")
    triton_kernels.scaled[(0,)](x.cuda(), x.cuda(), 8, 1.0, BLOCK=8)
    assert take_records("launches") == []
    with pytest.raises(RuntimeError, match="Triton Error"):
        triton_kernels.scaled[(1, 70_000)](x.cuda(), x.cuda(), 8, 1.0, BLOCK=8)


@on_device
def test_a_wrapped_offset_is_no_crash() -> None:
    import torch

    from cusimt import findings
    from cusimt.tests import triton_kernels

    x = torch.zeros(8, device="cuda")
    triton_kernels.far[(4,)](x, torch.empty_like(x), 2**30, BLOCK=8)
    assert {each.kind for each in findings.take()} <= {"out_of_bounds", "race_global", "host_pointer"}
    with pytest.raises(RuntimeError, match="Triton Error"):
        triton_kernels.scaled[(1,)](x, x, 8, 1.0, BLOCK=8)


@on_device
def test_bfloat16_is_rounded_to_nearest() -> None:
    import torch

    from cusimt.tests import triton_kernels

    x = torch.tensor([1 + 3 / 512, 1 + 1 / 256, 1 + 3 / 256, float("nan"), float("inf")], device="cuda")
    out = torch.empty(5, dtype=torch.bfloat16, device="cuda")
    triton_kernels.scaled[(1,)](x, out, 5, 1.0, BLOCK=8)
    expected = x.bfloat16()
    assert torch.equal(out[:3].cpu(), expected[:3].cpu())
    assert out[3].isnan().item() and out[4].isinf().item()


@on_device
def test_configurations_have_to_agree() -> None:
    import torch

    from cusimt.records import take_records
    from cusimt.tests import triton_kernels
    from cusimt.triton.tuning import DifferentAnswers

    x = torch.ones(100, device="cuda")
    grid = lambda meta: ((100 + meta["BLOCK"] - 1) // meta["BLOCK"],)  # noqa: E731
    with pytest.raises(DifferentAnswers, match=r"`out` with BLOCK=64.*BLOCK=16.*reset_to_zero"):
        triton_kernels.adds_untold[grid](x, torch.zeros(100, device="cuda"), 100)
    with pytest.raises(DifferentAnswers, match=r"It is zeroed before each run.*do their tiles overlap"):
        triton_kernels.adds[(3,)](x, torch.zeros(100, device="cuda"), 100)
    out = torch.zeros(100, device="cuda")
    take_records("launches")
    triton_kernels.adds[grid](x, out, 100)
    assert torch.equal(out, x)
    (launch,) = take_records("launches")  # those that tried configurations are no part of the program
    assert launch["grid"] == [2, 1, 1]


@on_device
def test_tensors_without_memory_are_left_alone() -> None:
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    from cusimt.tests import triton_kernels

    with FakeTensorMode():
        x = torch.empty(8, device="cuda")
        triton_kernels.scaled[(1,)](x, x, 8, 1.0, BLOCK=8)


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise version.PackageNotFoundError(name)

    monkeypatch.setattr(version, "version", missing)
    assert version.lacking() == "Triton is not installed."
    monkeypatch.setattr(version, "version", lambda name: "3.4.1")
    assert "3.4.1" in version.lacking() and "3.5" in version.lacking()
    monkeypatch.setattr(version, "version", lambda name: "3.6.0+git1")
    assert version.lacking() == ""
    monkeypatch.setattr(version.sys, "platform", "darwin")
    assert "Linux" in version.remedy() and "pip" not in version.remedy()


@on_device
def test_a_kernel_takes_values_and_no_objects_of_the_host() -> None:
    """Triton's compiler could do nothing with a function or a list. The interpreter would call or fill it."""
    from typing import NamedTuple

    import torch

    from cusimt.tests import triton_kernels

    class Pair(NamedTuple):
        block: int
        name: str = ""

    class Spy(NamedTuple):
        block: int

        def __mul__(self, other: object) -> int:
            return 0

    x = torch.ones(4, device="cuda")
    out = torch.empty_like(x)
    for wrong in (print, [4], {}, Spy(4), (4, [5]), torch.Size):
        with pytest.raises(TypeError, match="argument `BLOCK` of a kernel is a"):
            triton_kernels.scaled[(1,)](x, out, 4, 2.0, BLOCK=wrong)
    triton_kernels.first_of[(1,)](x, out, Pair(4, "four"))
    triton_kernels.first_of[(1,)](x, out, (4, "four"))
    assert out.tolist() == [1.0] * 4


@on_device
def test_the_function_for_the_grid_changes_no_argument() -> None:
    import torch

    from cusimt.tests import triton_kernels

    x = torch.ones(4, device="cuda")
    out = torch.empty_like(x)

    def grid(meta: dict[str, object]) -> tuple[int]:
        meta["factor"] = 3.0
        return (1,)

    triton_kernels.scaled[grid](x, out, 4, 2.0, BLOCK=4)
    assert out.tolist() == [2.0] * 4


@on_device
def test_the_interpreters_names_are_not_the_kernels() -> None:
    import torch

    from cusimt.tests import triton_kernels

    x = torch.ones(4, device="cuda")
    triton_kernels.scaled[(1,)](x, torch.empty_like(x), 4, 2.0, BLOCK=4)
    assert {"np", "inspect", "interpreter_builder", "TensorHandle"}.isdisjoint(vars(triton_kernels))
    with pytest.raises(NameError, match="np"):
        triton_kernels.sum_by_numpy[(1,)](x, torch.empty_like(x), BLOCK=4)


@on_device
def test_a_kernel_that_failed_is_remembered_although_it_was_caught() -> None:
    import contextlib

    import torch

    from cusimt.tests import triton_kernels
    from cusimt.triton import failures

    x = torch.ones(4, device="cuda")
    failures.forget()
    triton_kernels.scaled[(1,)](x, torch.empty_like(x), 4, 2.0, BLOCK=4)
    assert failures.first() == ""
    with contextlib.suppress(Exception):
        triton_kernels.sum_by_numpy[(1,)](x, torch.empty_like(x), BLOCK=4)
    assert failures.first().startswith("NameError: ")
    failures.forget()
    with contextlib.suppress(RuntimeError):
        triton_kernels.adds_untold[lambda meta: (1,)](x, torch.zeros(64, device="cuda"), 4)
    assert failures.first().startswith("DifferentAnswers: ")
    failures.forget()
    with failures.forgiven(), contextlib.suppress(Exception):
        triton_kernels.sum_by_numpy[(1,)](x, torch.empty_like(x), BLOCK=4)
    assert failures.first() == ""
