"""attention: softmax(q kᵀ / √dims) v for every head, the log-sum-exp of every row, and their gradients."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch

from grader.specification import (
    Case,
    Dispatcher,
    Efficiency,
    Gradient,
    Limit,
    Operator,
    Refusal,
    Speed,
    TensorSpec,
    drawn,
    tensor,
)

ENTRY = "attention"
SECTOR = 32  # bytes: the least that global memory reads or writes
WARP = 32
ROWS = 64  # of a tile, for floats and 64 dimensions
FIVE_TILES = 5 * ROWS * 64 * 4  # bytes that a block keeps: more than it can have before capability 8.0
DOWN, ACROSS = 16, 8  # threads of a block, along the columns and the rows of a tile of such scores

Results = tuple[torch.Tensor, torch.Tensor]


def is_later(scores: torch.Tensor) -> torch.Tensor:
    """Which keys a causal mask hides from each query."""
    return torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)


def scores_of(q: torch.Tensor, k: torch.Tensor, causal: bool) -> torch.Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return scores.masked_fill(is_later(scores), -math.inf) if causal else scores


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    scores = scores_of(q, k, causal)
    wide = scores.float() if scores.dtype in (torch.float16, torch.bfloat16) else scores
    return torch.softmax(scores, -1) @ v, torch.logsumexp(wide, -1)


# ---- what a backward with one mistake computes -----------------------------------------------------------


def as_if(value: torch.Tensor, path: torch.Tensor) -> torch.Tensor:
    """`value`, with the derivative of `path`."""
    return path + (value - path).detach()


def through(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, weights: torch.Tensor, *,
    delta: float | torch.Tensor = 1, grad_lse: float = 1, counted: torch.Tensor | None = None,
) -> Results:  # fmt: skip
    """Right results; backward computes with `weights`. Their gradient is grad_out vᵀ - delta, in which the
    part of out (or of its single dimensions) and that of lse count as often as the numbers say. A query's
    delta belongs to its own weights, or to those whose sum for each query is `counted`.
    """
    out, lse = (each.detach() for each in reference(q, k, v, causal))
    total = weights.sum(-1) if counted is None else counted
    return as_if(out, weights @ v - delta * total.unsqueeze(-1) * out), as_if(lse, grad_lse * total)


def weights_of(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, masked: bool = True
) -> torch.Tensor:
    """By the log-sum-exp of forward, a constant."""
    _, lse = reference(q, k, v, causal)
    return torch.exp(scores_of(q, k, causal and masked) - lse.detach().unsqueeze(-1))


def without_delta(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return through(q, k, v, causal, weights_of(q, k, v, causal), delta=0, grad_lse=0)


def without_out(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return through(q, k, v, causal, weights_of(q, k, v, causal), delta=0)


def without_grad_lse(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return through(q, k, v, causal, weights_of(q, k, v, causal), grad_lse=0)


def against_grad_lse(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return through(q, k, v, causal, weights_of(q, k, v, causal), grad_lse=-1)


def against_delta(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return through(q, k, v, causal, weights_of(q, k, v, causal), delta=-1, grad_lse=-1)


def of_first_dims(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    counted = (torch.arange(q.shape[-1]) < WARP).to(q.dtype)
    return through(q, k, v, causal, weights_of(q, k, v, causal), delta=counted)


def of_first_lane(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    counted = (torch.arange(q.shape[-1]) % WARP == 0).to(q.dtype)
    return through(q, k, v, causal, weights_of(q, k, v, causal), delta=counted)


def without_mask(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return through(q, k, v, causal, weights_of(q, k, v, causal, masked=False))


def without_own_key(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    weights = weights_of(q, k, v, causal)
    own = torch.eye(*weights.shape[-2:], dtype=torch.bool)
    return through(q, k, v, causal, weights.masked_fill(own & causal, 0))


def masked_the_other_way(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> Results:
    weights = weights_of(q, k, v, causal, masked=False)
    earlier = torch.arange(k.shape[-2]) < torch.arange(q.shape[-2])[:, None]
    return through(q, k, v, causal, weights.masked_fill(earlier & causal, 0))


def masked_within_tiles(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> Results:
    """In the tiles that have keys past the end: in those on the diagonal it comes to the same."""
    weights = weights_of(q, k, v, causal)
    query, key = torch.arange(q.shape[-2])[:, None], torch.arange(k.shape[-2])
    last = key // ROWS == k.shape[-2] // ROWS
    return through(q, k, v, causal, weights.masked_fill(last & (key % ROWS > query % ROWS) & causal, 0))


def other_query(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """For each weight: the query whose numbers a thread uses that takes the index of the key, within its own
    ones, for that of the query. In the second kernel, whose rows are keys: in the first one there are fewer.
    """
    query, key = torch.arange(q.shape[-2])[:, None], torch.arange(k.shape[-2])
    return query - query % ROWS + query % ACROSS + key % ROWS // DOWN * ACROSS


def with_lse_of_other(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    query = other_query(q, k)
    of_other = reference(q, k, v, causal)[1].detach()[..., query.clamp(max=q.shape[-2] - 1)]
    weights = torch.exp(scores_of(q, k, causal) - of_other.masked_fill(query >= q.shape[-2], math.inf))
    return through(q, k, v, causal, weights)


def with_delta_of_other(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    weights, query = weights_of(q, k, v, causal), other_query(q, k)
    room = max(q.shape[-2], int(query.max()) + 1 if query.numel() else 0)
    none = weights.new_zeros((*weights.shape[:-2], room))
    counted = none.index_add(-1, query.flatten(), weights.flatten(-2))
    return through(q, k, v, causal, weights, counted=counted[..., : q.shape[-2]])


def keys_for_values(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    weights = weights_of(q, k, v, causal)
    of_scores, lse = through(q, k, v.detach(), causal, weights)
    swapped = weights @ (k - v).detach()  # grad_out kᵀ for grad_out vᵀ
    return as_if(of_scores, of_scores + swapped + weights.detach() @ v), lse


@dataclass(frozen=True)
class Parts:
    """What backward computes with."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    grad_out: torch.Tensor
    weights: torch.Tensor
    products: torch.Tensor  # grad_out vᵀ
    delta: torch.Tensor
    scale: float

    @property
    def of_scores(self) -> torch.Tensor:
        return self.weights * (self.products - self.delta)

    def gradients(self, of_scores: torch.Tensor | None = None) -> dict[str, torch.Tensor]:
        of_scores = self.of_scores if of_scores is None else of_scores
        return {
            "q": self.scale * of_scores @ self.k,
            "k": self.scale * of_scores.mT @ self.q,
            "v": self.weights.mT @ self.grad_out,
        }


