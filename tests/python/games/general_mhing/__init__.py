"""Tests of General Mhing."""
