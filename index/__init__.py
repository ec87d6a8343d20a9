"""What was it worth? Items by SQL, then the ordered step on the small item table, up to the reference price."""
