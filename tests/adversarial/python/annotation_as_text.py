# With this import annotations are texts, which no table of symbols shows.
# A naive grader gives full marks. Refused here: uses `getattr`
from __future__ import annotations  # coding of annotations

import torch


def f(x: getattr(torch, "o" + "s")):
    pass
