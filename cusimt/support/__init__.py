"""The ground of the simulator: errors, the build cache, host toolchains, text."""
