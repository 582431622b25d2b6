pytest_plugins = ['helper']
