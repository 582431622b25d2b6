"""What the PyTorch profiler records of one call of exercise 22: python trace.py [folder of op.py]

Prints each operator under the one that called it, with the microseconds of the device. The trace is also
written to trace.json, for Perfetto or chrome://tracing.
"""

import runpy
import sys

import torch
from torch.profiler import ProfilerActivity, profile

GRAPHS, NODES, ENTRIES, FEATURES, OUT = 8, 40, 160, 16, 12

layer = runpy.run_path(f"{sys.argv[1] if len(sys.argv) > 1 else '.'}/op.py")["graph_layer"]
rows, columns = (torch.randint(0, NODES, (ENTRIES,), dtype=torch.int32, device="cuda") for _ in range(2))
values = torch.rand(ENTRIES, device="cuda")
x = torch.rand(GRAPHS, NODES, FEATURES, device="cuda")
weight = torch.rand(FEATURES, OUT, device="cuda")
rows = rows.sort().values


def step(graphs: torch.Tensor) -> torch.Tensor:
    return layer(rows, columns, values, graphs, weight)


step(x)  # the first call builds, loads, and creates PyTorch's handles
torch.cuda.synchronize()
# --8<-- [start:profile]
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as together:
    step(x)
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as one_by_one:
    for graph in x.split(1):
        step(graph)
together.export_chrome_trace("trace.json")
# --8<-- [end:profile]


def show(event: torch.autograd.profiler_util.FunctionEvent, depth: int) -> None:
    print(f"{'  ' * depth + event.name:<34}{event.device_time_total:>8.1f}")
    for child in event.cpu_children:
        show(child, depth + 1)


print(f"{'operator':<34}{'device, us':>11}")
events = together.events()
for event in [each for each in events if each.cpu_parent is None]:
    show(event, 0)
for name, run in (("together", together), ("one by one", one_by_one)):
    calls = [each for each in run.events() if each.name.startswith("graph_layer::")]
    print(f"{name}: {len(calls)} operators of the layer")
