"""References of normalisations.cu: torch in double precision, gradients by its autograd."""

from __future__ import annotations

import numpy as np
import torch
from numpy.random import Generator
from torch.nn import functional

from cusimt.tests.collection_program import Array, Call, kernel, unset


def _double(array: Array) -> torch.Tensor:
    return torch.from_numpy(array).double().requires_grad_()


def _gradients(output: torch.Tensor, cotangent: Array, *inputs: torch.Tensor) -> list[Array]:
    gradients = torch.autograd.grad(output, inputs, torch.from_numpy(cotangent).double())
    return [gradient.numpy() for gradient in gradients]


@kernel(1, 2, 3)
def softmax_rows(rng: Generator, version: int) -> Call:
    rows, cols = 37, 75
    x = rng.normal(scale=8, size=(rows, cols)).astype(np.float32)
    expected = _double(x).softmax(dim=1).detach().numpy()
    return Call((version, unset(rows, cols), x, rows, cols), {1: expected}, rtol=1e-5, atol=1e-12)


@kernel(1, 32, 77)
def softmax_backward(rng: Generator, cols: int) -> Call:
    x, dy = rng.normal(size=(2, 5, cols)).astype(np.float32)
    inputs = _double(x)
    y = inputs.softmax(dim=1)
    (dx,) = _gradients(y, dy, inputs)
    return Call((unset(5, cols), dy, y.detach().numpy().astype(np.float32), 5, cols), {0: dx}, atol=1e-6)


@kernel(1, 31, 96)
def layernorm_forward(rng: Generator, cols: int) -> Call:
    x = rng.normal(3, 2, size=(9, cols)).astype(np.float32)
    weight, bias = rng.normal(size=(2, cols)).astype(np.float32)
    wide = x.astype(np.float64)
    expected = functional.layer_norm(torch.from_numpy(wide), [cols]).numpy() * weight + bias
    arguments = unset(9, cols), unset(9), unset(9), x, weight, bias, 9, cols
    means, rstd = wide.mean(axis=1), 1 / np.sqrt(wide.var(axis=1) + 1e-5)
    return Call(arguments, {0: expected, 1: means, 2: rstd}, rtol=1e-4, atol=1e-4)


@kernel(4, 33, 100)
def layernorm_backward(rng: Generator, cols: int) -> Call:
    rows = 13
    x, dy = rng.normal(size=(2, rows, cols)).astype(np.float32)
    weight, bias = rng.normal(size=(2, cols)).astype(np.float32)
    inputs, weights, biases = (_double(each) for each in (x, weight, bias))
    output = functional.layer_norm(inputs, [cols], weights, biases)
    gradients = _gradients(output, dy, inputs, weights, biases)
    means = x.mean(axis=1, dtype=np.float64).astype(np.float32)
    rstd = (1 / np.sqrt(x.var(axis=1, dtype=np.float64) + 1e-5)).astype(np.float32)
    zeros = (np.zeros((rows, cols), np.float32), np.zeros(cols, np.float32), np.zeros(cols, np.float32))
    arguments = (*zeros, dy, x, weight, means, rstd, rows, cols)
    return Call(arguments, dict(enumerate(gradients)), rtol=1e-4, atol=1e-4)


@kernel(2, 66, 130)
def rmsnorm_forward(rng: Generator, hidden: int) -> Call:
    x = torch.from_numpy(rng.normal(size=(5, hidden))).bfloat16()
    weight = torch.from_numpy(rng.normal(size=hidden)).bfloat16()
    inverse = x.double().square().mean(dim=1).add(1e-6).rsqrt()
    expected = x.double() * inverse[:, None] * weight.double()

    def near(result: Array) -> None:
        torch.testing.assert_close(
            torch.from_numpy(result).view(torch.bfloat16).double(), expected, rtol=2**-8, atol=1e-6
        )

    x_bits, weight_bits = (each.view(torch.uint16).numpy() for each in (x, weight))
    arguments = (x_bits, weight_bits, unset(5, hidden, dtype=np.uint16), unset(5), 5, hidden)
    return Call(arguments, {2: near, 3: inverse.numpy()}, rtol=1e-5)


@kernel(3, 64, 101)
def rmsnorm_backward(rng: Generator, hidden: int) -> Call:
    x, dy = rng.normal(size=(2, 6, hidden)).astype(np.float32)
    weight = rng.normal(size=hidden).astype(np.float32)
    inputs, weights = _double(x), _double(weight)
    inverse = inputs.square().mean(dim=1, keepdim=True).add(1e-6).rsqrt()
    dx, dweight = _gradients(inputs * inverse * weights, dy, inputs, weights)
    arguments = dy, x, weight, inverse.detach().numpy().astype(np.float32), unset(6, hidden), unset(hidden)
    return Call((*arguments, 6, hidden), {4: dx, 5: dweight}, rtol=1e-4, atol=1e-5)


@kernel(2, 97, 200)
def cross_entropy(rng: Generator, classes: int) -> Call:
    logits = rng.normal(scale=3, size=(7, classes)).astype(np.float32)
    targets = rng.integers(0, classes, 7)
    targets[2] = -100
    inputs = _double(logits)
    losses = functional.cross_entropy(inputs, torch.from_numpy(targets), reduction="none")
    (gradient,) = _gradients(losses, np.ones(7), inputs)
    arguments = unset(7), unset(7, classes), logits, targets, 7, classes
    return Call(arguments, {0: losses.detach().numpy(), 1: gradient}, rtol=1e-5, atol=1e-6)
