class Mine:
    def __getitem__(self, kind):
        kind.cpu = None

Mine()[torch.Tensor]
