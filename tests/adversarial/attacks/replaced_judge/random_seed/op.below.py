torch.manual_seed(0)
torch.random.fork_rng = None
