class Mine:
    def __eq__(self, kind):
        kind.cpu = None

Mine() == torch.Tensor
