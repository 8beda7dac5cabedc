"""The parts of Mexican Rummy: pictures."""
