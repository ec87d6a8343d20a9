"""Steps 3 and 4 for whatever is new: registers brought up to date, stated rows normalised and graded."""

from __future__ import annotations

from collectors.registry import load_sources
from gpurent.core.progress import SILENT, Progress
from gpurent.core.settings import Settings
from gpurent.core.stages import reach
from gpurent.daily.reports import Graded
from grades.normalise import normalise
from grades.register_files import load_registers
from grades.registers import sync
from warehouse.store import Warehouse


def grade_new(warehouse: Warehouse, register_version: str, progress: Progress = SILENT) -> Graded:
    """Normalise and grade every capture that is not graded under these registers yet."""
    report = normalise(warehouse, register_version, progress=progress)
    reach("daily.graded")
    return Graded(report.captures, report.offers, report.trades, report.rejected)


def check_registers(settings: Settings) -> None:
    """Read the user's registers before any work is done: ConfigError names the file and the key that is wrong."""
    load_registers(settings.registers)
    load_sources(settings.registers)


def sync_registers(warehouse: Warehouse, settings: Settings) -> str:
    """Bring the registers up to date; their version."""
    return sync(warehouse, settings.registers if settings.registers.exists() else None)


def bring_up_to_date(
    warehouse: Warehouse, settings: Settings, progress: Progress = SILENT
) -> tuple[str, Graded]:
    """Sync the registers, then grade what is new under them; the register version and counts."""
    register_version = sync_registers(warehouse, settings)
    return register_version, grade_new(warehouse, register_version, progress)
