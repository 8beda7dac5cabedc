"""Tests of Mhing."""
