"""alpha * x + y from a wheel that fits many versions of PyTorch."""

import torch
from axpy import axpy


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
