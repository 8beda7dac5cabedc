"""The parts of Mhing: scoring of hands, the commands that use it, and pictures."""
