"""Tests of Leduc poker, the template."""
