"""Right values: inputs drawn, the truth computed, answers compared, mistakes recognised."""
