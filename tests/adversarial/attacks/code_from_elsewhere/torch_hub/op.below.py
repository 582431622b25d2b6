torch.hub.load("someone/something", "model")
