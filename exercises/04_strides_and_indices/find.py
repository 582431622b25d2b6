"""Runs one kernel of find.cu, or of your copy of it, with the sizes that you give.

python -m cusimt find.py mine.cu take_part 9 11 13 5  # without a GPU
python find.py mine.cu take_part 9 11 13 5            # with one
"""

import sys
from pathlib import Path

from torch.utils.cpp_extension import load

if len(sys.argv) < 3:
    sys.exit(__doc__)
source = Path(sys.argv[1])
kernels = load(name=source.stem, sources=[str(source)])
print("returned", getattr(kernels, sys.argv[2])(*map(int, sys.argv[3:])), flush=True)
