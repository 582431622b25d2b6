torch.utils.cpp_extension.load('a', ['b.cu'])
