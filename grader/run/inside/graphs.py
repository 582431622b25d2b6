"""A graph that a call left behind, and autograd's engine run on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor
from torch.autograd.graph import _engine_run_backward

from grader.run.inside.arguments import Given
from grader.run.inside.current_device import DeviceStream


@dataclass
class Graph:
    """An earlier call's arguments and outputs, for backward."""

    given: list[Given]
    outputs: list[Tensor]
    place: DeviceStream | None
    schedule: str
    deterministic: bool = False  # whether its forward ran, and its backward will, in deterministic mode


def overwrite(graph: Graph, name: str) -> None:
    """Change an argument of the graph's call, or its `output N`, in place; nothing without a `name`."""
    found = {f"output {number}": output for number, output in enumerate(graph.outputs)}
    found |= {each.name: each.storage for each in graph.given}
    if name:
        with torch.no_grad():
            found[name].add_(1)


def undefined(output: Tensor) -> tuple[Tensor, Tensor]:
    """An output, and a cotangent for it, behind which its node sees an undefined gradient."""
    with torch.enable_grad():
        behind = cast(Tensor, torch._C._functions.UndefinedGrad()(output))
    return behind, torch.ones_like(output)


def run_engine(
    pairs: Sequence[tuple[Tensor, Tensor]], leaves: Sequence[Tensor], create_graph: bool = False
) -> list[Tensor | None]:
    """`torch.autograd.grad` without its comparison of symbolic sizes, whose sympy takes long to import."""
    for output, cotangent in pairs:
        if output.shape != cotangent.shape:
            raise RuntimeError(
                f"a cotangent of shape {[*cotangent.shape]} for an output of {[*output.shape]}"
            )
    outputs, cotangents = zip(*pairs, strict=True)
    wanted = tuple(leaves)
    return list(
        _engine_run_backward(
            outputs, cotangents, True, create_graph, wanted, allow_unreachable=True, accumulate_grad=False
        )
    )


def differentiate_twice(
    graph: Graph, cotangents: Sequence[Tensor], leaves: Sequence[Tensor], seconds: Sequence[Tensor]
) -> list[Tensor | None]:
    """The gradients of the sum of `seconds` times the leaves' gradients, by the leaves and the cotangents.

    `cotangents` has one entry per output, `seconds` one per leaf. A gradient that autograd holds for a
    constant adds nothing, as in a loss of which it is a term.
    """
    sent = [
        cotangent.detach().requires_grad_(output.requires_grad)
        for output, cotangent in zip(graph.outputs, cotangents, strict=True)
    ]
    pairs = [(output, each) for output, each in zip(graph.outputs, sent, strict=True) if output.requires_grad]
    with torch.enable_grad():
        first = run_engine(pairs, leaves, create_graph=True)
    terms = [
        (gradient, second)
        for gradient, second in zip(first, seconds, strict=True)
        if gradient is not None and gradient.requires_grad
    ]
    if terms:
        _accumulate(terms)
    found = [each.grad for each in (*leaves, *sent)]
    for leaf in leaves:
        leaf.grad = None
    return found


def _accumulate(pairs: Sequence[tuple[Tensor, Tensor]]) -> None:
    """`torch.autograd.backward`. Asked for single gradients, the engine would pass by what refuses."""
    outputs, cotangents = zip(*pairs, strict=True)
    _engine_run_backward(outputs, cotangents, True, False, (), allow_unreachable=True, accumulate_grad=True)
