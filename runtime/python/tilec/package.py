"""Wheels of compiled programs: package.py FOLDER, which `tilec --package FOLDER` calls, and of this package: package.py --runtime LIBRARY FOLDER.

Each manifest of FOLDER gets code for the GPU of its target (nvcc or hipcc) where it has none that is newer than its text. The wheel is named
after the folder and lies in it; `tilec.load("NAME/MANIFEST")` finds what it installs. Equal contents make equal bytes."""
import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

VERSION = "0.1.0"
TAG = "py3-none-linux_x86_64"
NAMESPACE = "tilec_programs"
NEVER = (1980, 1, 1, 0, 0, 0)  # the first date that a zip knows


class Failed(Exception):
    pass


# Code objects.

def manifests(folder):
    """(path, contents) of the manifests in a folder."""
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text())
        if isinstance(data, dict) and data.get("tilec") == 1 and "program" in data:
            yield path, data


def is_fresh(code, text):
    return code.is_file() and (not text.is_file() or code.stat().st_mtime >= text.stat().st_mtime)


def headers():
    """Folders of the device headers: of the sources, or of an install."""
    package = pathlib.Path(__file__).resolve().parent
    for root in (package.parent.parent / "include", package.parent.parent.parent / "include"):
        if (root / "tilec").is_dir():
            return [root / "tilec-nvidia", root]
    raise Failed(f"no device headers beside '{package}'")


def device_command(target, text, code):
    """How text becomes a code object of the target. Quotients of f32 within 2 units of the last place, as docs/device.md says."""
    includes = [f"-I{folder}" for folder in headers()]
    common = ["-std=c++20", "-O3", "-shared"]
    if target.startswith("sm_"):
        number = target.removeprefix("sm_")
        nvcc = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin/nvcc"
        compiler = str(nvcc) if "CUDA_HOME" in os.environ else shutil.which("nvcc") or str(nvcc)
        return [compiler, "-x", "cu", *common, "--expt-relaxed-constexpr", "-prec-div=false", "-cudart", "shared", "-Xcompiler", "-fPIC",
                f"-gencode=arch=compute_{number},code=sm_{number}", *includes, str(text), "-o", str(code)]
    compiler = shutil.which("hipcc") or "/opt/rocm/bin/hipcc"
    return [compiler, *common, "-fPIC", f"--offload-arch={target.split('-')[0]}", *includes[1:], str(text), "-o", str(code)]


def compile_for_device(data, text, code):
    command = device_command(data["target"], text, code)
    try:
        done = subprocess.run(command, check=False)
    except OSError as error:
        raise Failed(f"cannot compile '{text}': {command[0]}: {error.strerror}; --emulated makes code for the emulator") from error
    if done.returncode:
        raise Failed(f"cannot compile '{text}': {command[0]} ended with exit code {done.returncode}")


# Wheels: zips with three files that say what they hold.

def digest(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def version_of(files):
    """Other contents are another version."""
    content = "".join(f"{name} {digest(content)}\n" for name, content in sorted(files.items()))
    return f"{VERSION}+h{hashlib.sha256(content.encode()).hexdigest()[:8]}"


def write_wheel(folder, name, version, summary, files):
    """`files` holds contents by their places below site-packages."""
    distribution = re.sub(r"[^A-Za-z0-9.]+", "_", name)
    info = f"{distribution}-{version}.dist-info"
    files = dict(sorted(files.items()))
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {summary}\n".encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tilec {VERSION}\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode()
    record = "".join(f"{place},{digest(content)},{len(content)}\n" for place, content in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    path = folder / f"{distribution}-{version}-{TAG}.whl"
    for old in folder.glob(f"{distribution}-*-{TAG}.whl"):
        old.unlink()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for place, content in files.items():
            entry = zipfile.ZipInfo(place, NEVER)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            wheel.writestr(entry, content)
    return path


def package_programs(folder):
    name = re.sub(r"\W+", "_", folder.resolve().name)
    files = {}
    for path, data in manifests(folder):
        text, code = path.with_suffix(".hip"), path.with_suffix(".so")
        if not is_fresh(code, text):
            compile_for_device(data, text, code)
        for file in (path, code):
            files[f"{NAMESPACE}/{name}/{file.name}"] = file.read_bytes()
    if not files:
        raise Failed(f"no manifest of a program in '{folder}'")
    count = len(files) // 2
    return write_wheel(folder, name, version_of(files), f"{count} program{'s' if count > 1 else ''} compiled by tilec", files)


def package_runtime(library, folder):
    """This package with the runtime's shared object, which is for the emulator or for one kind of GPU."""
    package = pathlib.Path(__file__).resolve().parent
    files = {f"tilec/{path.name}": path.read_bytes() for path in package.glob("*.py")}
    files["tilec/libtilec_runtime.so"] = library.read_bytes()
    folder.mkdir(parents=True, exist_ok=True)
    return write_wheel(folder, "tilec", VERSION, "Programs of tilec in Python", files)


def main(words):
    try:
        if len(words) == 3 and words[0] == "--runtime":
            made = package_runtime(*map(pathlib.Path, words[1:]))
        elif len(words) == 1:
            made = package_programs(pathlib.Path(words[0]))
        else:
            raise Failed("expected FOLDER, or --runtime LIBRARY FOLDER")
    except (Failed, OSError, json.JSONDecodeError) as error:
        print(f"tilec: error: {error}", file=sys.stderr)
        return 1
    print(f"package: {made}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
