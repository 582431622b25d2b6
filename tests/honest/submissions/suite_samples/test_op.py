"""Classes, fixtures, helpers with yield, unittest-style assertions, Jacobians instead of gradcheck."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import itertools


import op
import pytest
import torch
from torch.testing import assert_close, make_tensor

cuda = torch.device("cuda")
softmax = op.bias_softmax


@dataclasses.dataclass(frozen=True)
class Sample:
    x: torch.Tensor
    bias: torch.Tensor

    @classmethod
    def of(cls, *shape, dtype=torch.float32, device=cuda, low=-4, high=4):
        return cls(
            make_tensor(shape, dtype=dtype, device=device, low=low, high=high),
            make_tensor(shape[-1:], dtype=dtype, device=device, low=-1, high=1),
        )

    def exact(self):
        return (self.x.double() + self.bias.double()).softmax(dim=-1)

    def bound(self):
        info = torch.finfo(self.x.dtype)
        inner = torch.finfo(torch.float64 if self.x.dtype is torch.float64 else torch.float32)
        z = (self.x.double() + self.bias.double()).abs()
        z = z[z.isfinite()]
        top = float(z.max()) if z.numel() else 0.0
        return dict(rtol=info.eps + inner.eps * (self.x.size(-1) + 2 * top + 8), atol=info.smallest_normal * info.eps)

    def check(self):
        out = softmax(self.x, self.bias)
        assert out.size() == self.x.size() and out.dtype == self.x.dtype and out.device == self.x.device
        assert_close(out.double(), self.exact(), equal_nan=True, check_stride=False, **self.bound())
        return out


@pytest.fixture(autouse=True, scope="module")
def seed():
    torch.manual_seed(0)
    yield


@pytest.fixture(params=(torch.half, torch.float, torch.double), ids=("half", "float", "double"))
def dtype(request):
    return request.param


class TestValues:
    @pytest.mark.parametrize("cols", [1, 2, 3, 31, 32, 33, 127, 128, 129, 130, 255, 256, 257, 1023, 1025])
    def test_cols(self, cols):
        Sample.of(3, cols).check()

    @pytest.mark.parametrize("rows", [1, 2, 64, 255, 257, 300])
    def test_rows(self, rows):
        Sample.of(rows, 3).check()

    @pytest.mark.parametrize("shape", [(4,), (2, 3, 4), (2, 1, 3, 4), (1, 1, 1, 1, 1), (0, 3), (3, 0), (0,), (3, 0, 2)], ids=str)
    def test_shape(self, shape):
        Sample.of(*shape).check()

    @pytest.mark.parametrize("cols", [7, 640])
    def test_dtype(self, dtype, cols):
        Sample.of(4, cols, dtype=dtype).check()

    def test_extremes(self, dtype):
        top = 2000 if dtype is torch.half else 1e6
        for offset in (top, -top):
            s = Sample.of(2, 24, dtype=torch.double)
            Sample((s.x + offset).to(dtype), s.bias.to(dtype)).check()

    def test_nonfinite(self):
        s = Sample.of(4, 12)
        s.x[0, 0] = torch.nan
        s.x[1, ::2] = -torch.inf
        s.x[2].fill_(-torch.inf)
        out = s.check()
        rows = out.isnan().any(-1).tolist()
        assert rows == [True, False, True, False]
        assert out[1, ::2].count_nonzero().item() == 0

    def test_nan_in_bias(self):
        s = Sample.of(2, 6)
        s.bias[4] = float("nan")
        assert softmax(s.x, s.bias).isnan().all()


class TestViews:
    views = {
        "transposed": lambda t: t.mT,
        "step": lambda t: t[:, 1::2],
        "window": lambda t: t[2:7, 3:8],
        "broadcast rows": lambda t: t[0].broadcast_to(4, -1),
        "broadcast columns": lambda t: t[:, :1].broadcast_to(-1, 4),
        "flipped": lambda t: t.flip(1),
        "movedim": lambda t: t.view(2, 5, 10).movedim(0, -1),
    }

    @pytest.mark.parametrize("name", list(views))
    def test_x(self, name):
        x = self.views[name](Sample.of(10, 10).x)
        Sample(x, Sample.of(x.size(-1)).bias).check()

    def test_bias(self):
        base = Sample.of(5, 30)
        for bias in (base.bias[::3], base.bias[-10:], base.bias[:1].expand(10), base.x[:, 0].repeat(2)[:10], base.x.flatten()[::15]):
            Sample(base.x[:, :10].clone(), bias).check()


class TestBackward:
    @pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 2, 3)])
    def test_jacobian(self, shape):
        s = Sample.of(*shape, dtype=torch.double)
        ours = torch.autograd.functional.jacobian(softmax, (s.x, s.bias))
        theirs = torch.autograd.functional.jacobian(lambda x, b: (x + b).softmax(-1), (s.x, s.bias))
        assert_close(ours, theirs)

    def test_finite_differences(self):
        s = Sample.of(3, 4, dtype=torch.double)
        w = torch.rand_like(s.x)
        x, b = s.x.clone().requires_grad_(), s.bias.clone().requires_grad_()
        (softmax(x, b) * w).sum().backward()
        h = 1e-6
        for tensor, grad in ((s.x, x.grad), (s.bias, b.grad)):
            for at in itertools.product(*map(range, tensor.shape)):
                old = tensor[at].item()
                values = []
                for step in (h, -h):
                    tensor[at] = old + step
                    values.append((softmax(s.x, s.bias) * w).sum().item())
                tensor[at] = old
                assert (values[0] - values[1]) / (2 * h) == pytest.approx(grad[at].item(), rel=1e-4, abs=1e-7)

    @pytest.mark.parametrize("cols", [129, 300, 1200])
    @pytest.mark.parametrize("layout", ["dense", "t", "expand", "step"])
    def test_wide(self, cols, layout):
        s = Sample.of(4, cols)
        g = {
            "dense": lambda: torch.randn(4, cols, device=cuda),
            "t": lambda: torch.randn(cols, 4, device=cuda).t(),
            "expand": lambda: torch.randn(4, 1, device=cuda).expand(4, cols) * 1,
            "step": lambda: torch.randn(4, 2 * cols, device=cuda)[:, ::2],
        }[layout]()
        if layout == "expand":
            g = torch.randn(cols, device=cuda).expand(4, cols)
        x, b = (t.clone().requires_grad_() for t in (s.x, s.bias))
        softmax(x, b).backward(g)
        x64, b64 = (t.double().requires_grad_() for t in (s.x, s.bias))
        (x64 + b64).softmax(-1).backward(g.double())
        assert_close(x.grad.double(), x64.grad, rtol=1e-4, atol=1e-6)
        assert_close(b.grad.double(), b64.grad, rtol=1e-4, atol=1e-6)

    def test_alone(self):
        s = Sample.of(3, 5, dtype=torch.double)
        w = torch.rand_like(s.x)
        both = torch.autograd.grad((softmax(*(ts := [s.x.requires_grad_(), s.bias.requires_grad_()])) * w).sum(), ts)
        (gx,) = torch.autograd.grad((softmax(s.x, s.bias.detach()) * w).sum(), [s.x])
        (gb,) = torch.autograd.grad((softmax(s.x.detach(), s.bias) * w).sum(), [s.bias])
        assert_close((gx, gb), both)
        assert not softmax(s.x.detach(), s.bias.detach()).requires_grad


class TestUntouched:
    def setup_method(self):
        self.s = Sample.of(7, 11)
        self.g = torch.randn_like(self.s.x)
        self.copies = [t.clone() for t in (self.s.x, self.s.bias, self.g)]

    def teardown_method(self):
        for now, then in zip((self.s.x, self.s.bias, self.g), self.copies):
            assert torch.equal(now.detach(), then)

    def test_forward_and_backward(self):
        one = softmax(self.s.x, self.s.bias)
        copy = one.clone()
        two = softmax(self.s.x.neg(), self.s.bias)
        assert torch.equal(one, copy)
        assert one.data_ptr() != two.data_ptr()
        x, b = self.s.x.detach().requires_grad_(), self.s.bias.detach().requires_grad_()
        out = softmax(x, b)
        kept = out.detach().clone()
        out.backward(self.g)
        assert torch.equal(out.detach(), kept)

    def test_refusals(self):
        x, bias = self.s.x, self.s.bias
        wrong = {
            r"\bbias\b": [(x, bias[1:]), (x, bias.unsqueeze(0)), (x, bias.repeat(2)), (x, bias.half()), (x, bias.to("cpu")), (x, bias[:1])],
            r"\bx\b": [(x.to("cpu"), bias), (x.to(torch.int64), bias.to(torch.int64)), (x[0, 0], bias), (x.bfloat16(), bias.bfloat16())],
        }
        for pattern, calls in wrong.items():
            for call in calls:
                with pytest.raises(RuntimeError, match=pattern):
                    softmax(*call)


@contextlib.contextmanager
def busy_default_stream():
    host = torch.zeros(1 << 22).pin_memory()
    copies = [host.to(cuda, non_blocking=True) for _ in range(12)]
    yield
    torch.cuda.synchronize()
    del copies


class TestPlaces:
    def test_side_stream(self):
        s = Sample.of(50, 20)
        want = s.exact().float()
        torch.cuda.synchronize()
        stream = torch.cuda.Stream()
        with busy_default_stream(), torch.cuda.stream(stream):
            got = softmax(s.x, s.bias)
            done = stream.record_event()
            done.synchronize()
            got = got.to("cpu")
        assert_close(got, want.cpu())

    def test_busy_stream(self):
        s = Sample.of(100, 8)
        default, side = torch.cuda.default_stream(), torch.cuda.Stream()
        side.wait_stream(default)
        marks = {stream: (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for stream in (side, default)}
        for stream, (begin, _) in marks.items():
            begin.record(stream)
        with torch.cuda.stream(side):
            softmax(s.x, s.bias)
        for stream, (_, end) in reversed(marks.items()):
            end.record(stream)
        torch.cuda.synchronize()
        busy = {stream: begin.elapsed_time(end) for stream, (begin, end) in marks.items()}
        assert busy[side] > busy[default]

    @pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one device")
    @pytest.mark.parametrize("index", [0, 1])
    def test_device(self, index):
        with torch.cuda.device(1 - index):
            Sample.of(3, 33, device=torch.device("cuda", index)).check()
            assert torch.cuda.current_device() == 1 - index


class TestRepeats:
    def test_bits(self):
        s = Sample.of(16, 200)
        g = torch.randn_like(s.x)

        def run():
            x, b = s.x.clone().requires_grad_(), s.bias.clone().requires_grad_()
            y = softmax(x, b)
            y.backward(g)
            return torch.cat([y.detach().flatten(), x.grad.flatten(), b.grad])

        runs = [run() for _ in range(4)]
        assert all(torch.equal(runs[0].view(torch.int32), other.view(torch.int32)) for other in runs[1:])


class TestCosts:
    @staticmethod
    def seconds(f):
        torch.cuda.synchronize()
        start = torch.cuda.Event(enable_timing=True)
        stop = torch.cuda.Event(enable_timing=True)
        start.record()
        f()
        stop.record()
        torch.cuda.synchronize()
        return start.elapsed_time(stop)

    def test_rows_cost_no_launches(self):
        few, many = Sample.of(2, 8), Sample.of(128, 8)
        for s in (few, many):
            softmax(s.x, s.bias)
        short = min(self.seconds(lambda: softmax(few.x, few.bias)) for _ in range(5))
        reference = sorted(self.seconds(lambda: (many.x + many.bias).softmax(-1)) for _ in range(5))[2]
        long = sorted(self.seconds(lambda: softmax(many.x, many.bias)) for _ in range(5))[2]
        assert long < 10 * reference, (short, long, reference)

    def test_memory(self):
        s = Sample.of(32, 32)
        softmax(s.x, s.bias)
        gc.collect()
        base = torch.cuda.memory_allocated()
        outs = [softmax(s.x, s.bias) for _ in range(3)]
        size = s.x.nbytes
        assert torch.cuda.memory_allocated() - base <= 3 * size
        outs.clear()
        assert torch.cuda.memory_allocated() == base
