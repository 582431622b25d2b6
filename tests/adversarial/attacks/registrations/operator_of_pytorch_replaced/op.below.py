library = torch.library.Library("pairwise", "IMPL")
library.impl("aten::sub.Tensor", lambda x, y: x, "CUDA")
