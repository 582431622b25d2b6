"""The ground of the simulator: errors, the build cache, host toolchains, text. It imports nothing above it."""
