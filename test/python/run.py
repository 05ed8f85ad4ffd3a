"""Runs the tests of one file with a Python that has what they need: run.py FILE [MODULE]...

The first of TILEC_PYTHON, this Python and the system's that can import every MODULE runs them. Where none can, exit status 77 says that
they were skipped, and why."""
import os
import subprocess
import sys

SKIPPED = 77


def imports(python, modules):
    """Whether it can; a module may be there and not work."""
    try:
        done = subprocess.run([python, "-c", "import " + ", ".join(modules or ["sys"])], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


def main(file, *modules):
    pythons = [python for python in (os.environ.get("TILEC_PYTHON"), sys.executable, "/usr/bin/python3") if python]
    for python in pythons:
        if imports(python, modules):
            return subprocess.run([python, file, "-v"], check=False).returncode
    print(f"skipped: {' and '.join(modules)} cannot be imported by {', '.join(pythons)}; TILEC_PYTHON may name a Python that can")
    return SKIPPED


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
