from torch.utils.cpp_extension import load_inline
