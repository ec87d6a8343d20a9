"""gpurent: reference prices for renting a GPU for an hour."""

__version__ = "0.1.0"
