# SPDX-License-Identifier: Apache-2.0
"""A job that something befalls: three processes and an evaluator, on this machine or, launched over ssh, each on a host of its own
(tests/support/netns-hosts, below which this program runs then). Whoever of it is meant has a process, a name that the run gives it, and
what the run says is one list, whichever way it says it."""
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import time

from figures import BUILD, SOURCE
from hurt import soon, state_of
from places import PATIENCE_SECONDS, Place
from verdicts import EVALUATOR, Journal

HOST = "10.77.0.{}"
HOSTS = 4            # the last is a spare
DESKTOP = "10.77.0.254"
LEASE_SECONDS = 3
GONE_WITHIN_SECONDS = 20  # when it is ended by force
CHIEF, WORKER, OTHER = 0, 1, 2  # OTHER: whom a misled judge is told of
ACCUSES = {"silent", "stuck", "lost", "failure"}
JOB = """
[job]
name = "struck"
[cluster]
evaluator = {evaluator}
device = "cpu"
{addresses}
[launch]
max_restarts = 5
stuck_grace_seconds = 0
{launch}
[data]
dataset = "digits"
validation_samples = 1000
[model]
layers = [ {{ type = "dense", units = 32, activation = "relu" }}, {{ type = "dense", units = 10 }} ]
[training]
global_batch_size = 510
epochs = 1000000
seed = 1
[checkpoint]
every_steps = 200
"""


class DoesNotStart(Exception):
    """The job does not come to where something could befall it."""


@dataclasses.dataclass(frozen=True)
class Said:
    at: float      # seconds since 1970
    sentence: str
    accuses: bool  # somebody, of something


def enter_hosts(arguments):
    """Starts this program again below hosts, where it is not; returns with a reason where that cannot be."""
    if "NETNS" in os.environ:
        return ""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if missing := [path for path in ("/usr/sbin/sshd", "/usr/sbin/iptables", "/usr/sbin/ip") if not pathlib.Path(path).exists()]:
        return f"{missing[0]} is not installed"
    script = str(SOURCE / "tests/support/netns-hosts")
    os.execv(script, [script, str(HOSTS), *arguments])


def names_of_hosts():
    return os.environ["NETNS"].split()


def workers_on(namespace):
    """Processes of ours on a host."""
    pids = subprocess.run(["ip", "netns", "pids", namespace], capture_output=True, text=True).stdout.split()
    return [int(pid) for pid in pids if (words_of(pid) or [""])[0].endswith("lockstep-worker")]


