"""The parts of Leduc poker: words."""
