class Late:
    match {}:
        case __getattr__:
            pass
