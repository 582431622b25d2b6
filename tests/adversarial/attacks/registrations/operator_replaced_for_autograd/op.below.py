library = torch.library.Library("pairwise", "IMPL")
library.impl("sqdist", lambda x, y: (x.unsqueeze(-2) - y.unsqueeze(-3)).square().sum(-1), "Autograd")
