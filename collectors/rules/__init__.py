"""What the rows of a source mean, where that is more than a column or two; pure functions used by its reader."""
