torch._C._set_backcompat_broadcast_warn(True)
