import torch.utils.cpp_extension as e
