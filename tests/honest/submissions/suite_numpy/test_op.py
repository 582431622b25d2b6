"""bias_softmax against NumPy: plain functions and loops."""

import re

import numpy as np
import op
import pytest
import torch

EPS = {torch.float16: 2.0**-10, torch.float32: 2.0**-23, torch.float64: 2.0**-52}
SUM_EPS = {torch.float16: 2.0**-23, torch.float32: 2.0**-23, torch.float64: 2.0**-52}
TINY = {torch.float16: 2.0**-24, torch.float32: 2.0**-149, torch.float64: 0.0}


def np_softmax(x: np.ndarray, bias: np.ndarray) -> np.ndarray:
    z = x.astype(np.float64) + bias.astype(np.float64)
    if z.size == 0:
        return z
    with np.errstate(invalid="ignore"):
        e = np.exp(z - z.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)


def np_backward(y: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    gx = y * (g - (g * y).sum(-1, keepdims=True))
    return gx, gx.reshape(-1, gx.shape[-1]).sum(0)


def make(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0, scale: float = 3.0):
    rng = np.random.default_rng(seed)
    x = torch.from_numpy(scale * rng.standard_normal(shape)).to(dtype)
    b = torch.from_numpy(rng.uniform(-1, 1, shape[-1:])).to(dtype)
    return x.cuda(), b.cuda()


def assert_matches(x: torch.Tensor, b: torch.Tensor) -> None:
    y = op.bias_softmax(x, b)
    assert y.shape == x.shape
    assert y.dtype is x.dtype
    assert y.device == x.device
    xn, bn = x.cpu().numpy(), b.cpu().numpy()
    z = np.abs(np.nan_to_num(xn.astype(float) + bn.astype(float), nan=0, posinf=0, neginf=0))
    top = z.max() if z.size else 0
    rtol = EPS[x.dtype] + (x.shape[-1] + 2 * top + 8) * SUM_EPS[x.dtype]
    np.testing.assert_allclose(
        y.cpu().numpy().astype(np.float64), np_softmax(xn, bn), rtol=rtol, atol=TINY[x.dtype], equal_nan=True
    )


def test_many_widths() -> None:
    for n in [*range(1, 10), 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1025]:
        assert_matches(*make(2, n, seed=n))


def test_many_shapes() -> None:
    for shape in [(1,), (9,), (1, 1), (513, 2), (2, 3, 4), (3, 1, 2, 5), (0, 3), (3, 0), (0,), (0, 0), (2, 0, 5)]:
        assert_matches(*make(*shape))


def test_every_dtype() -> None:
    for dtype in EPS:
        for n in (3, 40, 700):
            assert_matches(*make(3, n, dtype=dtype))


def test_shift_invariance() -> None:
    for shift in (1e4, -1e4, 200.0, -200.0):
        x, b = make(4, 33)
        assert_matches(x + shift, b)
    x, b = make(2, 10, dtype=torch.float64)
    assert_matches(x - 5000, b)


def test_nan_and_infinity() -> None:
    x, b = make(6, 17)
    x[0, 3] = np.nan
    x[2, 5:] = -np.inf
    x[3, :] = -np.inf
    y = op.bias_softmax(x, b).cpu()
    assert y[0].isnan().all()
    assert not y[[1, 2, 4, 5]].isnan().any()
    assert (y[2, 5:] == 0).all()
    assert y[3].isnan().all()
    assert_matches(x, b)


def test_views() -> None:
    big, b = make(20, 20)
    assert_matches(big.T, b)
    assert_matches(big[3:9, 2:12], b[:10])
    assert_matches(big[::3, ::2], b[::2])
    assert_matches(big[:, :1].expand(20, 20), b)
    assert_matches(big[:1].expand(5, 20), b[:1].expand(20))
    assert_matches(big.as_strided((10, 20), (1, 7)), b.flip(0))
    assert_matches(make(2, 3, 4)[0].permute(2, 0, 1), b[5:8])


def grads(x, b, g):
    x, b = x.detach().requires_grad_(), b.detach().requires_grad_()
    op.bias_softmax(x, b).backward(g)
    return x.grad, b.grad


def assert_gradients(x, b, g, tol) -> None:
    gx, gb = grads(x, b, g)
    want_x, want_b = np_backward(np_softmax(x.cpu().numpy(), b.cpu().numpy()), g.cpu().double().numpy())
    np.testing.assert_allclose(gx.cpu().double().numpy(), want_x, rtol=tol, atol=tol)
    np.testing.assert_allclose(gb.cpu().double().numpy(), want_b, rtol=tol, atol=tol * len(x))


def test_gradients_by_formula() -> None:
    for shape in [(7,), (3, 8), (2, 3, 5), (2, 2, 2, 3)]:
        x, b = make(*shape, dtype=torch.float64)
        assert_gradients(x, b, torch.randn_like(x), 1e-12)
    for n in (150, 300, 1100):
        x, b = make(3, n)
        assert_gradients(x, b, torch.randn_like(x), 1e-5)


def test_cotangents_that_are_views() -> None:
    x, b = make(5, 200)
    assert_gradients(x, b, torch.randn(200, 5, device="cuda").T, 1e-5)
    assert_gradients(x, b, torch.randn(200, device="cuda").expand(5, 200), 1e-5)
    assert_gradients(x, b, torch.randn(5, 400, device="cuda")[:, ::2], 1e-5)


def test_only_what_is_asked_for() -> None:
    x, b = make(4, 6)
    g = torch.randn_like(x)
    both = grads(x, b, g)
    xr = x.clone().requires_grad_()
    op.bias_softmax(xr, b).backward(g)
    assert torch.allclose(xr.grad, both[0])
    br = b.clone().requires_grad_()
    op.bias_softmax(x, br).backward(g)
    assert torch.allclose(br.grad, both[1])


def test_arguments_survive() -> None:
    x, b = make(5, 5)
    g = torch.randn_like(x)
    before = [t.cpu().numpy().tobytes() for t in (x, b, g)]
    first = op.bias_softmax(x, b)
    kept = first.cpu().numpy().tobytes()
    grads(x, b, g)
    op.bias_softmax(x + 1 * x, b)
    assert [t.cpu().numpy().tobytes() for t in (x, b, g)] == before
    assert first.cpu().numpy().tobytes() == kept
    assert first.data_ptr() not in (x.data_ptr(), b.data_ptr())


def refusal(x, b) -> str:
    try:
        op.bias_softmax(x, b)
    except RuntimeError as error:
        assert type(error) is RuntimeError
        return str(error)
    pytest.fail("was not refused")


def names(message: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]+", message))


def test_refusals() -> None:
    x, b = make(3, 4)
    for bad in (b[:3], torch.cat((b, b[:1])), b.reshape(2, 2), b.reshape(1, 4), b[0], b.cpu(), b.half(), b.double(), b.int()):
        assert "bias" in names(refusal(x, bad))
    for bad in (x.cpu(), x.long(), x.bool(), x[0, 0]):
        assert "x" in names(refusal(bad, b.to(bad.dtype)))


def test_another_stream() -> None:
    x, b = make(64, 16)
    want = op.bias_softmax(x, b).cpu()
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    pinned = torch.ones(1 << 22).pin_memory()
    for _ in range(16):
        pinned.to("cuda", non_blocking=True)
    with torch.cuda.stream(side):
        got = op.bias_softmax(x, b)
        side.synchronize()
        got = got.cpu()
    assert torch.equal(got, want)


def test_queued_on_the_current_stream() -> None:
    x, b = make(90, 6)
    side, default = torch.cuda.Stream(), torch.cuda.default_stream()
    side.wait_stream(default)
    times = {}
    for stream in (side, default):
        times[stream] = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        times[stream][0].record(stream)
    with torch.cuda.stream(side):
        op.bias_softmax(x, b)
    for stream in (default, side):
        times[stream][1].record(stream)
    torch.cuda.synchronize()
    on_side, on_default = (first.elapsed_time(last) for first, last in times.values())
    assert on_side > on_default


def test_another_device() -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("one device")
    x, b = make(4, 40)
    assert_matches(x.to("cuda:1"), b.to("cuda:1"))
    with torch.cuda.device(1):
        assert_matches(x, b)


def test_deterministic() -> None:
    x, b = make(9, 140)
    g = torch.randn_like(x)
    first = op.bias_softmax(x, b), *grads(x, b, g)
    for _ in range(3):
        again = op.bias_softmax(x, b), *grads(x, b, g)
        assert all(torch.equal(one, other) for one, other in zip(first, again))


def elapsed(f) -> float:
    a, z = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    f()
    a.record()
    f()
    z.record()
    z.synchronize()
    return a.elapsed_time(z)


def test_one_launch_for_many_rows() -> None:
    x, b = make(200, 4)
    ours = min(elapsed(lambda: op.bias_softmax(x, b)) for _ in range(3))
    theirs = max(elapsed(lambda: torch.softmax(x + b, -1)) for _ in range(3))
    assert ours < 10 * theirs


def test_memory_is_returned() -> None:
    x, b = make(16, 64)
    op.bias_softmax(x, b)
    before = torch.cuda.memory_allocated()
    for _ in range(5):
        op.bias_softmax(x, b)
    assert torch.cuda.memory_allocated() == before
