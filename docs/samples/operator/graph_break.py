"""What torch.compile makes of a function of op.py, in the folder of an exercise: graph_break.py FUNCTION"""

import sys

import torch
from torch._dynamo.exc import Unsupported

sys.path.insert(0, ".")
import op

function = getattr(op, sys.argv[1])


def model(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return function(x, y).sin()


x, y = torch.rand(2, 8, 8, device="cuda")
found = torch._dynamo.explain(model)(x, y)
print(f"graphs: {found.graph_count}, breaks: {found.graph_break_count}")
torch._dynamo.reset()
try:
    torch.compile(model, fullgraph=True, backend="aot_eager")(x, y)
    print("fullgraph=True: one graph")
except Unsupported as problem:
    print(f"fullgraph=True: {str(problem).splitlines()[0]}")
