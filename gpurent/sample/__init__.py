"""The sample: ten days of five sources, rendered from dated public price facts and clearly marked bills.

`facts/` and `synthetic/` are the tables, `formats/` writes them in each source's own format, `render` makes the
archive that `gpurent daily --sample` replays. README.md says what is fact, what is rendered and what is made up.
"""
