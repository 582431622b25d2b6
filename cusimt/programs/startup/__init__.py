"""Holds the sitecustomize.py that Pythons started by a simulated program find on PYTHONPATH."""
