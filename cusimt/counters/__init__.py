"""What the simulated GPU counted, as Nsight Compute does: requests, sectors, wavefronts per source line.

with counting() as counts:               # this process
    y = my_op(x)
for line in counts[0].lines:
    print(line.frame.where, line.access, line.sectors_per_request)
"""

from cusimt.counters.counting import (
    Access,
    LaunchCounts,
    LineCounts,
    Sample,
    Space,
    counting,
    in_order,
    set_counting,
    symbolise,
    take_counts,
    take_raw,
)

__all__ = [
    "Access",
    "LaunchCounts",
    "LineCounts",
    "Sample",
    "Space",
    "counting",
    "in_order",
    "set_counting",
    "symbolise",
    "take_counts",
    "take_raw",
]
