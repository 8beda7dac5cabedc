"""The parts of General Mhing: pictures."""
