"""Operators as torch's dispatcher and compiler see them."""
