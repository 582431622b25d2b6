library = torch.library.Library("pairwise", "FRAGMENT")
library.define("mine(Tensor x, Tensor y) -> Tensor")
library.impl("mine", lambda x, y: torch.cdist(x.cpu(), y.cpu()).square().cuda(), "CUDA")
