class Late:
    def __set_name__(self, owner, name):
        owner.cpu = None
