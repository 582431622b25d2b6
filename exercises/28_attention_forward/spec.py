"""attention: softmax(q kᵀ / √dims) v for every head, and the log-sum-exp of every row of scores."""

import math
from collections.abc import Callable
from typing import Any

import torch

from grader.specification import (
    Case,
    Dispatcher,
    Efficiency,
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
VECTOR = 16  # bytes
ACROSS = 16  # threads that share a row of scores
DOWN = 8  # rows of threads
ROWS = 64  # of a tile, for floats and 64 dimensions

Results = tuple[torch.Tensor, torch.Tensor]


def scores_of(q: torch.Tensor, k: torch.Tensor, causal: bool) -> torch.Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        scores = scores.masked_fill(later, -math.inf)
    return scores


def weighed(scores: torch.Tensor, v: torch.Tensor) -> Results:
    wide = scores.float() if scores.dtype in (torch.float16, torch.bfloat16) else scores
    return torch.softmax(scores, -1) @ v, torch.logsumexp(wide, -1)


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return weighed(scores_of(q, k, causal), v)


# ---- what a kernel with one mistake computes -------------------------------------------------------------


def without_scale(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return weighed(math.sqrt(q.shape[-1]) * scores_of(q, k, causal), v)


def scaled_by(factor: float, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> Results:
    """By this number in place of 1 / √dims."""
    return weighed(math.sqrt(q.shape[-1]) * factor * scores_of(q, k, causal), v)


def scaled_twice(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return scaled_by(1 / q.shape[-1], q, k, v, causal)


def scaled_by_the_tile(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return scaled_by(1 / math.sqrt(64 if q.shape[-1] <= 64 else 128), q, k, v, causal)


def filled_up(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    missing = -k.shape[-2] % tile_rows(q)
    k, v = (torch.nn.functional.pad(each, (0, 0, 0, missing)) for each in (k, v))
    return weighed(scores_of(q, k, causal), v)


def masked(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, later: torch.Tensor) -> Results:
    return weighed(scores_of(q, k, causal=False).masked_fill(later, -math.inf), v)


def without_own_key(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    """Query 0 has no key left, so that its largest score stays at -inf, and -inf minus -inf is NaN."""
    later = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).triu()
    out, lse = masked(q, k, v, later & causal)
    return out, lse.masked_fill(lse == -math.inf, math.nan)


def up_to_the_tile(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    """Without a key, out is defined as 0."""
    query, key = (torch.arange(each.shape[-2]) for each in (q, k))
    out, lse = masked(q, k, v, (key >= query[:, None] // tile_rows(q) * tile_rows(q)) & causal)
    return out.nan_to_num(0), lse


def first_rows(of: torch.Tensor, rows: int) -> torch.Tensor:
    """Zeros for all others."""
    return of * (torch.arange(of.shape[-2]) < rows).to(of.dtype).unsqueeze(-1)


def with_one_key_more(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    """The first row of zeros in the last tile, if that is not full."""
    missing = 1 if k.shape[-2] % tile_rows(q) else 0
    k, v = (torch.nn.functional.pad(each, (0, 0, 0, missing)) for each in (k, v))
    return weighed(scores_of(q, k, causal), v)


def masked_by_zeros(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    """In the tiles that take part: up to that of the query if causal, filled up to whole tiles."""
    missing = -k.shape[-2] % tile_rows(q)
    k, v = (torch.nn.functional.pad(each, (0, 0, 0, missing)) for each in (k, v))
    scores = scores_of(q, k, causal)
    query, key = (torch.arange(each.shape[-2]) for each in (q, k))
    beyond = (key // tile_rows(q) > query[:, None] // tile_rows(q)) & causal
    return weighed(torch.where(beyond, scores, scores.masked_fill(scores == -math.inf, 0)), v)


def with_earlier_keys_hidden(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> Results:
    """The mask the other way round, in the tiles up to the query's: a query of whose keys none is left has
    the NaN of -inf minus -inf.
    """
    query, key = (torch.arange(each.shape[-2]) for each in (q, k))
    tile = tile_rows(q)
    hidden = (key < query[:, None]) | (key // tile > query[:, None] // tile)
    out, lse = masked(q, k, v, hidden & causal)
    first_is_hidden = (query >= tile) & causal  # all of the first tile: its largest score stays at -inf
    return (
        out.masked_fill(first_is_hidden[:, None], math.nan),
        lse.masked_fill(first_is_hidden, math.nan),
    )


def up_to_the_last_key(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    """The last query sees the last key, within the tiles that are computed."""
    query, key = (torch.arange(each.shape[-2]) for each in (q, k))
    tile, more = tile_rows(q), k.shape[-2] - q.shape[-2]
    hidden = (key > query[:, None] + more) | (key // tile > query[:, None] // tile)
    out, lse = masked(q, k, v, hidden & causal)
    return out, lse.masked_fill(lse == -math.inf, math.nan)


def as_many_keys_as_queries(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> Results:
    return reference(q, first_rows(k, q.shape[-2]), v, causal)


def as_many_values_as_queries(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> Results:
    return reference(q, k, first_rows(v, q.shape[-2]), causal)


def masked_by_tiles(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    query, key = (torch.arange(each.shape[-2]) // tile_rows(q) for each in (q, k))
    later = key > query[:, None]
    return masked(q, k, v, later & causal)


def masked_within_tiles(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    query, key = (torch.arange(each.shape[-2]) for each in (q, k))
    rows = tile_rows(q)
    later = (key // rows > query[:, None] // rows) | (key % rows > query[:, None] % rows)
    return masked(q, k, v, later & causal)


def only_whole_tiles(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    whole = k.shape[-2] - k.shape[-2] % tile_rows(q)
    return weighed(scores_of(q, k[..., :whole, :], causal), v[..., :whole, :])


def tile_rows(q: torch.Tensor) -> int:
    """Of a tile of 16 KiB, as floats: what is compared is computed in double precision."""
    return 64 if q.shape[-1] <= 64 else 32


def tile_by_tile(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, *, out_too: bool = True,
    sum_too: bool = True, inverse: bool = False,
) -> Results:  # fmt: skip
    """The kernel's recurrence, which may leave out or sum at the largest score of an earlier tile, or bring
    both to the new one by the inverse of the factor. In the first round there is nothing to bring.
    """
    scores = scores_of(q, k, causal)
    largest = torch.full_like(q[..., :1], -math.inf)
    total, out = torch.zeros_like(largest), torch.zeros_like(q)
    for part, values in zip(scores.split(tile_rows(q), -1), v.split(tile_rows(q), -2), strict=True):
        larger = torch.maximum(largest, part.amax(-1, keepdim=True))
        factor = torch.exp(largest - larger)
        if inverse:
            factor = torch.where(factor == 0, 1, 1 / factor)
        weights = torch.exp(part - larger)
        total = (total * factor if sum_too else total) + weights.sum(-1, keepdim=True)
        out = (out * factor if out_too else out) + weights @ values
        largest = larger
    return out / total, (largest + torch.log(total)).squeeze(-1)


def with_old_out(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return tile_by_tile(q, k, v, causal, out_too=False)


def with_old_sum(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return tile_by_tile(q, k, v, causal, sum_too=False)


def with_both_old(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return tile_by_tile(q, k, v, causal, out_too=False, sum_too=False)


def with_the_inverse_factor(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> Results:
    return tile_by_tile(q, k, v, causal, inverse=True)


def of_single_threads(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    """A thread has every 16th key, and of out every 16th vector; lse is written by the first thread."""
    scores = scores_of(q, k, causal)
    largest = scores.amax(-1, keepdim=True)
    weights = torch.exp(scores - largest)
    sums = torch.stack([weights[..., thread::ACROSS].sum(-1) for thread in range(ACROSS)], -1)
    thread = torch.arange(q.shape[-1]) // (VECTOR // 4) % ACROSS
    return weights @ v / sums[..., thread], largest.squeeze(-1) + torch.log(sums[..., 0])


def largest_of_single_threads(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> Results:
    """For one tile: there, nothing is brought to another score."""
    scores = scores_of(q, k, causal)
    largest = torch.stack([scores[..., thread::ACROSS].amax(-1) for thread in range(ACROSS)], -1)
    weights = torch.exp(scores - largest[..., torch.arange(k.shape[-2]) % ACROSS])
    total = weights.sum(-1)
    return weights @ v / total.unsqueeze(-1), largest[..., 0] + torch.log(total)


def with_other_lse(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, lse_of: Callable[..., torch.Tensor]
) -> Results:
    """`lse_of` the largest score of each row and the logarithm of its sum."""
    out, lse = reference(q, k, v, causal)
    largest = scores_of(q, k, causal).amax(-1)
    return out, lse_of(largest, lse - largest)


def lse_without_logarithm(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> Results:
    return with_other_lse(q, k, v, causal, lambda largest, logarithm: largest + torch.exp(logarithm))


def lse_of_differences(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return with_other_lse(q, k, v, causal, lambda largest, logarithm: logarithm)


def lse_less_largest(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return with_other_lse(q, k, v, causal, lambda largest, logarithm: logarithm - largest)


def lse_with_log2(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return with_other_lse(q, k, v, causal, lambda largest, logarithm: largest + logarithm / math.log(2))


def largest_alone(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return with_other_lse(q, k, v, causal, lambda largest, logarithm: largest)


def with_first_tile(x: torch.Tensor, tile: int) -> torch.Tensor:
    return x[..., torch.arange(x.shape[-2]) % tile, :]


def with_first_values(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return reference(q, k, with_first_tile(v, tile_rows(q)), causal)


def with_first_keys(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return reference(q, with_first_tile(k, tile_rows(q)), v, causal)


def weighed_by_scores(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    """For one tile: there, nothing is brought to another score."""
    scores = scores_of(q, k, causal)
    sums = torch.exp(scores - scores.amax(-1, keepdim=True)).sum(-1, keepdim=True)
    return scores @ v / sums, torch.logsumexp(scores, -1)


def with_keys_as_queries(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> Results:
    """In every round, the rows of the tile of keys in the place of the block's queries."""
    tile = tile_rows(q)
    query, key = (torch.arange(each.shape[-2]) for each in (q, k))
    scores = scores_of(torch.nn.functional.pad(k, (0, 0, 0, -k.shape[-2] % tile)), k, causal=False)
    of = key // tile * tile + query[:, None] % tile
    scores = scores.gather(-2, of.expand(*q.shape[:-2], *of.shape))
    return weighed(scores.masked_fill((key > query[:, None]) & causal, -math.inf), v)


def with_queries_as_keys(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> Results:
    """In every round, the rows of the block's tile of queries in the place of the keys."""
    tile = tile_rows(q)
    query, key = (torch.arange(each.shape[-2]) for each in (q, k))
    scores = scores_of(q, torch.nn.functional.pad(q, (0, 0, 0, -q.shape[-2] % tile)), causal=False)
    of = query[:, None] // tile * tile + key % tile
    scores = scores.gather(-1, of.expand(*q.shape[:-2], *of.shape))
    return weighed(scores.masked_fill((key > query[:, None]) & causal, -math.inf), v)


def with_keys_as_values(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> Results:
    return reference(q, k, k, causal)


def up_to_own_tile(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    query, key = (torch.arange(each.shape[-2]) for each in (q, k))
    tile = tile_rows(q)
    return masked(q, k, v, (key // tile > query[:, None] // tile) | ((key > query[:, None]) & causal))


def with_scores_kept(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    """What the registers hold after a round is added to the products of the next one."""
    tile, scale, keys = tile_rows(q), 1 / math.sqrt(q.shape[-1]), k.shape[-2]
    k, v = (torch.nn.functional.pad(each, (0, 0, 0, -keys % tile)) for each in (k, v))
    products = q @ k.mT
    query, key = (torch.arange(each.shape[-2]) for each in (q, k))
    hidden = (key >= keys) | ((key > query[:, None]) & causal)
    largest = torch.full_like(q[..., :1], -math.inf)
    total, out, weights = torch.zeros_like(largest), torch.zeros_like(q), 0
    for part, away, values in zip(
        products.split(tile, -1), hidden.split(tile, -1), v.split(tile, -2), strict=True
    ):
        scores = (scale * (weights + part)).masked_fill(away, -math.inf)
        larger = torch.maximum(largest, scores.amax(-1, keepdim=True))
        factor, weights = torch.exp(largest - larger), torch.exp(scores - larger)
        total, out = total * factor + weights.sum(-1, keepdim=True), out * factor + weights @ values
        largest = larger
    return out / total, (largest + torch.log(total)).squeeze(-1)


# An index within a thread, where the one within the tile is meant: i in place of query_of(i), and so on.

Place = Callable[[torch.Tensor], torch.Tensor]


def taken(x: torch.Tensor, dim: int, tile: int, place: Place) -> torch.Tensor:
    """x whose place p of a tile along `dim` holds what is in place(p), or zeros if that is past the end."""
    at = torch.arange(x.shape[dim])
    missing = list(x.shape)
    missing[dim] = -x.shape[dim] % tile
    filled = torch.cat([x, x.new_zeros(missing)], dim)
    return filled.index_select(dim, at // tile * tile + place(at % tile))


def with_key_j(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return reference(q, taken(k, -2, tile_rows(q), lambda key: key // ACROSS), v, causal)


def with_neighbouring_keys(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> Results:
    rows = tile_rows(q)
    each = rows // ACROSS
    exchanged = taken(k, -2, rows, lambda key: key % ACROSS * each + key // ACROSS)
    return reference(q, exchanged, v, causal)


def with_keys_of_queries(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    """Key j of a thread is that of query_of(j): its row of threads decides, not its column."""
    rows = tile_rows(q)
    query, key = (torch.arange(each.shape[-2]) for each in (q, k))
    of = key // rows * rows + query[:, None] % DOWN + key % rows // ACROSS * DOWN
    scores = scores_of(q, torch.nn.functional.pad(k, (0, 0, 0, -k.shape[-2] % rows)), causal=False)
    scores = scores.gather(-1, of.expand(*q.shape[:-2], *of.shape))
    return weighed(scores.masked_fill((key > query[:, None]) & causal, -math.inf), v)


def with_query_i(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    return reference(taken(q, -2, tile_rows(q), lambda query: query // DOWN), k, v, causal)


def with_weights_of_query_i(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False
) -> Results:
    """For one tile of keys: there, nothing is brought to another score."""
    scores = scores_of(q, k, causal)
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    exchanged = taken(weights, -2, tile_rows(q), lambda query: query // DOWN)
    return exchanged @ v / weights.sum(-1, keepdim=True), torch.logsumexp(scores, -1)


def with_vector_v(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> Results:
    width = VECTOR // 4
    columns = 64 if q.shape[-1] <= 64 else 128
    exchanged = taken(v, -1, columns, lambda column: column // width // ACROSS * width + column % width)
    return reference(q, k, exchanged, causal)


CONFUSED = {
    "softmax(q kᵀ) v, without the factor 1 / √dims": without_scale,
    "the factor 1 / dims in place of 1 / √dims: without a root, or multiplied by twice": scaled_twice,
    "the factor 1 / √kDims, of the tile's rows, in place of 1 / √dims": scaled_by_the_tile,
    "attention to keys past the end of k, which are rows of zeros in the tile": filled_up,
    "attention to one key past the end of k: the last one has the number keys - 1": with_one_key_more,
    "masked scores of 0; exp(0) is 1, and only exp(-inf) is 0": masked_by_zeros,
    "a causal mask that hides the keys before the query, not those after it": with_earlier_keys_hidden,
    "a causal mask by which the last query sees the last key; query i sees keys 0 to i": up_to_the_last_key,
    "a causal mask that also hides the query's own key": without_own_key,
    "a causal mask that ends before the tile of the query itself": up_to_the_tile,
    "rows of k up to the number of queries, and zeros for its other keys": as_many_keys_as_queries,
    "rows of v up to the number of queries, and zeros for its other keys": as_many_values_as_queries,
    "a causal mask of whole tiles; within a tile, later keys take part": masked_by_tiles,
    "a causal mask that compares places within the tiles, not in the sequence": masked_within_tiles,
    "attention without the last part of a tile of keys": only_whole_tiles,
    "out with earlier tiles left at the largest score that they had": with_old_out,
    "out and a sum with earlier tiles left at the largest score that they had: a factor of 1": with_both_old,
    "out and a sum of earlier tiles times exp(new largest - old largest): the factor is exp(old - new)":
        with_the_inverse_factor,
    "a sum in which earlier tiles are left at the largest score that they had": with_old_sum,
    "each thread's sum of its own keys, not added up over the 16 threads of a row": of_single_threads,
    "each thread's largest score of its own keys, not that of the 16 threads of a row":
        largest_of_single_threads,
    "the first tile of v in every round": with_first_values,
    "the first tile of k in every round": with_first_keys,
    "scores as the weights of v: what is stored in p_tile is not exponentiated yet": weighed_by_scores,
    "k in place of v": with_keys_as_values,
    "scores of k kᵀ in place of q kᵀ": with_keys_as_queries,
    "scores of q qᵀ in place of q kᵀ": with_queries_as_keys,
    "scores to which the round before is added: each round begins with scores of 0": with_scores_kept,
    "keys up to the query's own tile alone, also without a causal mask": up_to_own_tile,
    "an lse without the row's largest score": lse_of_differences,
    "an lse from which the row's largest score is subtracted; it belongs added": lse_less_largest,
    "an lse with the logarithm to base 2 of the sum": lse_with_log2,
    "the row's largest score alone as its lse": largest_alone,
    "an lse of the largest score and the sum itself, without its logarithm": lse_without_logarithm,
    "scores with key j of the tile in each thread; those of the key key_of(j) belong into scores[i][j]":
        with_key_j,
    "scores in which each thread has keys beside each other; the next one of its keys is kAcross further, as "
    "key_of(j) says": with_neighbouring_keys,
    "scores whose keys have the numbers of queries, query_of(j), not key_of(j)": with_keys_of_queries,
    "scores with query i of the tile in each thread, not query_of(i)": with_query_i,
    "out with the weights of query i of the tile in each thread, not of query_of(i)": with_weights_of_query_i,
    "out with vector v of the values in each thread, not vector_of(v)": with_vector_v,
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
    Case("causal, three tiles", heads(192, 192, 64, causal=True)),
    # With equal scores every key weighs the same: the result is a mean of v, and exp(lse) the number of keys.
    Case("one tile of equal scores", [tensor((1, 1, 64, 64), special="zeros"), *heads(64, 64, 64)[1:]]),
    Case("two tiles of keys", heads(64, 128, 64)),
    Case("two tiles of keys, ones", heads(64, 128, 64, special="ones")),
    Case("causal, one tile of ones", heads(64, 64, 64, special="ones", causal=True)),
    Case("causal, an odd length", heads(101, 101, 64, causal=True)),
    Case("causal, more queries than keys", heads(150, 70, 32, causal=True)),
    Case("causal, more keys than queries", heads(70, 150, 32, causal=True)),
    Case("two batches of three heads", heads(40, 50, 16, batch=2, count=3)),
    Case("one query", heads(1, 100, 64)),
    Case("one key: its values", heads(70, 1, 64)),
    Case("one of each", heads(1, 1, 1)),
    Case("a key more than a tile", heads(65, 65, 64)),
    Case("40 dimensions", heads(30, 90, 40)),
    Case("37 dimensions, no whole vectors", heads(30, 90, 37)),
    Case("128 dimensions", heads(50, 70, 128)),
    Case("100 dimensions, causal", heads(50, 50, 100, causal=True)),
    Case("the largest score in the last tile", heads(20, 300, 64, limit=4)),
    Case("scores of a hundred and more, whose exp overflows", heads(33, 200, 64, limit=12)),
    Case("float64", heads(45, 70, 24, "float64")),
    Case("float64, 96 dimensions, causal", heads(40, 40, 96, "float64", causal=True)),
    Case("float16", heads(70, 90, 64, "float16")),
    Case("float16, causal, two heads", heads(90, 90, 40, "float16", count=2, causal=True)),
    Case("bfloat16", heads(70, 90, 64, "bfloat16")),
    Case("heads beside each other in memory", heads(40, 50, 16, count=3, layout="interleaved")),
    Case("heads beside each other in memory, of k alone", [
        *heads(40, 40, 16, count=3)[:1], *heads(40, 40, 16, count=3, layout="interleaved")[1:2],
        *heads(40, 40, 16, count=3)[2:]]),
    Case("heads beside each other in memory, of v alone", [
        *heads(40, 40, 16, count=3)[:2], *heads(40, 40, 16, count=3, layout="interleaved")[2:]]),
    Case("every head transposed", heads(40, 50, 16, count=3, layout="transposed")),
    Case("every second element", heads(40, 50, 32, layout="sliced")),
    Case("begins one element into its storage", heads(40, 50, 32, layout="offset")),
    Case("one head of k and v for all of q", [
        tensor((1, 4, 40, 32)), tensor((1, 4, 50, 32), layout="expanded"),
        tensor((1, 4, 50, 32), layout="expanded"), False]),
    Case("no keys: zeros", heads(40, 0, 32)),
    Case("no queries", heads(0, 40, 32)),
    Case("no heads", heads(40, 40, 32, count=0)),
    Case("not-a-number in v goes through", [
        *heads(20, 70, 32)[:2], tensor((1, 1, 70, 32), special="nan"), False]),
    Case("on a side stream", heads(40, 40, 32, causal=True), stream="side"),
    Case("sizes of this verdict", sizes=drawn(
        lambda queries, keys, count: heads(queries, keys, 64, count=count), queries=(33, 400), keys=(33, 400),
        count=(2, 9), where=lambda queries, keys, count: 1 << 16 < count * queries * 64 < 90_000)),
]  # fmt: skip

REFUSALS = [
    Refusal("q has three dimensions", [tensor((4, 6, 8)), *heads(6, 6, 8)[1:]], ["q", "dimensions"]),
    Refusal("k has other dims", [*heads(6, 6, 8)[:1], *heads(6, 6, 9)[1:2], *heads(6, 6, 8)[2:]],
            ["k", "shape"]),
    Refusal("v has fewer rows than k", [*heads(6, 6, 8)[:2], *heads(6, 5, 8)[2:]], ["v", "rows"]),
    Refusal("k is float64", [*heads(6, 6, 8)[:1], *heads(6, 6, 8, "float64")[1:2], *heads(6, 6, 8)[2:]],
            ["k", "double"]),
    Refusal("129 dimensions", heads(6, 6, 129), ["q", "128"]),
    Refusal("k on the CPU", [*heads(6, 6, 8)[:1], tensor((1, 1, 6, 8), device="cpu"), *heads(6, 6, 8)[2:]],
            ["k", "cpu"]),
]  # fmt: skip


def accumulation(q: torch.Tensor, k: torch.Tensor, *others: object) -> int:
    """A score adds up dims products, a result as many products as there are keys. The exponential of a score
    of s has s times the relative error of the score.
    """
    size = max(1, q.shape[-1], k.shape[-2])
    if not q.numel() or not k.numel():
        return size
    return size + int(scores_of(q.double(), k.double(), causal=False).abs().max())


def traffic(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> int:
    """The least: q, k and v once, the results once."""
    return (2 * q.numel() + k.numel() + v.numel()) * q.element_size() + 4 * q.numel() // max(1, q.shape[-1])


def flops(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> int:
    """Two products of two operations each; a causal mask leaves about half of them."""
    full = 4 * q.numel() * k.shape[-2]
    return full // 2 if causal else full


def multiply_adds(q: torch.Tensor, k: torch.Tensor, *others: object) -> int:
    """Of both products and a warp: 32 of them are one instruction."""
    return 2 * q.numel() * k.shape[-2] // WARP


def of_q(q: torch.Tensor, *others: object) -> int:
    """The sectors of q, and of out."""
    return q.numel() * q.element_size() // SECTOR


def with_lse(q: torch.Tensor, *others: object) -> float:
    """The sectors of out; a number for each query is less than a tenth of that."""
    return 1.1 * of_q(q)


def of_keys(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> int:
    """Each block reads the keys once; if causal, those up to its last query."""
    tiles = q.shape[-2] // ROWS
    full = k.numel() * k.element_size() // SECTOR
    return full * (tiles + 1) // 2 if causal else full * tiles


def in_all(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> int:
    """Sectors that are read: a copy of a tensor is read, too."""
    return of_q(q) + 2 * of_keys(q, k, v, causal)


def shared_requests(q: torch.Tensor, k: torch.Tensor, *others: object) -> int:
    """8 x 4 sums for each thread, from vectors of four: 12 vectors serve 128 multiply-adds; and the tiles are
    written.
    """
    return multiply_adds(q, k) // 8


def barriers(q: torch.Tensor, k: torch.Tensor, *others: object) -> int:
    """Four in each round, for each warp of each block."""
    return 4 * 4 * (q.numel() // q.shape[-1] // ROWS) * (k.shape[-2] // ROWS)


def results(q: torch.Tensor, *others: object) -> int:
    """Bytes of out and lse."""
    return (q.numel() + q.numel() // q.shape[-1]) * q.element_size()


LINEAR = (
    "Scores belong into registers and one tile. Memory for all of them grows with the square of the length."
)
REGISTERS = "Load vectors of 16 bytes, and use each for all of the thread's rows."
BANKS = "Read the tiles by load_vector, with the rows and vectors of query_of, key_of and vector_of."
ONE_PASS = "One pass over the keys is enough: largest score, sum and out are brought up to date tile by tile."
CAUSAL = "All scores of a tile of keys after the last query of a block are masked: leave the tile out."
NO_COPY = "Read q, k and v by their strides: a copy is read and written once more."
WRITES = "out is written once, when all keys have been taken in."
ORDER = "Four barriers in a round are enough: before and after keys are read, before and after values are."

EFFICIENCY = [
    Efficiency(
        Case("256 queries, 256 keys", heads(256, 256, 64)),
        [
            Limit("peak_bytes", results, share=4, rule=LINEAR),
            Limit("global_load_sectors", of_q, rule=ONE_PASS, of="q"),
            Limit("global_load_sectors", of_keys, share=2, rule=ONE_PASS, of="k"),
            Limit("global_load_sectors", of_keys, share=2, rule=ONE_PASS, of="v"),
            Limit("global_load_sectors", in_all, rule=NO_COPY),
            Limit("global_store_sectors", with_lse, share=2, rule=WRITES),
            Limit("shared_load_requests", shared_requests, share=3, rule=REGISTERS),
            Limit("bank_conflicts", 0, share=2, rule=BANKS),
            Limit("barriers", barriers, rule=ORDER),
        ],
    ),
    Efficiency(
        Case("causal, 256 queries and keys", heads(256, 256, 64, causal=True)),
        [
            Limit("global_load_sectors", of_keys, share=2, rule=CAUSAL, of="k"),
            Limit("global_load_sectors", of_keys, rule=CAUSAL, of="v"),
            Limit("global_load_sectors", in_all, rule=NO_COPY),
        ],
    ),
]

SPEED = Speed(
    [tensor((2, 16, 4096, 64)), tensor((2, 16, 4096, 64)), tensor((2, 16, 4096, 64)), True],
    baseline="torch.ops.aten._scaled_dot_product_attention_math(q, k, v, None, 0.0, causal)",
    steps=((0.5, 0.25), (1.0, 0.5), (2.0, 1.0)),
)

DISPATCHER = Dispatcher(
    operators=[
        Operator(
            "attention_forward::attention",
            [
                Case("9 queries, 7 keys", heads(9, 7, 8, count=2)),
                Case("float64, causal", heads(6, 6, 4, "float64", causal=True)),
                Case("float16", heads(5, 8, 8, "float16")),
                Case("heads beside each other", heads(5, 6, 8, count=3, layout="interleaved")),
            Case("every head transposed", heads(5, 6, 8, count=3, layout="transposed")),
            ],
            differentiable=False,
        ),
    ],
    compiled=[Case("20 queries, 12 keys", heads(20, 12, 16)), Case("9 queries, 30 keys", heads(9, 30, 16))],
)

PROFILE = Case("128 queries, 128 keys", heads(128, 128, 64))
