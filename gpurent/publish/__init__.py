"""How a price is published: editions, their chain and signatures, the site, and the way back to the bytes."""
