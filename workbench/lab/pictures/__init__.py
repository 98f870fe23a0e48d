"""From charts to ink: layout, axes, style, bytes."""
