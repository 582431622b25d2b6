torch.ops.load_library("mine.so")
