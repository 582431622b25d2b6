"""`torch.compile` on the simulated device: its default backend writes Triton, which needs a GPU.

Dynamo, the functionalisation of operators and the autograd of the graph are what custom operators are tested
for, and they work here; so graphs with CUDA tensors stop there (`aot_eager`) and run as captured.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any


def install(torch: ModuleType) -> None:
    """Let the inductor backend of `torch.compile` run graphs with CUDA tensors as captured."""
    wrapper: Any = torch._TorchCompileInductorWrapper
    original = wrapper.__call__

    def compile_graph(self: Any, graph: Any, inputs: list[Any]) -> Any:
        if not _touches_cuda(torch, graph, inputs):
            return original(self, graph, inputs)
        from torch._dynamo.backends.debugging import aot_eager

        return aot_eager(graph, inputs)

    wrapper.__call__ = compile_graph


def _touches_cuda(torch: ModuleType, graph: Any, inputs: list[Any]) -> bool:
    values = [*inputs, *(node.meta.get("example_value") for node in graph.graph.nodes)]
    return any(isinstance(value, torch.Tensor) and value.is_cuda for value in values)
