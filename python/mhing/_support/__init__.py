"""Helpers of the public modules; private."""
