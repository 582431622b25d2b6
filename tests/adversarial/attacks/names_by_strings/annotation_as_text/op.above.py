from __future__ import annotations  # coding of annotations

import torch


def f(x: getattr(torch, "o" + "s")):
    pass
