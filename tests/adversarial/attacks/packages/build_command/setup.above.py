class Build:
    pass
