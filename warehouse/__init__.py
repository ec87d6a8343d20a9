"""What do we know, since when? The DuckDB warehouse, its schema and dictionary, the archive of raw bytes."""

from warehouse.store import Warehouse, open_warehouse

__all__ = ["Warehouse", "open_warehouse"]
