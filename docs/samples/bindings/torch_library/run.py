"""alpha * x + y as an operator: registered in C++, its fake and its gradient in Python."""

from pathlib import Path

import torch
from torch.utils.cpp_extension import load

HERE = Path(__file__).parent
sources = [str(HERE / "axpy.cu"), str(HERE / "binding.cpp")]
load("axpy_library", sources, is_python_module=False)
axpy = torch.ops.axpy_library.axpy.default


@torch.library.register_fake("axpy_library::axpy")
def _(alpha, x, y):
    torch._check(x.shape == y.shape, lambda: f"y must have shape {x.shape}, but has {y.shape}")
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def setup_context(ctx, inputs, output):
    ctx.alpha, _, _ = inputs


def backward(ctx, grad):
    _, wants_x, wants_y = ctx.needs_input_grad
    return None, ctx.alpha * grad if wants_x else None, grad if wants_y else None


torch.library.register_autograd("axpy_library::axpy", backward, setup_context=setup_context)


def main():
    for dtype in (torch.float32, torch.float64):
        x, y = torch.randn(2, 1000, 3, dtype=dtype, device="cuda")
        torch.testing.assert_close(axpy(2.5, x, y), 2.5 * x + y)
        torch.testing.assert_close(axpy(2.5, x.t(), y.t()), 2.5 * x.t() + y.t())
    print("values         right in float32 and float64, contiguous or strided")

    x, y = torch.randn(2, 4, 3, dtype=torch.float64, device="cuda")
    inputs = (2.5, x.requires_grad_(), y.requires_grad_())
    torch.autograd.gradcheck(axpy, inputs)
    print("gradient       agrees with finite differences")

    compiled = torch.compile(lambda *operands: axpy(*operands).sum(), fullgraph=True)
    compiled(*inputs).backward()
    torch.testing.assert_close(x.grad, torch.full_like(x, 2.5))
    torch.library.opcheck(axpy, inputs)
    print("torch.compile  one graph, with the gradient; opcheck passes")


if __name__ == "__main__":
    main()
