"""Which figures are rearranged for a narrow column; the others are only squeezed."""

from __future__ import annotations

from narrow_panels import Layout

_ONE_SECTOR = Layout(at=((0, 0), (92, 80), (684, 358)))  # the rest of each row is idle
_THIRTY_TWO = Layout(fold=(92, 380, 668))

LAYOUTS = {
    "allocated_over_time": Layout(panels=((36, 446), (492, 716))),
    "backward_contract": Layout(at=((0, 0), (130, 96), (660, 358))),
    "bias_columns": Layout(panels=((20, 320), (340, 640))),
    "block_given_again": Layout(at=((0, 0), (118, 52), (604, 348), (720, 358))),
    "four_views": Layout(panels=((0, 190), (190, 346), (346, 490), (490, 648))),
    "grid_stride": Layout(at=((0, 0), (96, 46), (612, 358))),
    "gather_and_scatter": Layout(panels=((0, 320), (340, 660))),
    "butterfly": Layout(at=((0, 0), (68, 58), (96, 74), (606, 358))),
    "host_device": Layout(at=((0, 0), (10, 4), (210, 98), (430, 252), (630, 346), (640, 358))),
    "key_stack": Layout(
        moved=((160, 12, 33),), fold=(290, 521, 752), at=((0, 0), (150, 140), (290, 150), (529, 358))
    ),
    "layers": Layout(at=((0, 0), (118, 92), (130, 98), (530, 352), (640, 358))),
    "lost_update": Layout(panels=((0, 320), (340, 660))),
    "matmul_load_a": _ONE_SECTOR,
    "matmul_load_a_exchanged": _ONE_SECTOR,
    "matmul_load_b": _THIRTY_TWO,
    "reduction_trees": Layout(panels=((0, 231), (232, 465), (466, 696))),
    "segments": Layout(at=((0, 0), (98, 78), (110, 84), (636, 358))),
    "pairs_of_tiles": Layout(panels=((0, 350), (350, 700))),
    "running_max_and_sum": Layout(fold=(130, 382, 634)),
    "shuffle_rounds": Layout(at=((0, 0), (68, 58), (96, 74), (606, 358))),
    "sixteen_bits": Layout(at=((0, 0), (88, 66), (100, 72), (660, 358))),
    "stack_and_tools": Layout(at=((0, 0), (88, 78), (100, 84), (240, 166), (330, 188), (720, 358))),
    "strided_view": Layout(at=((0, 0), (176, 60), (190, 66), (620, 358))),
    "strides_load_transposed": _ONE_SECTOR,
    "three_ways": Layout(at=((0, 0), (80, 50), (88, 58), (712, 352), (720, 358))),
    "tape": Layout(at=((0, 0), (84, 72), (676, 358))),
    "transpose_banks_padded": _THIRTY_TWO,
    "transpose_banks_tiled": _THIRTY_TWO,
    "transpose_store_naive": _ONE_SECTOR,
    "transpose_store_tiled": _THIRTY_TWO,
    "transpose_tile": Layout(panels=((0, 290), (290, 420), (420, 640)), arrows=2),
    "two_barriers": Layout(at=((0, 0), (100, 56), (632, 354), (640, 358))),
    "turned_tile": Layout(panels=((0, 238), (238, 660)), arrows=1),
    "wheel": Layout(panels=((0, 279), (280, 560), (561, 760)), arrows=1),
    "stable_abi": Layout(panels=((0, 482), (483, 760))),
    "wrapped_offset": Layout(
        at=((0, 0), (36, 8), (98, 62), (320, 150), (382, 204), (548, 296), (610, 350), (640, 358))
    ),
    "which_tool": Layout(at=((0, 0), (310, 140), (420, 172), (570, 270), (580, 274), (700, 358))),
}