def words_of(pid):
    """Of the command line; nothing: it is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


class StruckJob:
    def __init__(self, folder, where, launch, processes=3, evaluator=True, on_small_disk=False):
        self.over_ssh, self.processes, self._left = where == "ssh", processes, None
        addresses = ", ".join(f'"{HOST.format(number + 1) if self.over_ssh else "127.0.0.1"}:0"' for number in range(processes))
        keys = {"on_stuck": '"restart"', **launch}
        if self.over_ssh:
            keys = {"method": '"ssh"', "ssh_config": f'"{os.environ["SSH_CONFIG"]}"', "lease_seconds": LEASE_SECONDS, **keys}
        self.place = Place(folder, JOB.format(
            addresses=f"job_addresses = [{addresses}]", evaluator=str(evaluator).lower(),
            launch="\n".join(f"{key} = {value}" for key, value in keys.items())))
        self.disk = self.place.folder / "disk" if on_small_disk else None
        if self.disk:
            self.disk.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", self.disk], check=True)
        self.run = (self.disk or self.place.folder) / "run"
        self.journal = Journal(self.run / "journal")
        self._lines, self._read = [], 0  # (when it was read, of the output)
        self.launcher = self.place.start(BUILD / "bin/lockstepctl", "run", "job.toml", "--run-dir", self.run)

    def __enter__(self):
        try:
            until = time.monotonic() + PATIENCE_SECONDS
            while not (self.run / "checkpoints/LATEST").exists() or len(self.look().newest) < self.processes:
                if self.launcher.poll() is not None or time.monotonic() > until:
                    raise DoesNotStart("the job does not come to its first checkpoint: " + self.place.output()[-2000:].strip())
                time.sleep(0.05)
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def look(self):
        """The journal as it is now."""
        if self.journal.path.exists():
            self.journal.read()
        now = time.time()
        with (self.place.folder / "output").open(encoding="utf-8", errors="replace") as file:
            file.seek(self._read)
            self._lines += [(now, line) for line in file.read().replace("\r", "\n").splitlines() if line.strip()]
            self._read = file.tell()
        return self.journal

    def said(self, since, on_desktop=False):
        """All that the journal and the launcher's output, or that alone, have said since then, in its order."""
        told = self.look().told
        words = [] if on_desktop else [Said(word.wall_time, self._sentence(word), word.kind in ACCUSES) for word in told]
        words += [Said(at, line, on_desktop and "warning: process" in line) for at, line in self._lines]
        return sorted((word for word in words if word.at >= since), key=lambda word: word.at)

    @staticmethod
    def _sentence(word):
        if word.kind != "failure":
            return word.sentence
        return f"{'evaluator' if word.role == EVALUATOR else f'process {word.process}'}: {word.sentence}"

    def newest_step(self):
        return max(self.look().newest.values(), default=0)

    def pid(self, victim):
        """Of the process that is meant; 0: there is none."""
        if victim == "launcher":
            return self.launcher.pid
        if victim in ("worker", "chief"):
            return self.look().pids.get(WORKER if victim == "worker" else CHIEF, 0)
        if self.over_ssh and victim in ("agent", "coordinator", "other-agent", "host-service"):
            namespace = names_of_hosts()[WORKER if victim in ("other-agent", "host-service") else CHIEF]
            argument = "--host" if victim == "host-service" else "--agent"
            return next((pid for pid in workers_on(namespace) if argument in words_of(pid)), 0)
        known = json.loads((self.run / "processes.json").read_text(encoding="utf-8"))
        role = "agent" if victim == "coordinator" else victim
        return next((one["pid"] for one in known if one["role"] == role), 0)

    def drill(self, kind, process, *more):
        """What came of it, or nothing and why it was not seen to land."""
        done = subprocess.run([BUILD / "bin/lockstepctl", "drill", self.run, kind, "--process", str(process), "--yes", "--json", *more],
                              cwd=self.place.folder, env=self.place.env, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr.strip())

    def is_whole(self):
        """Whether all of the run's checkpoints are."""
        return subprocess.run([BUILD / "bin/lockstepctl", "verify", self.run], cwd=self.place.folder, env=self.place.env,
                              stdout=self.place.log, stderr=self.place.log, timeout=PATIENCE_SECONDS).returncode == 0

    def summary(self):
        try:
            return json.loads((self.run / "summary.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def left(self):
        """Processes of the job that are there."""
        if self.over_ssh:
            return [pid for name in names_of_hosts() for pid in workers_on(name)]
        mark = f"XDG_RUNTIME_DIR={self.place.env['XDG_RUNTIME_DIR']}".encode()
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0") and state_of(folder.name) not in ("", "Z", "X"):
                    found.append(int(folder.name))
            except OSError:
                pass  # gone, or not ours
        return found

    def end(self):
        """By force; how many processes of the job that has left running, which are killed then."""
        if self._left is not None:
            return self._left
        try:
            self.launcher.send_signal(signal.SIGCONT)
            self.place.run(BUILD / "bin/lockstepctl", "stop", "--kill", self.run)
            self.launcher.wait(timeout=GONE_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            self.launcher.kill()
            self.launcher.wait()
        soon(lambda: not self.left(), GONE_WITHIN_SECONDS, every=0.2)
        left = self.left()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        if self.disk and self.disk.is_mount():
            subprocess.run(["umount", "--lazy", self.disk])
        self._left = len(left)
        return self._left
