"""`python -m gpurent`."""

from gpurent.cli import main

if __name__ == "__main__":
    main()
