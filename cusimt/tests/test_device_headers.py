"""Device code over PyTorch's own CUDA headers: generators and Philox, strided tensors, packed accessors."""

from __future__ import annotations

import pytest

from cusimt.tests.device import extension
from cusimt.tests.device.process import on_device


@pytest.fixture(scope="module")
def library() -> str:
    return extension.library("simt_dropout_tests", "dropout.cu")


@on_device
def test_dropout_draws_from_the_generator(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    dropout = torch.ops.simt_dropout_tests.dropout
    x = torch.randn(1001, device="cuda").half()
    torch.cuda.manual_seed(5)
    first, kept = dropout(x, 0.25)
    second, kept_second = dropout(x, 0.25)
    assert not torch.equal(kept, kept_second)  # the offset moved on
    assert 650 < int(kept.sum()) < 850
    torch.testing.assert_close(first, torch.where(kept, x.float() / 0.75, 0.0).half())
    torch.cuda.manual_seed(5)
    assert torch.equal(dropout(x, 0.25)[1], kept)
    state = torch.cuda.get_rng_state()
    again = dropout(x, 0.25)[1]
    assert torch.equal(again, kept_second)
    torch.cuda.set_rng_state(state)
    assert torch.equal(dropout(x, 0.25)[1], again)
    own = torch.Generator(device="cuda").manual_seed(5)
    assert torch.equal(dropout(x, 0.25, own)[1], kept)
    assert own.get_offset() == 4
    assert torch.equal(second, dropout(x, 0.25, own)[0])


@on_device
def test_philox_and_library_operators_share_a_seed(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    generator = torch.Generator(device="cuda").manual_seed(3)
    copy = generator.clone_state()
    drawn = torch.rand(4, device="cuda", generator=generator)
    assert torch.equal(torch.rand(4, device="cuda", generator=copy), drawn)
    generator.set_offset(8)
    assert (generator.get_offset(), copy.get_offset(), generator.initial_seed()) == (8, 0, 3)
    with pytest.raises(RuntimeError, match="multiple of 4"):
        generator.set_offset(3)
    with pytest.raises(RuntimeError, match="wrong size"):
        generator.set_state(torch.zeros(16, dtype=torch.uint8))


@on_device
def test_tensors_of_any_strides(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    for dtype in (torch.float32, torch.bfloat16, torch.int64):
        x = torch.arange(60, device="cuda").reshape(3, 4, 5).to(dtype)
        for view in (x, x.transpose(0, 2), x[:, ::2, 1:], x.permute(1, 0, 2)[1]):
            assert torch.equal(torch.ops.simt_dropout_tests.twice(view), view * 2)


@on_device
def test_packed_accessors(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    x = torch.randn(7, 101, device="cuda")
    for each in (x, x.double(), x.half(), x.t().contiguous().t()):
        expected = each.double().sum(dim=1).to(each.dtype)
        torch.testing.assert_close(torch.ops.simt_dropout_tests.row_sums(each), expected)


@on_device
def test_headers_that_cpu_wheels_lack(library: str) -> None:
    import torch

    torch.ops.load_library(library)
    x = torch.arange(37, device="cuda")
    for dtype in (torch.uint8, torch.int16, torch.int64, torch.float16, torch.bfloat16, torch.float64):
        assert torch.ops.simt_dropout_tests.total((x % 7).to(dtype)).item() == 106
