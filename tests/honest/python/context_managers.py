from contextlib import ExitStack, contextmanager, nullcontext, suppress

import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)


@contextmanager
def guarded(tensor):
    if not tensor.is_floating_point():
        raise TypeError(f"{tensor.dtype} is not supported")
    yield tensor.contiguous()


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        with ExitStack() as stack, nullcontext():
            a, b = (stack.enter_context(guarded(each)) for each in (a, b))
            ctx.save_for_backward(a, b)
            return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        grads = [None, None, None]
        with suppress(StopIteration), guarded(grad) as grad:
            for position, other in enumerate(reversed(ctx.saved_tensors)):
                grads[position] = torch.ops.toy_muladd.muladd(grad, other, 0.0)
        return tuple(grads)


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
