"""alpha * x + y as an operator that is written in Python and calls a C function."""

import ctypes
from pathlib import Path

import torch

# After torch: libaxpy.so then finds the CUDA runtime that torch has loaded, and shares it.
library = ctypes.CDLL(str(Path(__file__).parent / "libaxpy.so"))
POINTERS, REST = [ctypes.c_void_p] * 3, [ctypes.c_int64, ctypes.c_void_p]
library.axpy_float.argtypes = [ctypes.c_float, *POINTERS, *REST]
library.axpy_double.argtypes = [ctypes.c_double, *POINTERS, *REST]
FUNCTIONS = {torch.float32: library.axpy_float, torch.float64: library.axpy_double}


@torch.library.custom_op("axpy_python::axpy", mutates_args=(), device_types="cuda")
def axpy(alpha: float, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if x.dtype not in FUNCTIONS:
        raise TypeError(f"x must be float32 or float64, but is {x.dtype}")
    if (y.device, y.dtype, y.shape) != (x.device, x.dtype, x.shape):
        raise ValueError("y must have the device, the dtype and the shape of x")
    x, y = x.contiguous(), y.contiguous()  # copies if strided
    out = torch.empty_like(x)
    with torch.cuda.device(x.device):
        stream = torch.cuda.current_stream().cuda_stream
        pointers = x.data_ptr(), y.data_ptr(), out.data_ptr()
        error = FUNCTIONS[x.dtype](alpha, *pointers, x.numel(), stream)
    if error:
        raise RuntimeError(f"the kernel was not launched: CUDA error {error}")
    return out


@axpy.register_fake
def _(alpha, x, y):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def setup_context(ctx, inputs, output):
    ctx.alpha, _, _ = inputs


def backward(ctx, grad):
    _, wants_x, wants_y = ctx.needs_input_grad
    return None, ctx.alpha * grad if wants_x else None, grad if wants_y else None


axpy.register_autograd(backward, setup_context=setup_context)


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
