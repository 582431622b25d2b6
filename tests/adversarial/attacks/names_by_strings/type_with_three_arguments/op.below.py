Late = type("Late", (), {"__array_interface__": {}})
