"""Right kernels in many styles: each is the solution of exercise 25, some passages written in another way."""

from __future__ import annotations

from grader.course.catalog import Catalog
from grader.course.stubs import without_markers
from tests.honest.reading import ROOT

SLUG = "25_triton"
_FORWARD = '@triton.autotune(configs=CONFIGS, key=["columns"])\n@triton.jit\ndef forward_kernel('
_BACKWARD = '@triton.autotune(configs=CONFIGS, key=["columns"], reset_to_zero=["sums"])\n@triton.jit'
_LAST = "rows, columns, eps: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr,\n):  # fmt: skip\n"
_WIDE_LINE = "wide = tl.float64 if x.dtype.element_ty == tl.float64 else tl.float32"
_WIDE = f"    {_WIDE_LINE}  # the type to compute in\n"
_FIRST_ROW = "tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)"
_SCALE = "1 / tl.sqrt(tl.sum(distance * distance, 1) / columns + eps)"
_MEAN = "center = tl.sum(values, 1) / columns"
_LOOP = "range(tl.program_id(0) * ROWS, rows, tl.num_programs(0) * ROWS)"
_VALUES = (
    "values = tl.load(x + row[:, None] * x_row + column[None, :] * x_column, mask=inside, other=0).to(wide)"
)
_STORE = (
    "tl.store(out + row[:, None] * columns + column[None, :], result.to(out.dtype.element_ty), mask=inside)"
)
_IMPORT = "import triton.language as tl\n"
_DEF_GRID = "def grid(meta: dict[str, Any]) -> tuple[int]:\n        return "
_GRID = '(triton.cdiv(rows.shape[0], meta["ROWS"]),)'

