import itertools
import math
from collections import Counter, OrderedDict, defaultdict, deque

import torch

import grader

grader.load("toy_muladd", ["kernel.cu", "binding.cpp"], is_python_module=False)

_calls = Counter()
_recent = deque(maxlen=4)
_by_shape = defaultdict(int)


class MulAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        _calls["forward"] += 1
        _by_shape[tuple(a.shape)] += math.prod(a.shape)
        _recent.append(a.dtype)
        ctx.save_for_backward(a, b)
        return torch.ops.toy_muladd.muladd(a, b, c)

    @staticmethod
    def backward(ctx, grad):
        order = OrderedDict(zip("ab", itertools.islice(itertools.cycle(ctx.saved_tensors), 1, 3)))
        grads = [torch.ops.toy_muladd.muladd(grad.contiguous(), each, 0.0) for each in order.values()]
        _calls.update(backward=1)
        return *grads, None


def muladd(a, b, c):
    return MulAdd.apply(a, b, c)
