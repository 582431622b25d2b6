"""The dispatch keys of an operator. In the folder of its exercise: keys.py NAME"""

import sys

import torch

sys.path.insert(0, ".")
import op  # noqa: F401  # registers the operator

for line in torch._C._dispatch_dump(sys.argv[1]).splitlines():
    key, registered, _ = line.partition(": registered at ")
    if registered and key != "debug":
        print(key)
