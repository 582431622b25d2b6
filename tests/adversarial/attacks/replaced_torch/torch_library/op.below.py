library = torch.library.Library("aten", "IMPL")
