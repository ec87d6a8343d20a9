"""Pure functions on numbers: no table, no state, no clock."""
