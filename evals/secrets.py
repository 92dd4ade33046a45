"""`python evals/secrets.py`: how many secrets are stored, how many harmless texts are damaged.

`redaction.py` measures it. Evals have this folder first on their path, so a library that imports
the standard module `secrets` finds this file instead, which then hands over the standard module.
"""

import sys

if __name__ == "__main__":
    from redaction import main

    main()
else:
    import sysconfig
    from importlib.util import module_from_spec, spec_from_file_location
    from pathlib import Path

    _found = spec_from_file_location("secrets", Path(sysconfig.get_path("stdlib")) / "secrets.py")
    assert _found is not None
    assert _found.loader is not None
    _standard = module_from_spec(_found)
    _found.loader.exec_module(_standard)
    sys.modules[__name__] = _standard
