torch.classes.load_library("mine.so")
