class Late:
    def __class_getitem__(cls, item):
        item.cpu = None
