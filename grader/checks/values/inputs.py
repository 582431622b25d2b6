"""Draw the inputs of a case from the verdict's seed, in the layout that the spec asks for."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeAlias

import torch

from grader.run.values import TensorArg
from grader.specification import Argument, TensorSpec
from grader.specification.vocabulary import far_step, leaves

WIDER = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}

_ROUNDED = 4  # elements: rows of a truncated tensor begin at multiples of these
_GAP = 3  # elements behind each row of a padded tensor

# What a tensor holds, by the spec's word for it.
HOLDS = {
    "nan": "NaN", "inf": "infinities", "large": "large values", "zeros": "only zeros", "ones": "only ones",
    "masked": "-inf", "sorted": "ascending numbers",
}  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """One tensor input: ``tensor`` is on the CPU and has the spec's shape, dtype, strides and offset."""

    spec: TensorSpec
    tensor: torch.Tensor

    @property
    def name(self) -> str:
        return self.spec.name or "?"

    @property
    def seen(self) -> torch.Tensor:
        """What the operation computes on: under autocast the tensor in another dtype, so rounded."""
        dtype = self.spec.computed_in
        return self.tensor if dtype is None else self.tensor.to(getattr(torch, dtype))

    @property
    def coarsest(self) -> torch.dtype:
        """Its own dtype or the one that the operation computes in, whichever holds fewer digits: what is
        written back to it, or is its gradient, has passed through both.
        """
        if self.spec.computed_in is None:
            return self.tensor.dtype
        return max(self.tensor.dtype, self.seen.dtype, key=lambda dtype: torch.finfo(dtype).eps)

    @property
    def device(self) -> str:
        return "numpy" if self.spec.kind == "numpy" else self.spec.device


Value: TypeAlias = "Drawn | int | float | bool | str | list[Value] | None"


@dataclass(frozen=True)
class Inputs:
    """The drawn arguments of one call, in order."""

    values: tuple[Value, ...]

    def tensors(self) -> list[Drawn]:
        """Every tensor, those inside lists included."""
        return list(leaves(self.values, Drawn))

    def named(self, name: str) -> Drawn:
        return next(each for each in self.tensors() if each.name == name)

    def for_worker(self, requires_grad: Collection[str] = ()) -> list[Any]:
        """The arguments as :meth:`grader.run.Session.call` takes them."""
        return [_for_worker(value, requires_grad) for value in self.values]

    def for_reference(self, widen: bool = True, replaced: dict[str, torch.Tensor] | None = None) -> list[Any]:
        """Fresh CPU copies for the reference; floating ones in double precision when ``widen``.

        ``replaced`` gives the tensors to be used for some names, so that autograd can follow them.
        """
        return [_for_reference(value, widen, replaced or {}) for value in self.values]

    def turned(self) -> Iterator[tuple[str, dict[str, torch.Tensor]]]:
        """One or two of the square matrices, transposed: their names, and what takes their place."""
        square = [each for each in self.tensors() if each.seen.ndim == 2 and len({*each.seen.shape}) == 1]
        for chosen in (*combinations(square, 1), *combinations(square, 2)):
            names = " and ".join(each.name for each in chosen)
            yield (
                names,
                {each.name: each.seen.mT.to(WIDER.get(each.seen.dtype, each.seen.dtype)) for each in chosen},
            )


def seeded(seed: int, *labels: object) -> torch.Generator:
    """A generator for one purpose: the same seed and labels always draw the same numbers."""
    text = "/".join(str(label) for label in (seed, *labels))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest, "little") >> 1)


def draw(args: Sequence[Argument], generator: torch.Generator) -> Inputs:
    return Inputs(tuple(_draw(arg, generator) for arg in args))


def draw_tensor(spec: TensorSpec, generator: torch.Generator) -> torch.Tensor:
    """Values as ``spec`` says, laid out as it says, on the CPU."""
    dtype = getattr(torch, spec.dtype)
    shape = spec.shape
    if spec.layout == "expanded" and shape[0] > 0:
        one = _values(spec, (1, *shape[1:]), dtype, generator)
        return one.expand(shape)
    values = _values(spec, shape, dtype, generator)
    if spec.layout == "sliced":
        # The gaps hold plausible numbers, so that a kernel that walks over them is wrong rather than lucky.
        both = _values(spec, (*shape[:-1], 2 * shape[-1]), dtype, generator)
        both[..., ::2] = values
        return both[..., ::2]
    if spec.layout == "padded":
        wider = _values(spec, (*shape[:-1], shape[-1] + _GAP), dtype, generator)
        wider[..., : shape[-1]] = values
        return wider[..., : shape[-1]]
    return in_layout(values, spec.layout)


def in_layout(values: torch.Tensor, layout: str) -> torch.Tensor:
    """`values` with the strides of a layout of `specification.tensor`; as they are for any other word."""
    if layout == "transposed":
        return values.mT.contiguous().mT
    if layout == "interleaved":
        return values.transpose(-3, -2).contiguous().transpose(-3, -2)
    if layout == "permuted":
        return values.movedim(1, -1).contiguous().movedim(-1, 1)
    if layout == "truncated":
        return _truncated(values)
    if layout == "offset":
        storage = values.new_zeros(values.numel() + 1)
        storage[1:] = values.reshape(-1)
        return storage[1:].view(values.shape)
    if layout == "far":
        return _far(values)
    return values


