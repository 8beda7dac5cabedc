"""Tests of Mexican Rummy."""
