import pytest
import torch
from torch.testing import assert_close

sliding_sum = pytest.importorskip("sliding_sum", reason="build it first").sliding_sum

DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")),
]
SHAPES = [(1,), (5,), (3, 256), (2, 3, 257), (1, 1000), (0, 4), (4, 0)]


def reference(x, radius):
    padded = torch.nn.functional.pad(x, (radius, radius))
    return padded.unfold(-1, 2 * radius + 1, 1).sum(-1) if x.numel() else x


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float", "double"])
@pytest.mark.parametrize("radius", [0, 1, 16])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values(shape, radius, dtype, device):
    x = torch.randn(shape, dtype=dtype, device=device)
    assert_close(sliding_sum(x, radius), reference(x, radius))


@pytest.mark.parametrize("device", DEVICES)
def test_not_contiguous(device):
    x = torch.randn(300, 7, device=device).t()
    assert_close(sliding_sum(x, 3), reference(x, 3))


@pytest.mark.parametrize("device", DEVICES)
def test_gradients(device):
    x = torch.randn(2, 300, dtype=torch.float64, device=device)[:, ::30].requires_grad_()
    assert torch.autograd.gradcheck(lambda x: sliding_sum(x, 2), (x,))
    assert torch.autograd.gradgradcheck(lambda x: sliding_sum(x, 2), (x,))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("requires_grad", [False, True])
def test_opcheck(device, requires_grad):
    x = torch.randn(3, 20, device=device, requires_grad=requires_grad)
    torch.library.opcheck(torch.ops.sliding_sum.sliding_sum.default, (x, 2))


@pytest.mark.parametrize("device", DEVICES)
def test_refusals(device):
    x = torch.randn(4, device=device)
    with pytest.raises(RuntimeError, match="radius must not be negative, but is -1"):
        sliding_sum(x, -1)
    with pytest.raises(RuntimeError, match="at least one dimension"):
        sliding_sum(x.sum(), 1)
