"""NVIDIA's libraries that an exercise may be about, by their name in ``device_work.vendor``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Vendor:
    """``title`` is the library's name; ``words`` and ``headers`` are regular expressions for the identifiers
    and the headers that a source needs for it, beyond those that every source may use.
    """

    title: str
    words: str
    headers: str


VENDOR = {
    "cublas": Vendor("cuBLAS", r"cublas\w*", r"cublas(_v2|_api)?\.h"),
    "cub": Vendor("CUB", r"(?!)", r"cub/(cub\.cuh|(device|agent|grid)/.*)"),
    "cusparse": Vendor("cuSPARSE", r"cusparse\w*", r"cusparse\.h|ATen/cuda/CUDASparse\.h"),
}
