class Late:
    def __get__(self, instance, owner):
        return owner
