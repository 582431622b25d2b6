torch.load("weights.pt", weights_only=False)
