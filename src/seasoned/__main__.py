"""`python -m seasoned`: the same as the command `seasoned`."""

from seasoned.cli.main import run

if __name__ == "__main__":
    run()
