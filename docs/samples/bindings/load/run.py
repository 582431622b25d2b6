"""alpha * x + y by torch.utils.cpp_extension.load(): compiled when this first runs."""

from pathlib import Path

import torch
from torch.utils.cpp_extension import load

HERE = Path(__file__).parent
module = load("axpy_module", [str(HERE / "axpy.cu"), str(HERE / "binding.cpp")])


class Axpy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, alpha, x, y):
        ctx.alpha = alpha
        return module.axpy(alpha, x, y)

    @staticmethod
    def backward(ctx, grad):
        _, wants_x, wants_y = ctx.needs_input_grad
        return None, ctx.alpha * grad if wants_x else None, grad if wants_y else None


def axpy(alpha, x, y):
    return Axpy.apply(alpha, x, y)


def main():
    for dtype in (torch.float32, torch.float64):
        x, y = torch.randn(2, 1000, 3, dtype=dtype, device="cuda")
        torch.testing.assert_close(axpy(2.5, x, y), 2.5 * x + y)
        torch.testing.assert_close(axpy(2.5, x.t(), y.t()), 2.5 * x.t() + y.t())
    print("values         right in float32 and float64, contiguous or strided")

    x, y = torch.randn(2, 4, 3, dtype=torch.float64, device="cuda")
    torch.autograd.gradcheck(axpy, (2.5, x.requires_grad_(), y.requires_grad_()))
    print("gradient       agrees with finite differences")

    try:
        torch.compile(axpy, fullgraph=True)(2.5, x, y)
    except torch._dynamo.exc.Unsupported:
        print("torch.compile  breaks the graph: it cannot trace a function of pybind11")


if __name__ == "__main__":
    main()
