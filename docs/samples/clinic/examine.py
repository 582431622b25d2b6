"""Compare operations of exercise 26 with PyTorch, without the grader.

    python -m cusimt docs/samples/clinic/examine.py exercises/26_debugging_clinic block_sums
    compute-sanitizer --tool racecheck python examine.py FOLDER block_sums

The first word is the folder with op.py; then come names of operations, by default all of them. On a GPU the
process ends at the first error of a kernel: name one operation at a time.
"""

import sys
from collections.abc import Callable
from types import ModuleType

import torch
from torch import Tensor
from torch.nn.functional import pad, silu

N = 1000  # four blocks of 256 threads, the last one not full


def vector(n: int = N) -> Tensor:
    return torch.linspace(-2, 1.5, n, device="cuda")


def image() -> Tensor:
    """Two rows of a large image: the second one begins beyond offset 2^31."""
    pixels = torch.empty(2**31 + 300, dtype=torch.uint8, device="cuda")
    return pixels.as_strided((2, 300), (2**31, 1)).fill_(7)


def mean_of_three(x: Tensor) -> Tensor:
    return (torch.cat((x[:1], x[:-1])) + x + torch.cat((x[1:], x[-1:]))) / 3


def slope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    return torch.autograd.grad(function(x).sum(), x)[0]


def silu_twice(op: ModuleType) -> tuple[Tensor, Tensor]:
    return slope(op.silu_twice, vector()), slope(lambda x: silu(silu(x)), vector())


def row_sums(op: ModuleType) -> tuple[Tensor, Tensor]:
    return op.row_sums(vector().view(50, 20).t()), vector().view(50, 20).sum(0)


def byte_counts(op: ModuleType) -> tuple[Tensor, Tensor]:
    x = torch.arange(N, device="cuda").to(torch.uint8)
    return op.byte_counts(x), torch.bincount(x.int(), minlength=256).int()


def normalise(op: ModuleType) -> tuple[Tensor, Tensor]:
    """On a stream of its own, which is done before the results are compared."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = vector() * 3
        pair = op.normalise(x), x / 6
    stream.synchronize()
    return pair


def scale_rows(op: ModuleType) -> tuple[Tensor, Tensor]:
    x, factors = torch.ones(2, 1500, device="cuda"), torch.tensor([2.0, 3.0], device="cuda")
    return op.scale_rows(x, factors), factors[:, None] * x


def by_blocks(beyond: float) -> Tensor:
    return pad(vector(), (0, -N % 256), value=beyond).view(-1, 256)


PAIRS: dict[str, Callable[[ModuleType], tuple[Tensor, Tensor]]] = {
    "count_above": lambda op: (op.count_above(vector(), 0.25), (vector() > 0.25).sum().int()),
    "polynomial": lambda op: (op.polynomial(vector(), [1.0, 0.5]), 1 + vector() / 2),
    "clip": lambda op: (op.clip(vector(), vector()[:1] + 3), vector().clamp(max=1)),
    "row_sums": row_sums,
    "negative": lambda op: (op.negative(image()), 255 - image()),
    "block_sums": lambda op: (op.block_sums(vector()), by_blocks(0).sum(1)),
    "block_maxima": lambda op: (op.block_maxima(vector()), by_blocks(-torch.inf).amax(1)),
    "byte_counts": byte_counts,
    "scale_rows": scale_rows,
    "normalise": normalise,
    "smooth": lambda op: (op.smooth(vector()), mean_of_three(mean_of_three(vector()))),
    "silu_twice": silu_twice,
}


def main(folder: str, *names: str) -> None:
    sys.path.insert(0, folder)
    import op

    for name in names or PAIRS:
        try:
            got, expected = PAIRS[name](op)
            same = torch.allclose(got, expected, rtol=1e-4, atol=1e-5)
            torch.cuda.synchronize()
        except RuntimeError as error:
            print(f"{name}: {str(error).splitlines()[0]}", flush=True)
        else:
            print(f"{name}: {'right' if same else 'wrong'}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
