"""The command `seasoned`, and `python -m seasoned`: quiet when it is interrupted while it loads."""

import signal
import sys

INTERRUPTED = 130


def run() -> None:
    """Run the command line and exit."""
    try:
        from seasoned.cli.main import run as run_command

        run_command()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    finally:
        # There is nothing left to stop; Python itself would answer with a traceback.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    run()
