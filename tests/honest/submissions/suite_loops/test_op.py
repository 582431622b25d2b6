"""Tests of op.bias_softmax: every promise in the docstring of op.py, and nothing that it does not promise.

All tests together have 20 seconds of processor time against one implementation: use small tensors.
"""

from collections.abc import Callable

import op
import pytest
import torch

DTYPES = [torch.float16, torch.float32, torch.float64]
Pair = tuple[torch.Tensor, torch.Tensor]


def draw(
    shape: tuple[int, ...], dtype: torch.dtype = torch.float32, spread: float = 4, device: str = "cuda"
) -> Pair:
    """x of `shape` with values between -spread and spread, and a bias for it; the same ones every time."""
    generator = torch.Generator().manual_seed(27)
    x = spread * (2 * torch.rand(shape, generator=generator, dtype=torch.float64) - 1)
    bias = 2 * torch.rand(shape[-1:], generator=generator, dtype=torch.float64) - 1
    return x.to(device, dtype), bias.to(device, dtype)


def reference(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """The same in plain PyTorch: on the CPU, in float64, so more exact than the results that it judges."""
    return torch.softmax(x.cpu().double() + bias.cpu().double(), -1)


def tolerance(dtype: torch.dtype, terms: int, largest: float) -> tuple[float, float]:
    """(relative, absolute): how far a correct result of `dtype` may be from the exact one.

    A row adds up `terms` numbers, in an order that is not promised; `largest` is the largest |x + bias|.
    """
    summed_in = torch.float64 if dtype == torch.float64 else torch.float32
    last_rounding = torch.finfo(dtype).eps
    # each addition rounds; so does x + bias, and exp turns that absolute error into a relative one
    on_the_way = (terms + 2 * largest + 8) * torch.finfo(summed_in).eps
    smallest_step = torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps
    return last_rounding + on_the_way, smallest_step


def check(x: torch.Tensor, bias: torch.Tensor) -> None:
    """The result has the right shape, dtype, device and values; NaN exactly where the reference has NaN."""
    out = op.bias_softmax(x, bias)
    assert (out.shape, out.dtype, out.device) == (x.shape, x.dtype, x.device)
    summed = (x.cpu().double() + bias.cpu().double()).nan_to_num(0, 0, 0).abs()
    largest = summed.max().item() if summed.numel() else 0.0
    relative, absolute = tolerance(x.dtype, x.shape[-1], largest)
    torch.testing.assert_close(
        out.cpu().double(), reference(x, bias), rtol=relative, atol=absolute, equal_nan=True
    )


def test_by_hand() -> None:
    """exp(log 1) and exp(log 3) are one quarter and three quarters of their sum."""
    x = torch.zeros(2, 2, device="cuda", dtype=torch.float64)
    bias = torch.tensor([1.0, 3.0], device="cuda", dtype=torch.float64).log()
    expected = torch.tensor([[0.25, 0.75], [0.25, 0.75]], device="cuda", dtype=torch.float64)
    torch.testing.assert_close(op.bias_softmax(x, bias), expected)


def test_columns() -> None:
    for columns in (1, 3, 33, 127, 128, 130, 513, 1025):
        check(*draw((2, columns)))


@pytest.mark.parametrize("shape", [(7,), (1, 5), (300, 3), (2, 3, 4, 5), (0, 4), (4, 0), (0,), (2, 0, 3)])
def test_shapes(shape: tuple[int, ...]) -> None:
    check(*draw(shape))




def test_dtypes() -> None:
    for dtype in DTYPES:
        for columns in (7, 700):
            check(*draw((3, columns), dtype))




@pytest.mark.parametrize("offset", [3000.0, -3000.0])
def test_large_values(offset: float) -> None:
    x, bias = draw((3, 50))
    check(x + offset, bias)


def test_values_that_are_not_finite_stay_in_their_row() -> None:
    x, bias = draw((5, 40))
    x[1, 7] = float("nan")
    x[2, :20] = -float("inf")
    x[3] = -float("inf")
    check(x, bias)




@pytest.mark.parametrize(
    "view",
    [lambda x: x.t(), lambda x: x[:, ::2], lambda x: x[1:-1, 1:-2], lambda x: x[:1].expand(6, -1)],
    ids=["transposed", "every second column", "cut out", "expanded"],
)
def test_layouts_of_x(view: Callable[[torch.Tensor], torch.Tensor]) -> None:
    x = view(draw((12, 12))[0])
    check(x, draw(tuple(x.shape))[1])


def test_layouts_of_bias() -> None:
    x, _ = draw((4, 20))
    check(x, draw((40,))[1][::2])
    check(x, draw((1,))[1].expand(20))




def check_gradients(x: torch.Tensor, bias: torch.Tensor, grad_out: torch.Tensor) -> None:
    """For the cotangent `grad_out`, the gradients of x and bias agree with autograd through the reference."""
    found = torch.autograd.grad(op.bias_softmax(x, bias), (x, bias), grad_out)
    exact_x, exact_bias = (each.detach().cpu().double().requires_grad_() for each in (x, bias))
    cotangent = grad_out.cpu().double()
    expected = torch.autograd.grad(reference(exact_x, exact_bias), (exact_x, exact_bias), cotangent)
    rows = max(1, x.numel() // bias.numel())
    relative, _ = tolerance(x.dtype, x.shape[-1] + rows, 5.0)
    for one, other, terms in zip(found, expected, (1, rows), strict=True):
        torch.testing.assert_close(one.cpu().double(), other, rtol=relative, atol=terms * relative)


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 2, 3)])
def test_gradcheck(shape: tuple[int, ...]) -> None:
    x, bias = draw(shape, torch.float64)
    assert torch.autograd.gradcheck(op.bias_softmax, (x.requires_grad_(), bias.requires_grad_()))


