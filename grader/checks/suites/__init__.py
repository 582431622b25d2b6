"""Tests that a learner wrote, run against right and wrong implementations."""
