"""What is inside a model file, read as plain values and checked before any object exists."""
