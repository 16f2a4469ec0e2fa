"""What every family shares: base classes, labels, decisions, model files, compiled loops."""
