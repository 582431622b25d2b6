
import torch

from . import _C, ops
from .ops import muladd

__all__ = ["_C", "muladd", "ops"]
__version__ = "0.1.0"
