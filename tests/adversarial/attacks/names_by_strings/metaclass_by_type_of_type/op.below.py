Late = type(int)("Late", (), {"__array_interface__": {"data": (1 << 40, False)}})
