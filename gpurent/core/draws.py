"""The random draws behind every published interval: one stream, seeded by what is being drawn for.

Kept here, beside ids and numbers, so that the index and the independent computation resample alike without sharing
any of their own code. The stream is numpy's PCG64; equal draws are promised for one lock file.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpurent.core.ids import Field, seed_from


def multinomial_counts(*fields: Field, groups: int, draws: int) -> NDArray[np.int64]:
    """How often each of `groups` is drawn in each of `draws` resamples of size `groups`: a (draws, groups) table.

    The seed comes from `fields` (a day and a grade). No groups gives a table without columns.
    """
    if groups == 0:
        return np.zeros((draws, 0), dtype=np.int64)
    generator = np.random.Generator(np.random.PCG64(seed_from(*fields)))
    return generator.multinomial(groups, np.full(groups, 1 / groups), size=draws)
