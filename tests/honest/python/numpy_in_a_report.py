import statistics
import time
import warnings

import numpy as np
import torch
import torch.nn.functional as F

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b)
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        grad = grad.contiguous()
        return torch.ops.toy_muladd.muladd(grad, b, 0.0), torch.ops.toy_muladd.muladd(grad, a, 0.0), None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)


def report(rounds=10):
    a, b = torch.randn(2, 1 << 16, device="cuda")
    spans = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        begun = time.perf_counter()
        muladd(a, b, 1.0)
        torch.cuda.synchronize()
        spans.append(1e3 * (time.perf_counter() - begun))
    low, high = np.quantile(np.asarray(spans), [0.25, 0.75])
    print(f"median {statistics.median(spans):.4f} ms, {low:.4f} to {high:.4f}", flush=True)
    if not np.isfinite(spans).all():
        warnings.warn("a clock went backwards", RuntimeWarning, stacklevel=2)
    return F.mse_loss(muladd(a, b, 0.0), a * b).item()


if __name__ == "__main__":
    report()
