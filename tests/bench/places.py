# SPDX-License-Identifier: Apache-2.0
"""Where a benchmark's jobs run: a folder of their own; and two hosts that are network namespaces of the benchmark's own, with a job
of four processes on them, started one by one. Those need root and iproute2 (`unavailable()` says what is missing)."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

from figures import BUILD, SOURCE

ADDRESSES = ["10.78.0.1", "10.78.0.2"]
PATIENCE_SECONDS = 300

# What was started is ended then, too, and namespaces are taken away.
for ending in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(ending, lambda *_: sys.exit(1))


def unavailable():
    """A reason, or nothing."""
    if os.geteuid() != 0:
        return "namespaces need root"
    return "" if shutil.which("ip") else "ip (iproute2) is not installed"


class Place:
    """A folder for a job and its runs."""

    def __init__(self, folder, job):
        self.folder = pathlib.Path(folder)
        (self.folder / "job.toml").write_text(job, encoding="utf-8")
        runtime = self.folder / "runtime"
        runtime.mkdir(mode=0o700)
        self.env = {**os.environ, **dict.fromkeys(("XDG_STATE_HOME", "XDG_CONFIG_HOME"), str(runtime / "home")),
                    "XDG_RUNTIME_DIR": str(runtime)}
        self.log = (self.folder / "output").open("w")

    def start(self, *words):
        return subprocess.Popen(words, cwd=self.folder, env=self.env, stdout=self.log, stderr=self.log)

    def run(self, *words):
        return subprocess.run(words, cwd=self.folder, env=self.env, stdout=self.log, stderr=self.log, timeout=PATIENCE_SECONDS)

    def output(self):
        """Of all that was started here."""
        return (self.folder / "output").read_text(encoding="utf-8", errors="replace")

    def only_journal(self):
        """Of the one run below runs/, once it is there."""
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            if found := list(self.folder.glob("runs/*/journal")):
                return found[0]
            time.sleep(0.1)
        raise SystemExit("error: the job does not start: " + self.output()[-2000:])


def trains(journal):
    """Once it has told of steps."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        if journal.exists() and journal.stat().st_size > 20000:
            return
        time.sleep(0.1)
    raise SystemExit(f"error: {journal} does not come to train")


def grows(journal):
    """Whether the job trains on."""
    size, until = journal.stat().st_size, time.monotonic() + PATIENCE_SECONDS
    while journal.stat().st_size < size + 20000:
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


@contextlib.contextmanager
def two_hosts(line=None):
    """Their names. They see each other at once, or with `line` as tests/support/bad-line is told to make it."""
    names, joined = [f"lsbench{os.getpid()}{end}" for end in "ab"], None
    try:
        for name in names:
            subprocess.run(["ip", "netns", "add", name], check=True)
        if line:
            joined = subprocess.Popen([sys.executable, SOURCE / "tests/support/bad-line", *names, "86400", json.dumps(line)])
            time.sleep(2)  # its devices are there
        else:
            subprocess.run(["ip", "link", "add", "eth0", "netns", names[0], "type", "veth", "peer", "name", "eth0", "netns", names[1]],
                           check=True)
            for name, address in zip(names, ADDRESSES):
                for words in (f"addr add {address}/24 dev eth0", "link set eth0 up", "link set lo up"):
                    subprocess.run(["ip", "-n", name, *words.split()], check=True)
        yield names
    finally:
        if joined:
            joined.kill()
            joined.wait()
        for name in names:
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def four_processes(place, hosts):
    """The programs, in the order of their processes, two on each host; they are killed at the end."""
    address = f"{ADDRESSES[0]}:{free_port()}"
    programs = [place.start("ip", "netns", "exec", hosts[number // 2], BUILD / "bin/lockstep-worker", "job.toml", "--process-id",
                            str(number), "--num-processes", "4", "--coordinator-address", address) for number in range(4)]
    try:
        yield programs
    finally:
        for program in programs:
            program.kill()
        for program in programs:
            program.wait(timeout=PATIENCE_SECONDS)
