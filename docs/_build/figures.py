"""Draws the diagrams of the lessons into ``docs/figures``; with ``--check`` only compares.

Whatever a diagram shows about indices, addresses or values is computed by the kernel's own arithmetic, or
counted while the solution runs on the simulated GPU.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import attention_pictures
import backward_pictures
import barrier_pictures
import before_pictures
import binding_pictures
import clinic_pictures
import counted
import dispatcher_pictures
import embedding_pictures
import execution
import home_pictures
import library_pictures
import measuring_pictures
import norm_pictures
import memory_pictures
import occupancy_pictures
import package_pictures
import precision_pictures
import reduction_pictures
import register_tile_pictures
import roofline
import softmax_pictures
import stream_pictures
import stride_pictures
import suite_pictures
import tape_pictures
import tensor_core_pictures
import tile_pictures
import timeline
import training_pictures
import transpose_pictures
import values
import triton_pictures
import vector_pictures
from generated import bring_up_to_date

from cusimt.counters.canvas import Canvas

FOLDER = Path(__file__).resolve().parent.parent / "figures"

FIGURES: dict[str, Callable[[], Canvas]] = {
    "two_ways_to_run": home_pictures.two_ways_to_run,
    "grid_index": execution.grid_index,
    "host_device": execution.host_device,
    "strided_view": values.strided_view,
    "autograd_tape": values.autograd_tape,
    "layers": execution.layers,
    "matmul_warp": execution.matmul_warp,
    "bias_columns": values.bias_columns,
    "gelu_curves": values.gelu_curves,
    "sixteen_bits": precision_pictures.sixteen_bits,
    "running_sum": precision_pictures.running_sum,
    "gather_and_scatter": embedding_pictures.gather_and_scatter,
    "lost_update": embedding_pictures.lost_update,
    "segments": embedding_pictures.segments,
    "backward_contract": backward_pictures.backward_contract,
    "kept_on_ctx": backward_pictures.kept_on_ctx,
    "expanded_cotangent": backward_pictures.expanded_cotangent,
    "stack_and_tools": before_pictures.stack_and_tools,
    "grid_on_device": before_pictures.grid_on_device,
    "which_tool": before_pictures.which_tool,
    "which_binding": binding_pictures.which_binding,
    "roofline": roofline.picture,
    "allocated_over_time": memory_pictures.allocated_over_time,
    "three_ways": measuring_pictures.three_ways,
    "reduction_trees": reduction_pictures.reduction_trees,
    "shuffle_rounds": reduction_pictures.shuffle_rounds,
    "turned_tile": reduction_pictures.turned_tile,
    "merged_moments": norm_pictures.merged_moments,
    "two_directions": norm_pictures.two_directions,
    "tiles_and_masks": triton_pictures.tiles_and_masks,
    "tiles_of_scores": attention_pictures.tiles_of_scores,
    "pairs_of_tiles": attention_pictures.pairs_of_tiles,
    "loss_curves": training_pictures.loss_curves,
    "rows_as_columns": library_pictures.rows_as_columns,
    "calls_on_a_timeline": library_pictures.calls_on_a_timeline,
    "running_max_and_sum": softmax_pictures.running_max_and_sum,
    "butterfly": softmax_pictures.butterfly,
    "key_stack": dispatcher_pictures.key_stack,
    "fork_and_join": stream_pictures.fork_and_join,
    "block_given_again": stream_pictures.block_given_again,
    "two_juries": suite_pictures.two_juries,
    "orders_of_a_sum": suite_pictures.orders_of_a_sum,
    "streams_side_by_side": timeline.streams_side_by_side,
    "matmul_load_a": counted.matmul_load_a,
    "matmul_load_b": counted.matmul_load_b,
    "matmul_load_a_exchanged": counted.matmul_load_a_exchanged,
    "where_tools_look": clinic_pictures.where_tools_look,
    "wheel": package_pictures.wheel,
    "stable_abi": package_pictures.stable_abi,
    "four_views": stride_pictures.four_views,
    "grid_stride": stride_pictures.grid_stride,
    "wrapped_offset": stride_pictures.wrapped_offset,
    "strides_load_transposed": stride_pictures.load_transposed,
    "transpose_tile": transpose_pictures.tile_way,
    "transpose_store_naive": transpose_pictures.store_naive,
    "transpose_store_tiled": transpose_pictures.store_tiled,
    "transpose_banks_tiled": transpose_pictures.banks_tiled,
    "transpose_banks_padded": transpose_pictures.banks_padded,
    "requests_and_sectors": vector_pictures.requests_and_sectors,
    "where_a_view_begins": vector_pictures.where_a_view_begins,
    "tape": tape_pictures.tape,
    "tile_rounds": tile_pictures.tile_rounds,
    "lanes_in_a_loop": occupancy_pictures.lanes_in_a_loop,
    "warps_that_fit": occupancy_pictures.warps_that_fit,
    "thread_tile": register_tile_pictures.thread_tile,
    "two_buffers": register_tile_pictures.two_buffers,
    "warp_fragments": tensor_core_pictures.warp_fragments,
    "fragment_banks": tensor_core_pictures.fragment_banks,
    "two_barriers": barrier_pictures.two_barriers,
}


def diagrams() -> Iterator[tuple[Path, str]]:
    for name, draw in FIGURES.items():
        yield FOLDER / f"{name}.svg", draw().render()


if __name__ == "__main__":
    raise SystemExit(bring_up_to_date(diagrams(), "--check" in sys.argv[1:], "figures.py"))
