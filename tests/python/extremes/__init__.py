"""Positions that play hardly ever reaches, game by game, held against the slow references."""
