"""A whole kernel in Triton, and its launch: each row of a matrix times a number of its own.

Without a GPU: python -m cusimt docs/samples/triton/first_kernel.py
"""

# --8<-- [start:kernel]
from typing import Any

import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"DOWN": 2}), triton.Config({"DOWN": 8})], key=["width"])
@triton.jit
def scale_kernel(x, factors, out, x_down, x_across, height, width, ACROSS: tl.constexpr, DOWN: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * DOWN + tl.arange(0, DOWN)  # (DOWN): the rows of this program
    j = tl.arange(0, ACROSS)  # (ACROSS): the columns, and some that do not exist
    exists = (i < height)[:, None] & (j < width)[None, :]  # (DOWN, ACROSS)
    tile = tl.load(x + (i[:, None] * x_down + j[None, :] * x_across), mask=exists)
    each = tl.load(factors + i, mask=i < height)  # (DOWN)
    tl.store(out + (i[:, None] * width + j[None, :]), tile * each[:, None], mask=exists)


@torch.library.triton_op("lesson::scale_rows", mutates_args=())
def scale_rows(x: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)

    def programs(meta: dict[str, Any]) -> tuple[int]:
        return (triton.cdiv(x.shape[0], meta["DOWN"]),)

    launch = torch.library.wrap_triton(scale_kernel)[programs]
    launch(x, factors, out, *x.stride(), *x.shape, triton.next_power_of_2(x.shape[1]))
    return out


# --8<-- [end:kernel]

if __name__ == "__main__":
    x, factors = torch.rand(5, 6, device="cuda"), torch.rand(5, device="cuda")
    print("largest difference:", float((scale_rows(x, factors) - x * factors[:, None]).abs().max()))
