"""Operators take on the device the dtypes that they take on a GPU, which are not those of the CPU."""

from __future__ import annotations

from cusimt.tests.device.process import on_device


@on_device
def test_dtypes_that_only_cuda_has_are_computed_in_wider_ones() -> None:
    import torch
    import torch.nn.functional as F

    x = torch.randn(2, 3, 4, 8, 8)
    for dtype in (torch.half, torch.bfloat16):
        narrow = x.to(dtype)
        y = narrow.cuda().requires_grad_()
        F.avg_pool3d(y, 2).backward(torch.ones(2, 3, 2, 4, 4, device="cuda", dtype=dtype))
        assert torch.equal(F.avg_pool3d(y, 2).cpu(), F.avg_pool3d(narrow.float(), 2).to(dtype))
        assert y.grad.dtype == dtype and torch.equal(y.grad.cpu(), torch.full_like(narrow, 1 / 8))
    half = torch.randn(4, 16).half()
    spectrum = torch.fft.rfft(half.cuda())
    assert spectrum.dtype == torch.complex32
    expected = torch.fft.rfft(half.float())
    torch.testing.assert_close(spectrum.cpu().to(torch.complex64), expected, atol=0.02, rtol=1e-3)
    back = torch.fft.irfft(spectrum)
    assert back.dtype == torch.half
    torch.testing.assert_close(back.cpu(), half, atol=0.01, rtol=1e-2)
    flags = torch.tensor([[True, False], [True, True]], device="cuda")
    assert torch.equal(flags.abs(), flags) and flags.trace().item() == 2
    gap = torch.tensor([1 + 2j, complex("nan"), 3 - 1j], device="cuda")
    assert gap.nansum().item() == 4 + 1j


@on_device
def test_histogram_of_integers() -> None:
    import torch

    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
        x = torch.tensor([0, 1, 1, 3, 6, 7, 7, 7], dtype=dtype, device="cuda")
        counts = torch.histc(x, 8, 0, 7)
        assert counts.dtype == dtype and counts.tolist() == [1, 2, 0, 1, 0, 0, 1, 3]
        out = torch.empty(0, dtype=dtype, device="cuda")
        assert torch.histc(x, 8, 0, 7, out=out) is out and torch.equal(out, counts)


@on_device
def test_what_an_operator_writes_besides_its_result_is_written() -> None:
    import torch

    x = torch.randn(64, device="cuda").half()
    noise = torch.full_like(x, 9)
    y = torch.ops.aten.rrelu_with_noise(x, noise, 0.1, 0.3, True)
    assert torch.equal(noise[x > 0], torch.ones_like(noise[x > 0]))
    assert ((noise[x < 0] >= 0.1) & (noise[x < 0] <= 0.3)).all()
    torch.testing.assert_close(y, x * noise)


@on_device
def test_what_a_gpu_refuses_is_refused_in_the_same_words() -> None:
    import pytest
    import torch
    import torch.nn.functional as F

    a = torch.ones(4, 4, device="cuda", dtype=torch.long)
    for call, kernel in (
        (lambda: a @ a, "\"addmm_cuda\" not implemented for 'Long'"),
        (lambda: a.int() @ a.int(), "\"addmm_cuda\" not implemented for 'Int'"),
        (lambda: F.linear(a, a, a[0]), "\"addmm_cuda\" not implemented for 'Long'"),
        (lambda: torch.bmm(a[None], a[None]), "\"baddbmm_cuda\" not implemented for 'Long'"),
        (lambda: F.max_pool2d(a[None, None], 2), '"max_pool2d_with_indices_out_cuda_frame" not implemented'),
        (lambda: torch.histc(a.half()), "\"histc\" not implemented for 'Half'"),
    ):
        with pytest.raises(NotImplementedError, match=kernel):
            call()
    with pytest.raises(NotImplementedError, match=r"Could not run 'aten::histogram\.bin_ct'"):
        torch.histogram(torch.ones(4, device="cuda"), 2)
    with pytest.raises(RuntimeError, match="powers of two when computing in half precision"):
        torch.fft.fft(torch.ones(12, device="cuda", dtype=torch.half))
    assert (a.float() @ a.float()).sum().item() == 64


# In the database for both, and not the same: sparse tensors and fused attention, which are refused as such.
_ATTENTION = ("torch.ops.aten._flash_attention_forward", "torch.ops.aten._efficient_attention_forward")
APART = ("to_sparse", *_ATTENTION)
# Refused by a GPU for some samples only: what is a product of matrices, and reductions of bool except sums.
SOME_SAMPLES = ("einsum", "inner", "tensordot", "nn.functional.bilinear", "scatter_reduce")


@on_device
def test_the_dtypes_are_those_of_pytorchs_database_of_operators() -> None:
    import warnings

    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    from cusimt.tests.test_device_dtypes import APART, SOME_SAMPLES

    warnings.simplefilter("ignore")
    wrong = []
    for op in op_db:
        for dtype in op.dtypes ^ op.dtypesIfCUDA:
            of_8_bits = dtype.itemsize == 1 and dtype.is_floating_point
            if op.name in APART or of_8_bits or dtype == torch.complex32:
                continue
            on_a_gpu = dtype in op.dtypesIfCUDA
            if op.name in SOME_SAMPLES and not on_a_gpu:
                continue
            try:
                samples = list(op.sample_inputs("cuda", dtype, requires_grad=False))[:2]
            except RuntimeError as refusal:  # the samples themselves are computed with what is refused
                assert not on_a_gpu, (op.name, dtype, refusal)
                continue
            for sample in samples:
                try:
                    op.op(sample.input, *sample.args, **sample.kwargs)
                    here = True
                except RuntimeError:
                    here = False
                if here != on_a_gpu:
                    wrong.append((op.name, op.variant_test_name, dtype))
                    break
    assert not wrong
