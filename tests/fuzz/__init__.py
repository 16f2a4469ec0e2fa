"""Fuzzing: damaged model files, tables, expressions and events, each case in a child process."""
