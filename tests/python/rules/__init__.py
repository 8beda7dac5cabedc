"""Tests of the numbered rules, game by game: each names the rules that it holds the game to."""