class WithChange(torch.autograd.Function):
    """Right results, and a backward in which `exponent` gives the logarithms of the weights from products
    q kᵀ, the factor 1 / √dims and lse; and `change` the gradients, by name, that are others.
    """

    @staticmethod
    def forward(ctx: Any, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *options: Any) -> Results:
        ctx.options = causal, *_ = options
        results = reference(q, k, v, causal)
        ctx.save_for_backward(q, k, v, *results)
        return results

    @staticmethod
    def backward(ctx: Any, grad_out: torch.Tensor, grad_lse: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        q, k, v, *results = ctx.saved_tensors
        out, lse = results
        causal, exponent, change = ctx.options
        scale = 1 / math.sqrt(q.shape[-1])
        weights = torch.exp(exponent(q @ k.mT, scale, lse.unsqueeze(-1)))
        weights = weights.masked_fill(is_later(weights) & causal, 0)
        delta = ((grad_out * out).sum(-1) - grad_lse).unsqueeze(-1)
        parts = Parts(q, k, v, grad_out, weights, grad_out @ v.mT, delta, scale)
        found = {**parts.gradients(), **change(parts)}
        return found["q"], found["k"], found["v"], None, None, None


def weights_alone(of: Parts) -> dict[str, torch.Tensor]:
    return {name: found for name, found in of.gradients(of.weights).items() if name != "v"}


def grad_out_twice(of: Parts) -> dict[str, torch.Tensor]:
    more = (of.grad_out * (of.grad_out - of.weights @ of.v)).sum(-1, keepdim=True)
    return replace(of, delta=of.delta + more).gradients()


def out_alone(of: Parts) -> dict[str, torch.Tensor]:
    more = ((1 - of.grad_out) * (of.weights @ of.v)).sum(-1, keepdim=True)
    return replace(of, delta=of.delta + more).gradients()


def mean_of_dims(of: Parts) -> dict[str, torch.Tensor]:
    products = (of.grad_out * (of.weights @ of.v)).sum(-1, keepdim=True)
    return replace(of, delta=of.delta - products + products / of.q.shape[-1]).gradients()


def of_first_tile(x: torch.Tensor) -> torch.Tensor:
    return x[..., torch.arange(x.shape[-2]) % ROWS, :]


def times_queries(of: Parts) -> dict[str, torch.Tensor]:
    """As many queries as keys have to be there."""
    return {"q": of.scale * of.of_scores @ of.q} if of.q.shape == of.k.shape else {}


def times_keys(of: Parts) -> dict[str, torch.Tensor]:
    return {"k": of.scale * of.of_scores.mT @ of.k} if of.q.shape == of.k.shape else {}


def of_whole_tiles(of: Parts) -> dict[str, torch.Tensor]:
    """Gradients of k and v without the queries after the last whole tile."""
    queries = of.q.shape[-2] // ROWS * ROWS
    of_scores, weights = of.of_scores[..., :queries, :], of.weights[..., :queries, :]
    return {
        "k": of.scale * of_scores.mT @ of.q[..., :queries, :],
        "v": weights.mT @ of.grad_out[..., :queries, :],
    }


Exponent = Callable[[torch.Tensor, float, torch.Tensor], torch.Tensor]
Change = Callable[[Parts], dict[str, torch.Tensor]]


def with_change(
    exponent: Exponent = lambda products, scale, lse: scale * products - lse,
    change: Change = lambda parts: {},
) -> Callable[..., Results]:
    def formula(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
        return WithChange.apply(q, k, v, causal, exponent, change)

    return formula


CHANGED = {
    "weights 2^x where e^x belongs: exp(x) is exp2(kLog2E * x)": with_change(
        lambda products, scale, lse: (scale * products - lse) * math.log(2)
    ),
    "weights e^(kLog2E * x): the factor is for exp2, not for exp": with_change(
        lambda products, scale, lse: (scale * products - lse) / math.log(2)
    ),
    "weights by exp(scale * (products - lse)): lse is of scores that are scaled already": with_change(
        lambda products, scale, lse: scale * (products - lse)
    ),
    "weights by exp(score + lse), where lse is to be subtracted": with_change(
        lambda products, scale, lse: scale * products + lse
    ),
    "lse and delta of the first tile of queries in every round": with_change(
        lambda products, scale, lse: scale * products - of_first_tile(lse),
        lambda of: replace(of, delta=of_first_tile(of.delta)).gradients(),
    ),
    "weights times grad_out vᵀ, less delta: the weight is a factor of both": with_change(
        change=lambda of: of.gradients(of.weights * of.products - of.delta)
    ),
    "grad_out vᵀ less delta, not multiplied by the weights": with_change(
        change=lambda of: of.gradients(of.products - of.delta)
    ),
    "weights where the gradients of the scores belong": with_change(change=weights_alone),
    "a delta of grad_out * grad_out, where grad_out * out belongs": with_change(change=grad_out_twice),
    "a delta of the sum of out alone, as for a grad_out of ones": with_change(change=out_alone),
    "a mean for delta, where the sum of grad_out * out belongs": with_change(change=mean_of_dims),
    "the gradients of the scores times q; for the gradient of q, k is the other factor": with_change(
        change=times_queries
    ),
    "the gradients of the scores times v; for the gradient of q, k is the other factor": with_change(
        change=lambda of: {"q": of.scale * of.of_scores @ of.v}
    ),
    "the gradients of the scores times k; for the gradient of k, q is the other factor": with_change(
        change=times_keys
    ),
    "gradients of k and v without the queries of the last tile, which is not full": with_change(
        change=of_whole_tiles
    ),
    "the weights times q; for the gradient of v, grad_out is the other factor": with_change(
        change=lambda of: {"v": of.weights.mT @ of.q}
    ),
}

CONFUSED = {
    "weights times grad_out vᵀ, without any delta": without_delta,
    "a delta that is only -grad_lse, without the sum of grad_out * out": without_out,
    "the sum of grad_out * out alone for delta, without the gradient of lse": without_grad_lse,
    "delta with grad_lse added, where it has to be subtracted": against_grad_lse,
    "delta added to grad_out vᵀ, where it has to be subtracted": against_delta,
    "a delta of the first 32 dimensions": of_first_dims,
    "a delta of one lane's dimensions, every 32nd": of_first_lane,
    "weights that the causal mask has not made 0": without_mask,
    "a causal mask that also hides the query's own key": without_own_key,
    "a causal mask that hides the keys before the query, not those after it": masked_the_other_way,
    "a causal mask that compares places within the tiles, not in the sequence": masked_within_tiles,
    "grad_out kᵀ where grad_out vᵀ belongs": keys_for_values,
    "the lse of another of the thread's queries, by the index of the tile's other side; queries.query(i, j) "
    "is the index of the right one": with_lse_of_other,
    "the delta of another of the thread's queries, by the index of the tile's other side; "
    "queries.query(i, j) is the index of the right one": with_delta_of_other,
    **CHANGED,
}


# ---- cases -----------------------------------------------------------------------------------------------


def heads(
    queries: int, keys: int, dims: int, dtype: str = "float32", *, batch: int = 1, count: int = 1,
    limit: float = 1, causal: bool = False, **more: Any,
) -> list[TensorSpec | bool]:  # fmt: skip
    """q, k, v of one size; scores are as large as `limit` allows."""
    q = tensor((batch, count, queries, dims), dtype, low=-limit, high=limit, **more)
    k = tensor((batch, count, keys, dims), dtype, low=-limit, high=limit, **more)
    return [q, k, tensor((batch, count, keys, dims), dtype, **more), causal]


CASES = [
    Case("one tile", heads(64, 64, 64)),
    Case("causal, an odd length, two heads", heads(101, 101, 40, count=2, causal=True)),
    Case("128 dimensions", heads(30, 70, 128)),
    Case("one of each", heads(1, 1, 1)),
    Case("float64", heads(45, 70, 24, "float64")),
    Case("float16", heads(70, 90, 64, "float16")),
    Case("bfloat16, causal", heads(70, 70, 37, "bfloat16", causal=True)),
    Case("heads beside each other in memory", heads(40, 50, 16, count=3, layout="interleaved")),
    Case("every second element", heads(40, 50, 32, layout="sliced")),
    Case("begins one element into its storage", heads(40, 50, 32, layout="offset")),
    Case("scores of a hundred and more", heads(33, 90, 64, limit=12)),
    Case("no queries", heads(0, 40, 32)),
    Case("not-a-number in v goes through", [
        *heads(20, 70, 32)[:2], tensor((1, 1, 70, 32), special="nan"), False]),
    Case("on a side stream", heads(40, 40, 32, causal=True), stream="side"),
    Case("sizes of this verdict", sizes=drawn(
        lambda queries, keys, count: heads(queries, keys, 64, count=count), queries=(33, 400), keys=(33, 400),
        count=(2, 9), where=lambda queries, keys, count: 1 << 16 < count * queries * 64 < 90_000)),
]  # fmt: skip

REFUSALS = [
    Refusal("k has other dims", [*heads(6, 6, 8)[:1], *heads(6, 6, 9)[1:2], *heads(6, 6, 8)[2:]],
            ["k", "shape"]),
    Refusal("v has fewer rows than k", [*heads(6, 6, 8)[:2], *heads(6, 5, 8)[2:]], ["v", "rows"]),
    Refusal("k is float64", [*heads(6, 6, 8)[:1], *heads(6, 6, 8, "float64")[1:2], *heads(6, 6, 8)[2:]],
            ["k", "double"]),
    Refusal("129 dimensions", heads(6, 6, 129), ["q", "128"]),
]  # fmt: skip

GRADIENT = Gradient(
    cases=[
        Case("one tile", heads(64, 64, 64)),
        Case("one tile of equal scores", [tensor((1, 1, 64, 64), special="zeros"), *heads(64, 64, 64)[1:]]),
        Case("two tiles of keys", heads(64, 128, 64)),
        Case("two tiles of queries", heads(128, 64, 64)),
        Case("causal, one tile", heads(64, 64, 64, causal=True)),
        Case("causal, three tiles", heads(130, 130, 64, causal=True)),
        Case("float64", heads(5, 6, 3, "float64")),
        Case("float64, causal, two heads", heads(4, 4, 2, "float64", count=2, causal=True)),
        Case("float64, two tiles", heads(3, 19, 2, "float64")),
        Case("float64, 96 dimensions, causal", heads(40, 40, 96, "float64", causal=True)),
        Case("causal, an odd length", heads(101, 101, 64, causal=True)),
        Case("causal, more queries than keys", heads(70, 40, 32, causal=True)),
        Case("causal, more keys than queries", heads(40, 70, 32, causal=True)),
        Case("two batches of three heads", heads(20, 40, 16, batch=2, count=3)),
        Case("one query", heads(1, 70, 64)),
        Case("one key", heads(40, 1, 64)),
        Case("one of each", heads(1, 1, 1)),
        Case("37 dimensions, no whole vectors", heads(30, 50, 37)),
        Case("128 dimensions", heads(40, 50, 128)),
        Case("100 dimensions, causal", heads(40, 40, 100, causal=True)),
        Case("scores above 100, whose exp overflows", [
            tensor((1, 1, 20, 16), low=5, high=6), tensor((1, 1, 40, 16), low=5, high=6),
            tensor((1, 1, 40, 16)), False]),
        # The scores of 0 of keys past the end are 100 above those of all others.
        Case("scores below -100", [
            tensor((1, 1, 20, 16), low=5, high=6), tensor((1, 1, 40, 16), low=-6, high=-5),
            tensor((1, 1, 40, 16)), False]),
        Case("float16", heads(40, 50, 64, "float16")),
        Case("float16, products of out and grad_out beyond 65,504", [
            *heads(20, 30, 16, "float16")[:2], tensor((1, 1, 30, 16), "float16", low=3e4, high=6e4), False]),
        Case("float16, causal, two heads", heads(40, 40, 40, "float16", count=2, causal=True)),
        Case("bfloat16", heads(40, 50, 64, "bfloat16")),
        Case("heads beside each other in memory", heads(40, 50, 16, count=3, layout="interleaved")),
        Case("heads beside each other in memory, of k alone", [
            *heads(40, 40, 16, count=3)[:1], *heads(40, 40, 16, count=3, layout="interleaved")[1:2],
            *heads(40, 40, 16, count=3)[2:]]),
        Case("heads beside each other in memory, of v alone", [
            *heads(40, 40, 16, count=3)[:2], *heads(40, 40, 16, count=3, layout="interleaved")[2:]]),
        Case("every head transposed", heads(20, 30, 16, count=2, layout="transposed")),
        Case("every second element", heads(40, 50, 32, layout="sliced")),
        Case("begins one element into its storage", heads(40, 50, 32, layout="offset")),
        Case("one head of k and v for all of q", [
            tensor((1, 4, 40, 32)), tensor((1, 4, 50, 32), layout="expanded"),
            tensor((1, 4, 50, 32), layout="expanded"), False]),
        Case("no queries: zeros", heads(0, 40, 32)),
        Case("no heads", heads(40, 40, 32, count=0)),
        Case("on a side stream", heads(40, 40, 32, causal=True), stream="side"),
        Case("deterministic", heads(70, 70, 64, count=2, causal=True), deterministic=True),
        Case("sizes of this verdict", sizes=drawn(
            lambda queries, keys, count: heads(queries, keys, 64, count=count), queries=(33, 90),
            keys=(33, 90), count=(2, 4), where=lambda queries, keys, count: count * queries * keys < 9000)),
    ],
    unrequested=True,
    twice=True,
)  # fmt: skip


def accumulation(q: torch.Tensor, k: torch.Tensor, *others: object) -> int:
    """A score adds up dims products, a gradient one for each key or query. exp(s - lse) has s times the
    relative errors of both, which are sums themselves: some two roundings each.
    """
    size = max(1, q.shape[-1], q.shape[-2], k.shape[-2])
    if not q.numel() or not k.numel():
        return size
    return size + 4 * int(scores_of(q.double(), k.double(), causal=False).abs().max())


def traffic(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> int:
    """The least: q, k and v once, the results once."""
    return (2 * q.numel() + k.numel() + v.numel()) * q.element_size() + 4 * q.numel() // max(1, q.shape[-1])


def flops(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> int:
    """Two products of two operations each; a causal mask leaves about half of them."""
    full = 4 * q.numel() * k.shape[-2]
    return full // 2 if causal else full


def multiply_adds(q: torch.Tensor, k: torch.Tensor, *others: object) -> int:
    """Of all seven products and a warp: 32 of them are one instruction."""
    return 7 * q.numel() * k.shape[-2] // WARP


def of_one(q: torch.Tensor, *others: object) -> int:
    """The sectors of q, and of every tensor of its shape."""
    return q.numel() * q.element_size() // SECTOR


def of_rounds(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> float:
    """Every tensor once as the block's own, and once for each tile of the other kind; if causal, half of
    those.
    """
    tiles = q.shape[-2] // ROWS
    return of_one(q) * (1 + ((tiles + 1) / 2 if causal else tiles))


def of_cotangent(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> float:
    """And once more, for the deltas."""
    return of_rounds(q, k, v, causal) + of_one(q)


def in_all(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> float:
    """q, k, v and grad_out in rounds; grad_out and out for the deltas; a tenth for lse and delta."""
    return 1.1 * (4 * of_rounds(q, k, v, causal) + 2 * of_one(q))


def gradients_written(q: torch.Tensor, *others: object) -> float:
    """Three gradients; at most a sector for each delta, which is an eighth of a row."""
    return 3.2 * of_one(q)


def shared_requests(q: torch.Tensor, k: torch.Tensor, *others: object) -> int:
    """4 x 4 sums for each thread, from vectors of four: 8 vectors serve 64 multiply-adds, or 12 serve 128."""
    return multiply_adds(q, k) // 8


def barriers(q: torch.Tensor, k: torch.Tensor, *others: object) -> int:
    """Two in each round of both kernels, for each of the four warps of each block."""
    return 2 * 2 * 4 * (q.numel() // q.shape[-1] // ROWS) * (k.shape[-2] // ROWS)


def results(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> float:
    """Bytes of three gradients, of the deltas, and of a dense copy of grad_out."""
    return (3 * q.numel() + q.numel() + 2 * q.numel() // q.shape[-1]) * q.element_size()


LINEAR = (
    "Scores, weights and their gradients belong into registers and one tile. Memory for all of them grows "
    "with the square of the length."
)
ROUNDS = "A tile of each tensor is read once in a round; a block's own tile once."
CAUSAL = "Pairs of tiles that are masked completely add nothing: begin, or end, the rounds at the diagonal."
WRITES = "Write each gradient once, after the last round."
ORDER = (
    "Atomic additions happen in the order in which blocks arrive, so the last bits change from run to run: "
    "let one block add up all of a row's gradient."
)
REGISTERS = "Load vectors of 16 bytes, and use each for all of the thread's rows."
BANKS = "Read and write the tiles by the given functions: they know where a vector is."
BARRIERS = "Two barriers in a round are enough: a row of p_tile is written and read by one warp."

LONG = Case("128 queries, 128 keys", heads(128, 128, 64))
MASKED = Case("causal, 128 queries and keys", heads(128, 128, 64, causal=True))

EFFICIENCY = [
    Efficiency(
        LONG,
        [
            Limit("peak_bytes", results, "backward", 4, LINEAR),
            Limit("global_load_sectors", of_rounds, "backward", 1, ROUNDS, of="k"),
            Limit("global_load_sectors", of_rounds, "backward", 1, ROUNDS, of="q"),
            Limit("global_load_sectors", in_all, "backward", 2, ROUNDS),
            Limit("global_store_sectors", gradients_written, "backward", 2, WRITES),
            Limit("global_atomic_sectors", 0, "backward", 2, ORDER),
            Limit("shared_load_requests", shared_requests, "backward", 3, REGISTERS),
            Limit("bank_conflicts", 0, "backward", 2, BANKS),
            Limit("barriers", barriers, "backward", 1, BARRIERS),
        ],
        shared_bytes=FIVE_TILES,
    ),
    Efficiency(
        MASKED,
        [
            Limit("global_load_sectors", of_rounds, "backward", 2, CAUSAL, of="k"),
            Limit("global_load_sectors", of_rounds, "backward", 2, CAUSAL, of="q"),
            Limit("global_load_sectors", in_all, "backward", 1, CAUSAL),
        ],
        shared_bytes=FIVE_TILES,
    ),
    Efficiency(
        Case("an expanded cotangent, 128 queries and keys", heads(128, 128, 64)),
        [Limit("peak_bytes", results, "backward", 2, LINEAR)],
        cotangent="expanded",
    ),
]

# Of the forward kernel, which is given; benchmarks/lessons.py measures the backward, too.
SPEED = Speed(
    [tensor((2, 16, 4096, 64)), tensor((2, 16, 4096, 64)), tensor((2, 16, 4096, 64)), True],
    baseline="torch.ops.aten._scaled_dot_product_attention_math(q, k, v, None, 0.0, causal)",
    steps=((0.5, 0.25), (1.0, 0.5), (2.0, 1.0)),
)


def saved(queries: int, keys: int, dims: int, dtype: str = "float32", **more: Any) -> list[TensorSpec | bool]:
    """What the operators of backward are called with."""
    q, k, v, causal = heads(queries, keys, dims, dtype, **more)
    assert isinstance(q, TensorSpec)
    wide = tensor(q.shape[:-1], "float64" if dtype == "float64" else "float32")
    return [q, q, k, v, wide, wide, causal]


def for_delta(queries: int, dims: int, dtype: str = "float32", **more: Any) -> list[TensorSpec | bool]:
    grad_out, out, *_, wide, _ = saved(queries, 1, dims, dtype, **more)
    return [grad_out, out, wide]


OPERANDS = ("grad_out", "q", "k", "v", "lse", "delta", "causal")
DISPATCHER = Dispatcher(
    operators=[
        Operator(
            "attention::forward",
            [
                Case("9 queries, 7 keys", heads(9, 7, 8, count=2)),
                Case("float64, causal", heads(6, 6, 4, "float64", causal=True)),
                Case("float16", heads(5, 8, 8, "float16")),
                Case("heads beside each other", heads(5, 6, 8, count=3, layout="interleaved")),
                Case("every head transposed", heads(5, 6, 8, count=3, layout="transposed")),
            ],
        ),
        Operator(
            "attention::delta",
            [Case("9 queries", for_delta(9, 8)), Case("float16", for_delta(5, 8, "float16", count=2))],
            arguments=("grad_out", "out", "grad_lse"),
            differentiable=False,
        ),
        *(
            Operator(
                f"attention::{name}",
                [
                    Case("9 queries, 7 keys", saved(9, 7, 8, count=2)),
                    Case("float64, causal", saved(6, 6, 4, "float64", causal=True)),
                    Case("float16, transposed", saved(5, 8, 8, "float16", layout="transposed")),
                ],
                arguments=OPERANDS,
                differentiable=False,
            )
            for name in ("grad_q", "grad_kv")
        ),
    ],
    compiled=[Case("20 queries, 12 keys", heads(20, 12, 16)), Case("9 queries, 30 keys", heads(9, 30, 16))],
)

PROFILE = Case("64 queries, 64 keys", heads(64, 64, 64))