def _truncated(values: torch.Tensor) -> torch.Tensor:
    """Rows that begin longer ones. Who uses what is behind them gets NaN, or the largest integer; behind the
    last row there is nothing.
    """
    if not values.numel():
        return values
    *outer, columns = values.shape
    step = (columns // _ROUNDED + 1) * _ROUNDED
    floating = values.dtype.is_floating_point or values.dtype.is_complex
    rest = float("nan") if floating else _largest(values.dtype)
    longer = values.new_full((*outer, step), rest)
    storage = longer.flatten()[: columns - step].clone()
    return storage.as_strided(values.shape, longer.stride()).copy_(values)


def _largest(dtype: torch.dtype) -> int:
    return 1 if dtype == torch.bool else torch.iinfo(dtype).max


def _far(values: torch.Tensor) -> torch.Tensor:
    """A view whose second entry along the first dimension begins just beyond offset FAR, and whose third
    one, if any, just beyond twice that, which an unsigned 32-bit integer cannot hold either. Where an element
    has two bytes, the last entry alone is beyond FAR, so that the storage has no more than 4 GiB.

    ``torch.empty`` does not touch the pages of a large storage, so only those of the elements are resident.
    """
    inner = values[0].contiguous()
    step = far_step(values.shape[0], values.element_size()) + inner.numel() + 1
    storage = torch.empty((values.shape[0] - 1) * step + inner.numel(), dtype=values.dtype)
    view = storage.as_strided(values.shape, (step, *inner.stride()))
    return view.copy_(values)


def _values(
    spec: TensorSpec, shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator
) -> torch.Tensor:
    if spec.special in ("zeros", "ones"):
        return torch.full(shape, int(spec.special == "ones"), dtype=dtype)
    if spec.special == "sorted":
        return _values(replace(spec, special=None), shape, dtype, generator).sort(-1).values
    if dtype == torch.bool:
        return torch.rand(shape, generator=generator) < 0.5
    if not spec.floating:
        low = max(int(spec.low), torch.iinfo(dtype).min)
        return torch.randint(low, int(spec.high) + 1, shape, generator=generator, dtype=dtype)
    if dtype.is_complex:
        parts = [_floats(spec, shape, torch.float64, generator) for _ in range(2)]
        return _sprinkled(torch.complex(*parts).to(dtype), spec, generator)
    return _sprinkled(_floats(spec, shape, dtype, generator), spec, generator)


def _floats(
    spec: TensorSpec, shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator
) -> torch.Tensor:
    # float32 is drawn as such because large inputs are; the narrower types round a float32.
    drawn_as = torch.float64 if dtype == torch.float64 else torch.float32
    unit = torch.rand(shape, generator=generator, dtype=drawn_as)
    if spec.special == "large":
        sign = torch.rand(shape, generator=generator).round() * 2 - 1
        return (sign * 10 ** (2 + 2 * unit)).to(dtype)
    return (spec.low + (spec.high - spec.low) * unit).to(dtype)


def _sprinkled(values: torch.Tensor, spec: TensorSpec, generator: torch.Generator) -> torch.Tensor:
    """Put NaN or either infinity into about a tenth of the places, and into at least one."""
    if spec.special == "masked":
        return _masked(values, generator)
    if spec.special not in ("nan", "inf") or values.numel() == 0:
        return values
    chosen = torch.rand(values.shape, generator=generator) < 0.1
    chosen.view(-1)[torch.randint(values.numel(), (1,), generator=generator)] = True
    if spec.special == "nan":
        return values.masked_fill(chosen, float("nan"))
    sign = torch.rand(values.shape, generator=generator).round() * 2 - 1
    return torch.where(chosen, (sign * float("inf")).to(values.dtype), values)


def _masked(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """-inf in every row from a random place on: in the whole first row of several, in no other whole row."""
    rows = values.reshape(-1, values.shape[-1]) if values.numel() else values
    if rows.numel() == 0:
        return values
    kept = torch.randint(1, rows.shape[1] + 1, (rows.shape[0], 1), generator=generator)
    if rows.shape[0] > 1:
        kept[0] = 0
    return rows.masked_fill(torch.arange(rows.shape[1]) >= kept, -float("inf")).reshape(values.shape)


def _draw(arg: Argument, generator: torch.Generator) -> Value:
    if isinstance(arg, TensorSpec):
        return Drawn(arg, draw_tensor(arg, generator))
    if isinstance(arg, list):
        return [_draw(each, generator) for each in arg]
    return arg


def _for_worker(value: Value, requires_grad: Collection[str]) -> Any:
    if isinstance(value, Drawn):
        return TensorArg(value.tensor, value.device, value.name in requires_grad, value.name)
    if isinstance(value, list):
        return [_for_worker(each, requires_grad) for each in value]
    return value


def _for_reference(value: Value, widen: bool, replaced: dict[str, torch.Tensor]) -> Any:
    if isinstance(value, Drawn):
        if value.name in replaced:
            return replaced[value.name]
        seen = value.seen
        return seen.to(WIDER.get(seen.dtype, seen.dtype) if widen else seen.dtype, copy=True)
    if isinstance(value, list):
        return [_for_reference(each, widen, replaced) for each in value]
    return value