@pytest.mark.parametrize("kind", ["random", "transposed", "expanded"])
def test_gradients_of_wide_rows(kind: str) -> None:
    x, bias = draw((4, 300))
    grad_out = {"random": x.cos(), "transposed": x.t().contiguous().t(), "expanded": bias.expand(4, -1)}[kind]
    check_gradients(x.requires_grad_(), bias.requires_grad_(), grad_out.detach())


@pytest.mark.parametrize("asked", [0, 1])
def test_one_gradient_alone(asked: int) -> None:
    pair = draw((3, 4), torch.float64)
    pair[asked].requires_grad_()
    op.bias_softmax(*pair).square().sum().backward()
    alone = pair[asked].grad
    both = [each.detach().requires_grad_() for each in pair]
    op.bias_softmax(*both).square().sum().backward()
    torch.testing.assert_close(alone, both[asked].grad)
    assert pair[1 - asked].grad is None




def test_nothing_that_exists_is_changed() -> None:
    x, bias = draw((6, 9))
    grad_out = x.cos()
    kept = [each.clone() for each in (x, bias, grad_out)]
    out = op.bias_softmax(x.requires_grad_(), bias.requires_grad_())
    first = out.detach().clone()
    op.bias_softmax(2 * x, bias)
    out.backward(grad_out)
    for now, before in zip((x, bias, grad_out, out), (*kept, first), strict=True):
        assert torch.equal(now, before)




REFUSED: dict[str, Callable[[torch.Tensor, torch.Tensor], Pair]] = {
    "bias too short": lambda x, bias: (x, bias[:-1]),
    "bias too long": lambda x, bias: (x, torch.cat([bias, bias])),
    "bias a matrix": lambda x, bias: (x, bias[None]),
    "bias of another dtype": lambda x, bias: (x, bias.double()),
    "bias on the CPU": lambda x, bias: (x, bias.cpu()),
    "x a scalar": lambda x, bias: (x[0, 0], bias),
    "x on the CPU": lambda x, bias: (x.cpu(), bias),
    "x of whole numbers": lambda x, bias: (x.int(), bias.int()),
}


def test_refused_by_name() -> None:
    import re

    for wrong, change in REFUSED.items():
        try:
            op.bias_softmax(*change(*draw((4, 6))))
        except RuntimeError as error:
            assert type(error) is RuntimeError
            named = wrong.split()[0]
            assert re.search(rf"(?<!\w){named}(?!\w)", str(error)), wrong
        else:
            pytest.fail(f"{wrong} was accepted")




def milliseconds(streams: list[torch.cuda.Stream], work: Callable[[], object]) -> list[float]:
    """Call `work`, and return how long each stream was busy. The first one's events enclose the others'."""
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in streams]
    for stream, (begin, _) in zip(streams, events, strict=True):
        begin.record(stream)
    work()
    for stream, (_, end) in reversed(list(zip(streams, events, strict=True))):
        end.record(stream)
    torch.cuda.synchronize()
    return [begin.elapsed_time(end) for begin, end in events]


def test_the_current_stream_is_used() -> None:
    x, bias = draw((100, 8))
    default, side = torch.cuda.default_stream(), torch.cuda.Stream()
    side.wait_stream(default)
    with torch.cuda.stream(side):
        on_side, on_default = milliseconds([side, default], lambda: op.bias_softmax(x, bias))
    assert on_side > on_default


def test_the_default_stream_is_not_waited_for() -> None:
    x, bias = draw((100, 8))
    expected = torch.softmax(x + bias, -1).cpu()
    on_host, side = torch.zeros(1 << 22).pin_memory(), torch.cuda.Stream()
    for _ in range(16):
        on_host.to("cuda", non_blocking=True)  # keep the default stream busy for some milliseconds
    with torch.cuda.stream(side):
        out = op.bias_softmax(x, bias).cpu()  # waits for the side stream only
    torch.testing.assert_close(out, expected)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two devices")
def test_the_device_of_x_is_used() -> None:
    check(*draw((4, 50), device="cuda:1"))




def test_the_same_bits_every_time() -> None:
    x, bias = draw((12, 70))
    x, bias, grad_out = x.requires_grad_(), bias.requires_grad_(), x.cos()

    def bits() -> list[torch.Tensor]:
        out = op.bias_softmax(x, bias)
        return [out, *torch.autograd.grad(out, (x, bias), grad_out)]

    first = bits()
    for _ in range(2):
        for one, other in zip(first, bits(), strict=True):
            assert torch.equal(one, other)




def test_time_compared_with_torch_in_the_same_run() -> None:
    x, bias = draw((80, 8))
    own, theirs = [], []
    for _ in range(3):
        stream = [torch.cuda.current_stream()]
        own += milliseconds(stream, lambda: op.bias_softmax(x, bias))
        theirs += milliseconds(stream, lambda: torch.softmax(x + bias, -1))
    assert sorted(own)[1] < 10 * sorted(theirs)[1]


def test_only_the_result_takes_memory() -> None:
    x, bias = draw((8, 128))
    op.bias_softmax(x, bias)  # what the first call allocates may stay
    before = torch.cuda.memory_allocated()
    out = op.bias_softmax(x, bias)
    assert torch.cuda.memory_allocated() <= before + 2 * out.numel() * out.element_size()
    del out
    assert torch.cuda.memory_allocated() == before


