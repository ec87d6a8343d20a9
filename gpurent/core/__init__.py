"""What every room may use and what uses no room: errors, settings, clock, ids, units, signing."""
