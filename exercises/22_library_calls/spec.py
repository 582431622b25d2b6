"""graph_layer: A[b] @ x[b] @ weight for sparse matrices A, whose entries are at (rows[i], columns[i])."""

from typing import Any

import torch

from grader.specification import Case, Efficiency, Gradient, Limit, Refusal, TensorSpec, drawn, tensor

ENTRY = "graph_layer"


def spread(
    rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, hidden: torch.Tensor
) -> torch.Tensor:
    """A[b] @ hidden[b]; entries at the same place add up."""
    terms = values.detach().expand(len(hidden), -1)[..., None] * hidden[:, columns.long()]
    return torch.zeros_like(hidden).index_add(1, rows.long(), terms)


def reference(
    rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, x: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    return spread(rows, columns, values, x @ weight)


# ---- what a layer with one mistake computes --------------------------------------------------------------


def transposed(
    rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, x: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    return spread(columns, rows, values, x @ weight)


def of_the_first_graph(
    rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, x: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    return spread(rows, columns, values if values.ndim == 1 else values[:1], x @ weight)


def without_the_product(
    rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, x: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    return x @ weight


def with_one_hidden(
    rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, x: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    hidden = x @ weight
    return spread(rows, columns, values, hidden[:1].expand_as(hidden))


def later_by_a_row(
    rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, x: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    out = reference(rows, columns, values, x, weight)
    return torch.cat([torch.zeros_like(out[:, :1]), out[:, :-1]], 1)


def not_added_up(
    rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, x: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    """Row r has the entries from the number of row r - 1 up to its own number."""
    nodes = x.shape[1]
    ends = torch.bincount(rows.long(), minlength=nodes)
    begins = torch.cat([torch.zeros_like(ends[:1]), ends[:-1]])
    found = [(row, i) for row in range(nodes) for i in range(int(begins[row]), int(ends[row]))]
    of_row, entry = torch.tensor(found, dtype=torch.long).reshape(-1, 2).unbind(1)
    return spread(of_row, columns[entry], values[..., entry], x @ weight)


CONFUSED = {
    "offsets that are the counts of each row, not their sums; CUB adds up nothing if its temporary storage "
    "has 0 bytes, since an empty tensor has no address": not_added_up,
    "Aᵀ in place of A": transposed,
    "the values of the first graph for all graphs": of_the_first_graph,
    "x @ weight alone, without the sparse product": without_the_product,
    "the first graph's x @ weight for all graphs": with_one_hidden,
    "every row one place later, by offsets that begin with the first row's end": later_by_a_row,
}


# ---- cases -----------------------------------------------------------------------------------------------


def layer(
    nodes: int, entries: int, features: int, out: int, dtype: str = "float32", *, batch: int = 2,
    shared: bool = True, x: dict[str, Any] | None = None, weight: dict[str, Any] | None = None,
    values: dict[str, Any] | None = None, **more: Any,
) -> list[TensorSpec]:  # fmt: skip
    """rows, columns, values, x and weight; with `shared` one A for all graphs."""
    last = max(0, nodes - 1)
    return [
        tensor(entries, "int32", special="sorted", low=0, high=last, **more),
        tensor(entries, "int32", low=0, high=last, **more),
        tensor(entries if shared else (batch, entries), dtype, **more, **(values or {})),
        tensor((batch, nodes, features), dtype, **more, **(x or {})),
        tensor((features, out), dtype, **more, **(weight or {})),
    ]


CASES = [
    Case("one graph", layer(6, 14, 4, 3, batch=1)),
    Case("three graphs with one A", layer(7, 20, 5, 4, batch=3), launch_errors=True),
    Case("three graphs, an A for each", layer(7, 20, 5, 4, batch=3, shared=False)),
    Case("one A, expanded over the graphs", layer(7, 20, 5, 4, batch=3, shared=False,
                                                  values={"layout": "expanded"})),
    Case("one x, expanded over the graphs", layer(7, 20, 5, 4, batch=3, shared=False,
                                                  x={"layout": "expanded"})),
    Case("all ones", [*layer(9, 40, 6, 5)[:2], tensor(40, special="ones"), tensor((2, 9, 6), special="ones"),
                      tensor((6, 5), special="ones")]),
    Case("weight as nn.Linear has it", layer(8, 30, 6, 5, weight={"layout": "transposed"})),
    Case("x with its features first", layer(8, 30, 6, 5, batch=3, x={"layout": "transposed"})),
    Case("x and weight transposed", layer(8, 30, 6, 6, x={"layout": "transposed"},
                                          weight={"layout": "transposed"})),
    Case("x and weight with a gap behind each row", layer(8, 30, 6, 5, batch=3, x={"layout": "padded"},
                                                          weight={"layout": "padded"})),
    Case("every second feature of x", layer(8, 30, 6, 5, x={"layout": "sliced"})),
    Case("every second column of weight", layer(8, 30, 6, 5, weight={"layout": "sliced"})),
    Case("x with its nodes innermost", layer(8, 30, 6, 5, batch=3, x={"layout": "permuted"})),
    Case("every second entry", layer(8, 30, 6, 5, values={"layout": "sliced"})),
    Case("x begins one element into its storage", layer(8, 30, 6, 5, x={"layout": "offset"})),
    Case("one node", layer(1, 1, 4, 2)),
    Case("two nodes, every entry", layer(2, 4, 4, 2)),
    Case("one feature, one result", layer(9, 25, 1, 1, batch=3)),
    Case("one of each", layer(1, 1, 1, 1, batch=1)),
    Case("few entries, rows without any", layer(300, 40, 3, 2)),
    Case("2,000 nodes", layer(2000, 5000, 8, 4, batch=1)),
    Case("float64", layer(20, 90, 13, 7, "float64", batch=3)),
    Case("float64, an A for each", layer(20, 90, 13, 7, "float64", batch=3, shared=False)),
    Case("float16", layer(20, 90, 24, 16, "float16")),
    Case("float16, an A for each", layer(20, 90, 24, 16, "float16", batch=3, shared=False)),
    Case("bfloat16", layer(20, 90, 24, 16, "bfloat16")),
    Case("large values", layer(12, 50, 9, 5, x={"special": "large"})),
    Case("no entries: zeros", layer(5, 0, 4, 3)),
    Case("no features: zeros", layer(5, 9, 0, 3)),
    Case("no results", layer(5, 9, 4, 0)),
    Case("no nodes", layer(0, 0, 4, 3)),
    Case("no graphs", layer(5, 9, 4, 3, batch=0)),
    Case("not-a-number in x goes through", layer(12, 50, 9, 5, x={"special": "nan"})),
    Case("on a side stream", layer(15, 60, 8, 6), stream="side"),
    Case("on a side stream, an A for each", layer(15, 60, 8, 6, batch=3, shared=False), stream="side"),
    Case("on the second device", layer(15, 60, 8, 6, device="cuda:1"), device=0),
    Case("sizes of this verdict", sizes=drawn(
        lambda nodes, out, batch: layer(nodes, 3 * nodes, 7, out, batch=batch, shared=False),
        nodes=(50, 4000), out=(2, 60), batch=(2, 9),
        where=lambda nodes, out, batch: 1 << 16 < nodes * out * batch < 120_000)),
]  # fmt: skip

REFUSALS = [
    Refusal("x is a matrix", [*layer(6, 9, 4, 3)[:3], tensor((6, 4)), tensor((4, 3))], ["x", "dimensions"]),
    Refusal("rows are int64", [tensor(9, "int64", special="sorted", low=0, high=5), *layer(6, 9, 4, 3)[1:]],
            ["rows", "int32"]),
    Refusal("columns are int64", [*layer(6, 9, 4, 3)[:1], tensor(9, "int64", low=0, high=5),
                                  *layer(6, 9, 4, 3)[2:]], ["columns", "int32"]),
    Refusal("fewer values than columns", [*layer(6, 9, 4, 3)[:2], tensor(8), *layer(6, 9, 4, 3)[3:]],
            ["values", "columns"]),
    Refusal("values for three graphs, x of two", [*layer(6, 9, 4, 3)[:2], tensor((3, 9)),
                                                  *layer(6, 9, 4, 3)[3:]], ["values", "graphs"]),
    Refusal("values are float64", [*layer(6, 9, 4, 3)[:2], tensor(9, "float64"), *layer(6, 9, 4, 3)[3:]],
            ["values", "float"]),
    Refusal("weight has other rows", [*layer(6, 9, 4, 3)[:4], tensor((5, 3))], ["rows", "shape"]),
    Refusal("x on the CPU", [*layer(6, 9, 4, 3)[:3], tensor((2, 6, 4), device="cpu"), tensor((4, 3))],
            ["CUDA", "cpu"]),
]  # fmt: skip

GRADIENT = Gradient(
    cases=[
        Case("float64, one A", layer(5, 12, 4, 3, "float64"), launch_errors=True),
        Case("float64, an A for each", layer(4, 9, 3, 2, "float64", batch=3, shared=False)),
        Case("float64, weight transposed", layer(5, 12, 4, 3, "float64", weight={"layout": "transposed"})),
        Case("float64, x padded", layer(5, 12, 4, 3, "float64", x={"layout": "padded"})),
        Case("float64, x transposed", layer(5, 12, 4, 3, "float64", x={"layout": "transposed"})),
        Case("float32", layer(30, 100, 9, 7, batch=3)),
        Case("float16", layer(20, 60, 16, 8, "float16")),
        Case("no entries", layer(5, 0, 4, 3, "float64")),
        Case("on a side stream", layer(15, 60, 8, 6), stream="side"),
        Case("sizes of this verdict", sizes=drawn(
            lambda nodes, out: layer(nodes, 3 * nodes, 5, out, shared=False),
            nodes=(20, 400), out=(2, 40), where=lambda nodes, out: 1024 < nodes * out < 8000)),
    ],
    inputs=("x", "weight"),
    unrequested=True,
)  # fmt: skip


def accumulation(rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, *others: Any) -> int:
    """Products of all features are added up, and then those of all entries of a row. Backward adds up over
    the nodes of all graphs.
    """
    x = others[0]
    fullest = int(torch.bincount(rows.long()).max()) if rows.numel() else 0
    return max(1, x.shape[-1] + fullest, x.shape[0] * x.shape[1])


def traffic(rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, *others: Any) -> int:
    """The least: every argument once, the result once."""
    x, weight = others
    out = x.shape[0] * x.shape[1] * weight.shape[1]
    elements = values.numel() + x.numel() + weight.numel() + out
    return 4 * (rows.numel() + columns.numel()) + elements * x.element_size()


def flops(rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, *others: Any) -> int:
    x, weight = others
    return 2 * weight.shape[1] * (x.numel() + x.shape[0] * rows.numel())


ONE_CALL = "A batch is one call: strides from matrix to matrix, 0 for one that serves all."
NO_COPY = (
    "Offsets, temporary storage, x @ weight, workspace and result are all that is allocated: a transposed "
    "operand is an op, a gap between rows a leading dimension, and what all graphs share has a stride of 0."
)
NO_COPY_BACK = "Two workspaces and results are all that is allocated: backward multiplies views."

EFFICIENCY = [
    Efficiency(
        Case("eight graphs, one A", layer(40, 160, 16, 12, batch=8)),
        [
            Limit("library_calls", 2, share=3, rule=ONE_CALL),
            Limit("allocations", 5, share=2, rule=NO_COPY),
            Limit("library_calls", 3, stage="backward", share=2, rule=ONE_CALL),
            Limit("allocations", 4, stage="backward", rule=NO_COPY_BACK),
        ],
    ),
    Efficiency(
        Case("eight graphs, an A for each", layer(40, 160, 16, 12, batch=8, shared=False)),
        [
            Limit("library_calls", 2, share=2, rule=ONE_CALL),
            Limit("allocations", 6, rule="The columns are repeated for each graph; nothing else is copied."),
        ],
    ),
    Efficiency(
        Case("x with its features first, weight of nn.Linear", layer(
            40, 160, 16, 12, batch=8, x={"layout": "transposed"}, weight={"layout": "transposed"})),
        [Limit("allocations", 5, share=3, rule=NO_COPY)],
    ),
]  # fmt: skip

PROFILE = Case("200 nodes", layer(200, 800, 16, 12))
