"""alpha * x + y from a package that setup.py compiled with CUDAExtension."""

import torch
from axpy import axpy


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
