"""The record that forward leaves behind, and the gradients that pass through it in backward."""

import torch

torch.manual_seed(0)
x = torch.randn(3, 4, device="cuda", requires_grad=True)
bias = torch.randn(4, device="cuda", requires_grad=True)

# --8<-- [start:program]
z = x + bias
out = torch.tanh(z)
loss = out.sum()


def layout(tensor: torch.Tensor) -> str:
    return f"{tuple(tensor.shape)} strides {tensor.stride()}"


for name, tensor in (("z", z), ("out", out), ("loss", loss)):
    node = tensor.grad_fn
    print("forward", node.name(), name, layout(tensor))
    node.register_prehook(lambda grads, node=node: print("backward", node.name(), layout(grads[0])))

for name, tensor in (("x", x), ("bias", bias)):
    tensor.register_hook(lambda grad, name=name: print("gradient", name, layout(grad)))

loss.backward()
# --8<-- [end:program]
