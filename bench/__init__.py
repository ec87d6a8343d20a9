"""How fast the parts are, and whether they survive: `make bench`, `make soak`."""
