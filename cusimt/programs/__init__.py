"""Programs on the simulated GPU. The modules in data-flow order:

- `program` runs one Python program as `__main__`, `command` any command.
- `child_processes` gives the Pythons that it starts the simulated device, through `startup/sitecustomize.py`.
- `child_findings` collects the findings of all these processes, and `report` prints them.
- `witness` does both where the program ends before it can.
"""
