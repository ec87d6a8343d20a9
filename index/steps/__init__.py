"""One module a step of the specification, in the order of its sections; `series` puts them together."""
