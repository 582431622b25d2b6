"""Counted memory traffic, in the units of Nsight Compute: requests, sectors, wavefronts per source line.

    with counting() as counts:               # this process
        y = my_op(x)
    for line in counts[0].lines:
        print(line.frame.where, line.access, line.sectors_per_request)

The runtime (C++) counts. `counting` reads its records; `transactions` has the rules by which one warp request
becomes sectors or wavefronts; `pictures` draws one, on a `canvas`; `host_clock` reads the simulated time.
"""

from cusimt.counters.counting import (
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
from cusimt.counters.transactions import Access

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
