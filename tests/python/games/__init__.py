"""Tests of one game each, in a folder a game, with what they and other tests of it use."""