Passages = list[tuple[str, str]]
STYLES: dict[str, tuple[Passages, Passages]] = {
    # name: what is replaced in kernel.py, and in op.py
    "helpers of helpers": (
        [
            ("@triton.jit\ndef moments", "@triton.jit\ndef squared(x):\n    return x * x\n\n\n"
             "@triton.jit\ndef moments"),
            ("tl.sum(distance * distance, 1)", "tl.sum(squared(distance), 1)"),
        ],
        [],
    ),
    "constants of the file": (
        [
            (_IMPORT, f"{_IMPORT}\nNOTHING = tl.constexpr(0)\nONE: tl.constexpr = tl.constexpr(2 - 1)\n"),
            ("values - center[:, None], 0)", "values - center[:, None], NOTHING)"),
        ],
        [],
    ),
    "other names for types": (
        [(_IMPORT, f"{_IMPORT}\nF32 = tl.float32\nF64 = tl.float64\n"),
         (_WIDE_LINE, "wide = F64 if x.dtype.element_ty == F64 else F32")],
        [],
    ),
    "four configurations, some of them left out": (
        [
            ("CONFIGS = [\n", "CONFIGS = [\n    *(triton.Config({'ROWS': n}, num_warps=4, num_stages=2) "
             "for n in (2, 8)),\n"),
            (_FORWARD, "def few(configs, args, **kwargs):\n    most = 8 if args['columns'] < 512 else 2\n"
             "    return [each for each in configs if each.kwargs['ROWS'] <= most]\n\n\n"
             "@triton.autotune(CONFIGS, key=['columns'], prune_configs_by={'early_config_prune': few})\n"
             "@triton.jit\ndef forward_kernel("),
        ],
        [],
    ),
    "heuristics by a lambda": (
        [
            (_FORWARD, "@triton.autotune(configs=CONFIGS, key=['columns'])\n"
             "@triton.heuristics({'EVEN': lambda args: args['columns'] == args['BLOCK']})\n"
             "@triton.jit\ndef forward_kernel("),
            (_LAST + _WIDE, _LAST.replace("\n):", " EVEN: tl.constexpr,\n):") + _WIDE),
            (_VALUES, "at = x + row[:, None] * x_row + column[None, :] * x_column\n"
             "    if EVEN:\n        values = tl.load(at, mask=(row < rows)[:, None], other=0).to(wide)\n"
             "    else:\n        values = tl.load(at, mask=inside, other=0).to(wide)"),
        ],
        [],
    ),
    "heuristics by a function": (
        [
            (_FORWARD, "def rows_of(args):\n    return 1 if args['BLOCK'] > 1024 else 4\n\n\n"
             "@triton.heuristics(values={'ROWS': rows_of})\n@triton.jit\ndef forward_kernel("),
        ],
        [("torch.library.wrap_triton(forward_kernel)[grid]", "forward_kernel[grid]")],
    ),
    "a grid of two dimensions": (
        [(f"row = {_FIRST_ROW}", "tile = tl.program_id(0) + tl.program_id(1) * tl.num_programs(axis=0)\n"
          "    row = tile.to(tl.int64) * ROWS + tl.arange(0, ROWS)")],
        [("-> tuple[int]:\n        return (triton.cdiv(rows.shape[0], meta[\"ROWS\"]),)",
          "-> tuple[int, int]:\n        tiles = triton.cdiv(rows.shape[0], meta[\"ROWS\"])\n"
          "        return min(tiles, 2), triton.cdiv(tiles, 2)")],
    ),
    "a lambda for the grid": (
        [],
        [(f"{_DEF_GRID}{_GRID}", f"grid = lambda meta: {_GRID}")],
    ),
    "no tuning": (
        [(_FORWARD, "@triton.jit\ndef forward_kernel(")],
        [(f"{_DEF_GRID}{_GRID}\n", ""),
         ("(forward_kernel)[grid](", "(forward_kernel)[(triton.cdiv(rows.shape[0], 2),)]("),
         ("*rows.shape, eps, triton.next_power_of_2(rows.shape[1]),\n    )\n    return out",
          "*rows.shape, eps, BLOCK=triton.next_power_of_2(rows.shape[1]), ROWS=2, num_warps=2,\n"
          "    )\n    return out")],
    ),
    "mathematics of tl.math": (
        [(_SCALE, "tl.math.rsqrt(tl.sum(tl.math.fma(distance, distance, 0.0), axis=1) / columns + eps)")],
        [],
    ),
    "assertions": (
        [(_WIDE, f"{_WIDE}    tl.static_assert(ROWS >= 1, 'a tile has rows')\n"
          "    tl.device_assert(columns <= BLOCK, 'a row fits into a tile')\n"
          "    assert rows > 0, 'there are rows'\n"
          "    tl.assume(columns > 0)\n"
          "    tl.static_print('a kernel for rows of', BLOCK)\n")],
        [],
    ),
    "tl.range": ([(_LOOP, f"tl.{_LOOP[:-1]}, num_stages=2)")], []),
    "tl.static_range": (
        [("    of_weight = tl.zeros((BLOCK,), wide)\n", "    of_weight = tl.zeros((BLOCK,), wide)\n"
          "    for _ in tl.static_range(2):\n        of_weight = of_weight + 0.0\n")],
        [],
    ),
    "a while loop": (
        [(f"for first in {_LOOP}:\n", "first = tl.program_id(0) * ROWS\n    while first < rows:\n"),
         ("        of_bias += tl.sum(grad, 0)\n",
          "        of_bias += tl.sum(grad, 0)\n        first += tl.num_programs(0) * ROWS\n")],
        [],
    ),
    "annotations and a docstring": (
        [(f"x_row, x_column, weight_column, bias_column,\n    {_LAST}{_WIDE}",
          "x_row: tl.int64, x_column, weight_column: \"tl.int64\", bias_column,\n    rows: int, "
          "columns: int, eps: \"tl.constexpr\", BLOCK: tl.constexpr, ROWS: tl.constexpr = 1,\n) -> None:\n"
          f'    """Normalises ROWS rows."""\n{_WIDE}')],
        [],
    ),
    "block pointers": (
        [(_VALUES, "tile = tl.make_block_ptr(x, (rows, columns), (x_row, x_column), "
          "((tl.program_id(0) * ROWS).to(tl.int32), 0), (ROWS, BLOCK), (1, 0))\n"
          "    values = tl.load(tile, boundary_check=(0, 1), padding_option='zero').to(wide)\n"
          "    values = tl.where(inside, values, 0)")],
        [],
    ),
    "tensor descriptors": (
        [(_STORE, "target = tl.make_tensor_descriptor(out, [rows, columns], [columns, 1], [ROWS, BLOCK])\n"
          "    target.store([tl.program_id(0) * ROWS, 0], result.to(out.dtype.element_ty))")],
        [],
    ),
    "imports by name": (
        [("import triton\nimport triton.language as tl\n",
          "import triton\nimport triton.language as tl\nfrom triton import Config, autotune, jit\n"
          "from triton.language import load, store, where\n"),
         (_FORWARD, "@autotune(configs=[Config({'ROWS': 2})], key=[])\n@jit\ndef forward_kernel("),
         (_STORE, _STORE.removeprefix("tl.")), (_VALUES, _VALUES.replace("tl.load", "load")),
         ("tl.where(inside", "where(inside")],
        [],
    ),
    "sums zeroed by a hook": (
        [(_BACKWARD, "def zeroed(args):\n    args['sums'].zero_()\n\n\n@triton.autotune(\n"
          "    [triton.Config({'ROWS': n}, pre_hook=zeroed) for n in (4, 1)], key=['columns']\n)\n"
          "@triton.jit")],
        [],
    ),
    "options of jit": (
        [(_FORWARD, _FORWARD.replace("@triton.jit", "@triton.jit(debug=True, do_not_specialize=['rows'])"))],
        [],
    ),
    "methods of tiles": (
        [(_MEAN, "center = values.sum(axis=1) / columns"),
         ("tl.where(inside, values - center[:, None], 0)",
          "tl.where(inside, values - center.expand_dims(1).broadcast_to(values.shape), 0)"),
         ("result.to(out.dtype.element_ty)", "tl.cast(result, out.type.element_ty)")],
        [],
    ),
    "a reduction of its own": (
        [("@triton.jit\ndef moments",
          "@triton.jit\ndef plus(a, b):\n    return a + b\n\n\n@triton.jit\ndef moments"),
         (_MEAN, "center = tl.reduce(values, 1, plus) / columns")],
        [],
    ),
    "a kernel as a parameter": (
        [("@triton.jit\ndef moments(values, inside, columns, eps: tl.constexpr):",
          "@triton.jit\ndef mean(values, columns):\n    return tl.sum(values, 1) / columns\n\n\n@triton.jit\n"
          "def moments(values, inside, columns, eps: tl.constexpr, center_of: tl.constexpr = mean):"),
         (_MEAN, "center = center_of(values, columns)")],
        [],
    ),
    "branches by a type": (
        [(_WIDE, "    if x.dtype.element_ty.primitive_bitwidth == 64 and x.dtype.is_ptr():\n"
          "        wide: tl.constexpr = tl.float64\n    else:\n        wide: tl.constexpr = tl.float32\n")],
        [],
    ),
    "numbers that backward keeps": (
        [],
        [("ctx.eps = eps", "ctx.eps, ctx.num_warps = eps, 4"),
         ("PROGRAMS = 32  #", "MOST = 64\nPROGRAMS = MOST // 2  #")],
    ),
}  # fmt: skip


def files_of(style: str) -> dict[str, str]:
    """kernel.py and op.py; each passage occurs once."""
    folder = Catalog.open(ROOT).find(SLUG).solution_dir
    texts = {}
    for name, passages in zip(("kernel.py", "op.py"), STYLES[style], strict=True):
        text = without_markers((folder / name).read_text(encoding="utf-8"))
        for old, new in passages:
            assert text.count(old) == 1, (style, old, text.count(old))
            text = text.replace(old, new)
        texts[name] = text
    return texts
