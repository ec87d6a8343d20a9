"""The parameters of a methodology version, read from `index/methodology/<version>.toml`.

Every number of the specification is here and nowhere else in code. Unknown or missing keys are refused, so a
misspelt parameter can never be silently ignored. Numbers that enter floating-point formulas are written as text
in the file and read as float; `raw` is the file's bytes, which every edition carries.
"""

from __future__ import annotations

import tomllib
from datetime import date
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gpurent.core.errors import ConfigError


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TimeRules(_Part):
    """Hours after midnight UTC of day D; shadow in days."""

    cut_off_hour_utc: int
    provisional_hour_utc: int
    held_release_hour_utc: int
    final_hour_utc: int
    shadow_days: int


class ObservationRules(_Part):
    """Section 2 of the specification; ages in whole days, hours in GPU-hours."""

    expiry_days: int
    firm_age_days: int
    flicker_reversals: int
    flicker_move: float
    flicker_days: int
    flicker_median_days: int
    marketplace_min_hosts: int
    marketplace_min_offers: int
    trade_floor_gpu_hours: float
    trade_floor_gpu_hours_lot_a: float


class FilterRules(_Part):
    """Section 4; `gate_min_log` is a log distance, ratios are plain."""

    unit_step_factors: tuple[float, ...]
    unit_step_tolerance: float
    unit_step_days: int
    gate_ratio: float = Field(gt=1)
    gate_min_log: float
    gate_robust_sigmas: float
    mad_to_sigma: float
    gate_min_groups: int
    gate_moved: float
    jump_ratio: float = Field(gt=1)
    confirmation_hours: int
    confirmation_captures: int
    pending_days: int
    flapping_returns: int
    flapping_days: int
    flapping_freeze_days: int
    trade_robust_z: float
    trade_unit_factors: tuple[float, ...]


class VoiceRules(_Part):
    """Section 5; shares between 0 and 1, half-lives in days."""

    offer_half_life_days: float
    offer_grace_days: int
    trade_half_life_days: float
    cap: float
    cap_step: float
    cap_limit: float
    cap_passes: int
    cap_tolerance: float
    joint_cap: float


class LegRules(_Part):
    """Section 6."""

    trim_each_side: float = Field(ge=0, lt=0.5)
    trades_for_trimmed_mean: int
    trade_windows_days: tuple[int, ...]


class DiscountRules(_Part):
    """Section 6: the advertised-to-traded discount; logs, days."""

    window_days: int
    min_pairs: int
    min_sellers: int
    offer_age_days: int
    huber_k: float
    scale_floor: float
    se_floor: float
    clamp: tuple[float, float]
    lapse_days: int
    lapse_drift: float
    basis_defined_days: int
    basis_notice_days: int


class BlendRules(_Part):
    """Section 6: what is added to the variances of the two legs; logs."""

    offer_drift: float
    trade_noise: float


class ConfidenceRules(_Part):
    """Section 9; half-widths and influences in logs."""

    draws: int
    interval: float
    change_a: float
    change_b: float
    influence_a: float
    influence_b: float
    informative_groups: int
    wide: float


class SettlementRules(_Part):
    """Sections 7 and 11."""

    firm_groups_level_3: int
    held_move: float
    restate_move: float


class Level(_Part):
    """A row of the table in section 7; what a level does not test is None."""

    label: str
    label_with_discount: str | None = None
    trades: int | None = None
    sellers: int | None = None
    buyers: int | None = None
    gpu_hours: float | None = None
    window_days: int | None = None
    top_seller_share: float | None = None
    offering_groups: int | None = None
    offer_age_days: int | None = None
    effective_routes: float | None = None
    top_route_share: float | None = None
    carry_days: int | None = None
    parent_level: int | None = None
    kappa: float | None = Field(default=None, ge=0, le=1)
    trade_weight: tuple[float, float] | None = None


class ReferenceRules(_Part):
    """Section 8; days."""

    accepted_price_days: int
    matched_min_groups: int
    gap_days: int
    upgrade_days: int
    entry_level_after_withheld: int
    index_base: float
    change_days: int


class Methodology(_Part):
    """A whole version. `raw` holds the file's bytes."""

    version: str
    valid_from: date
    title: str
    time: TimeRules
    observations: ObservationRules
    filters: FilterRules
    voices: VoiceRules
    legs: LegRules
    discount: DiscountRules
    blend: BlendRules
    confidence: ConfidenceRules
    settlement: SettlementRules
    levels: dict[int, Level]
    reference: ReferenceRules
    raw: bytes = Field(repr=False)

    def kappa(self, level: int) -> float:
        """The share of the composition gap that enters R in a day, for a publishing level 1-5."""
        value = self.levels[level].kappa
        if value is None:
            raise ValueError(f"level {level} publishes nothing, so it has no kappa")
        return value


def parse(raw: bytes, name: str) -> Methodology:
    """Read a methodology from TOML bytes; ConfigError names the file and the key that is wrong."""
    try:
        return Methodology.model_validate({**tomllib.loads(raw.decode("utf-8")), "raw": raw})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{name}: not valid TOML ({error})") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{name}: {where}: {first['msg']}") from None


@cache
def bundled_versions() -> tuple[str, ...]:
    """The versions that are part of this package, sorted by name."""
    names = (entry.name for entry in files("index").joinpath("methodology").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@lru_cache(maxsize=8)
def load(version: str = "1.0.0") -> Methodology:
    """A methodology that is part of this package; ConfigError names the versions there are."""
    if version not in bundled_versions():
        raise ConfigError(f"there is no methodology {version!r}; there are: {', '.join(bundled_versions())}")
    path = files("index").joinpath("methodology", f"{version}.toml")
    return parse(path.read_bytes(), f"index/methodology/{version}.toml")


def load_file(path: Path) -> Methodology:
    """A methodology from a user's own file, for back-tests of a changed parameter."""
    try:
        return parse(path.read_bytes(), str(path))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
