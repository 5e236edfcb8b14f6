# SPDX-License-Identifier: Apache-2.0
"""Packs a program with every library outside the C library, for hosts that have neither.

    bundle.py PROGRAM FOLDER [MODULE...]

writes FOLDER/lockstep-MACHINE.tar.gz, the same bytes for the same input, and beside it
lockstep-MACHINE.manifest: machine, sha256, bytes, and the oldest glibc that will do. In the archive
are bin/PROGRAM (which looks for its libraries in ../lib/lockstep, by its link options),
lib/lockstep/, the Python module for users' own programs in share/lockstep/python, the licences of all
of it in share/doc/lockstep/licences, and SHA256SUMS.
"""

import gzip
import hashlib
import io
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Belongs to the C library: the host has it, and mixing two of them does not work.
GLIBC = re.compile(r"^(ld-linux.*|lib(c|m|mvec|dl|rt|pthread|resolv|util|nsl|anl|nss_.*|thread_db|"
                   r"BrokenLocale|c_malloc_debug|memusage|pcprofile))\.so(\..*)?$")
LIBRARIES = "lib/lockstep"
LICENCES = "share/doc/lockstep/licences"
ROOT = Path(__file__).resolve().parent.parent
PYTHON = Path(__file__).resolve().parent.parent / "resources" / "python"
COMPILED_IN = ("cppzmq-dev", "libcli11-dev", "libexpected-dev", "libtomlplusplus-dev", "nlohmann-json3-dev")
COMPRESSION = 6  # 9 takes three times as long for one per cent


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def libraries_of(program):
    """{name that is asked for: file} of everything the program loads, outside glibc."""
    found = {}
    for line in output_of("ldd", str(program)).splitlines():
        words = line.split()
        if "not found" in line:
            sys.exit(f"error: {program} needs {words[0]}, which is not installed")
        if len(words) >= 3 and words[1] == "=>" and not GLIBC.match(words[0]):
            found[words[0]] = Path(words[2]).resolve()
    return found


def stripped(file, folder):
    """A copy without debugging information and symbols, which are two thirds of it."""
    copy = folder / file.name
    subprocess.run(["strip", "--strip-unneeded", "-o", str(copy), str(file)], check=True)
    return copy


def needed_glibc(files):
    versions = set()
    for file in files:
        symbols = output_of("objdump", "-T", str(file))
        versions.update(re.findall(r"GLIBC_(\d+(?:\.\d+)+)", symbols))
    return max(versions, key=lambda version: [int(part) for part in version.split(".")])


def add(archive, name, content, mode):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = len(content), mode, 0
    archive.addfile(entry, io.BytesIO(content))


def python_files():
    """{name in the archive: bytes} of the module that the worker puts on programs' PYTHONPATH."""
    return {f"share/lockstep/python/{file.relative_to(PYTHON)}": file.read_bytes()
            for file in PYTHON.glob("lockstep_report/*.py")}


def licence_of(library):
    """Name and text of the licence that its Debian package came with; None where there is none."""
    for place in (library, Path("/", *library.parts[2:])):  # /usr/lib or /lib, as dpkg knows it
        asked = subprocess.run(["dpkg", "-S", str(place)], capture_output=True, text=True)
        package = asked.stdout.split(":")[0].split(",")[0].strip()
        text = Path("/usr/share/doc") / package / "copyright"
        if asked.returncode == 0 and text.is_file():
            return package, text.read_bytes()
    return None


def licences(libraries, pool):
    """{name in the archive: bytes}: ours, and those of the libraries that are packed."""
    texts = {f"{LICENCES}/{Path(name).name}": (ROOT / name).read_bytes()
             for name in ("LICENSE", "LICENSES/Apache-2.0.txt")}
    if not shutil.which("dpkg"):
        print("note: this is no Debian: the licences of the libraries are not packed", file=sys.stderr)
        return texts
    for package in COMPILED_IN:
        text = Path("/usr/share/doc") / package / "copyright"
        if text.is_file():
            texts[f"{LICENCES}/{package}"] = text.read_bytes()
    for library, found in zip(libraries, pool.map(licence_of, libraries)):
        if found:
            texts[f"{LICENCES}/{found[0]}"] = found[1]
        else:
            print(f"note: no licence of {library} is packed: no Debian package has it", file=sys.stderr)
    return texts


def packed(contents):
    """The archive of {name: bytes}, with the sums of all of them."""
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n"
                   for name, content in sorted(contents.items()))
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        add(archive, "SHA256SUMS", sums.encode(), 0o644)
        for name, content in sorted(contents.items()):
            add(archive, name, content, 0o755)
    return gzip.compress(raw.getvalue(), COMPRESSION, mtime=0)


def replace(path, content):
    new = path.with_name(path.name + ".new")
    new.write_bytes(content)
    new.rename(path)


def main():
    program, folder, modules = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor() as pool:
        libraries = libraries_of(program)
        files = {f"bin/{program.name}": program}
        files.update((f"{LIBRARIES}/{name}", file) for name, file in libraries.items())
        files.update((f"{LIBRARIES}/{Path(module).name}", Path(module)) for module in modules)
        copies = dict(zip(files, pool.map(lambda file: stripped(file, Path(place)),
                                          files.values())))
        glibc = needed_glibc(copies.values())
        contents = {name: copy.read_bytes() for name, copy in copies.items()}
        archive = packed({**contents, **python_files(), **licences(libraries.values(), pool)})
    machine = platform.machine()
    manifest = (f"machine {machine}\nsha256 {hashlib.sha256(archive).hexdigest()}\n"
                f"bytes {len(archive)}\nglibc {glibc}\n")
    folder.mkdir(parents=True, exist_ok=True)
    replace(folder / f"lockstep-{machine}.tar.gz", archive)
    replace(folder / f"lockstep-{machine}.manifest", manifest.encode())


if __name__ == "__main__":
    main()
