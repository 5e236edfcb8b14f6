# SPDX-License-Identifier: Apache-2.0
"""Ways to hurt a process from outside, all of them real. Each is made at once, says whether it has landed, and is taken back by `heal`,
as far as that can be."""
import collections
import contextlib
import ctypes
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
GROUPS = pathlib.Path("/sys/fs/cgroup")
LANDS_WITHIN_SECONDS = 20
# What a thread does with files: of these calls an answer EIO makes sense.
FILE_CALLS = re.compile(r"^[\d.]+ (open|openat|creat|mkdir|mkdirat|write|writev|pwrite64|pwritev|fsync|fdatasync|syncfs|close|"
                        r"rename|renameat|renameat2|unlink|unlinkat|rmdir|link|linkat|symlinkat|ftruncate|fallocate|flock|"
                        r"newfstatat|fstat|stat|statx|lseek|read|pread64|getdents64|copy_file_range|fcntl)\(")


def state_of(pid):
    """A letter, as in /proc; empty: it is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (OSError, IndexError):
        return ""


def soon(condition, within=LANDS_WITHIN_SECONDS, every=0.02):
    until = time.monotonic() + within
    while not (found := condition()) and time.monotonic() < until:
        time.sleep(every)
    return found


def thread_named(pid, name):
    """The newest of its threads with this name ("train-" and the like: the first that begins so)."""
    found = []
    for comm in pathlib.Path(f"/proc/{pid}/task").glob("*/comm"):
        with contextlib.suppress(OSError):  # a thread that has ended meanwhile
            text = comm.read_text().strip()
            if text == name or (name.endswith("-") and text.startswith(name)):
                found.append(int(comm.parent.name))
    return max(found, default=0)


class Signalled:
    """SIGKILL, SIGSTOP or SIGTERM."""

    def __init__(self, pid, what):
        self.pid, self.what = pid, what
        self.at = time.time()
        os.kill(pid, what)

    def landed(self):
        if self.what == signal.SIGTERM:
            return True
        return soon(lambda: state_of(self.pid) in (("T", "t", "") if self.what == signal.SIGSTOP else ("Z", "X", "")), 5)

    def heal(self):
        if self.what == signal.SIGSTOP:
            with contextlib.suppress(ProcessLookupError):  # it was ended while it was stopped
                os.kill(self.pid, signal.SIGCONT)


class FrozenThread:
    """One thread is held while all others of its process run on, as a deadlock does (ptrace, as tests/support/frozen_thread.h). It stays
    held until its process, or this one, ends."""

    def __init__(self, pid, name):
        self._thread, self._held, self._known = thread_named(pid, name), False, threading.Event()
        self.at = time.time()
        if self._thread:
            # Only the thread that traces may ask, and somebody has to see the end of what is traced.
            threading.Thread(target=self._hold, daemon=True).start()
            self._known.wait(LANDS_WITHIN_SECONDS)

    def _hold(self):
        ptrace = ctypes.CDLL(None, use_errno=True).ptrace
        ptrace.restype, ptrace.argtypes = ctypes.c_long, [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        with contextlib.suppress(ChildProcessError):  # nobody to wait for: it is not held, and counts as not landed
            self._held = (ptrace(PTRACE_SEIZE, self._thread, None, None) == 0 and ptrace(PTRACE_INTERRUPT, self._thread, None, None) == 0
                          and os.waitpid(self._thread, WALL)[0] == self._thread)
            self._known.set()
            while self._held:
                status = os.waitpid(self._thread, WALL)[1]
                if os.WIFEXITED(status) or os.WIFSIGNALED(status):
                    return
        self._known.set()

    def landed(self):
        return self._held

    def heal(self):
        """Nothing to do: it ends with its process."""


class Group:
    """A control group of version 1 or 2, for as long as this process has it."""

    def __init__(self, controller):
        self.first = (GROUPS / controller).is_dir()
        self.folder = (GROUPS / controller if self.first else GROUPS) / f"lockstep-bench-{os.getpid()}"
        self.folder.mkdir(exist_ok=True)

    def set(self, first, second, value):
        (self.folder / (first if self.first else second)).write_text(str(value))

    def remove(self):
        return soon(lambda: not self._rmdir(), 5)

    def _rmdir(self):
        with contextlib.suppress(OSError):  # somebody is still in it: the answer says so
            self.folder.rmdir()
        return self.folder.is_dir()


class OutOfMemory:
    """The kernel kills the process for want of memory. Its control group has some, which a glutton in the same group takes; the process
    is the one that is to go."""

    BYTES = 64 << 20
    GLUTTON = "import sys\nhoard = []\nwhile True: hoard.append(bytearray(b'x' * (1 << 20)))"

    def __init__(self, pid):
        self.pid, self.at, self.glutton, self.group, self.why = pid, time.time(), None, None, ""
        try:
            self.group = Group("memory")
            self.group.set("memory.limit_in_bytes", "memory.max", self.BYTES)
            self.group.set("memory.swappiness", "memory.swap.max", 0)
            pathlib.Path(f"/proc/{pid}/oom_score_adj").write_text("1000")
            (self.group.folder / "cgroup.procs").write_text(str(pid))
        except OSError as error:
            self.why = f"no control group for memory: {error}"
            return
        self.glutton = subprocess.Popen(["/bin/sh", "-c", 'echo $$ >"$0" && exec "$@"', self.group.folder / "cgroup.procs",
                                         sys.executable, "-c", self.GLUTTON])
        self._gone = soon(self._is_gone, every=0.002)

    def _is_gone(self):
        now = time.time()
        if state_of(self.pid) in ("", "Z", "X"):
            return True
        self.at = now  # when it was there for the last time
        return False

    def landed(self):
        return bool(self.glutton and self._gone)

    def heal(self):
        if self.glutton:
            self.glutton.kill()
            self.glutton.wait()
        if self.group:
            with contextlib.suppress(OSError):  # where it did not land
                (GROUPS / ("memory" if self.group.first else "") / "cgroup.procs").write_text(str(self.pid))
            self.group.remove()


class HalfSpeed:
    """A thread gets half of the processor time that it has taken so far. Needs control groups of version 1, in which a thread can be
    alone."""

    PERIOD_MICROSECONDS = 20000
    LEAST_MICROSECONDS = 1000  # the kernel takes no less
    WATCHED_SECONDS = 2
    MOST_OF = 0.8  # of the periods of a second it has to have been held up

    def __init__(self, pid, name):
        self.group, self.at, self.why, self._thread, self._counted = None, time.time(), "", thread_named(pid, name), [0, 0]
        try:
            self.group = Group("cpu")
            (self.group.folder / "cpu.cfs_period_us").write_text(str(self.PERIOD_MICROSECONDS))
            quota = int(self._share(pid) / 2 * self.PERIOD_MICROSECONDS)
            (self.group.folder / "cpu.cfs_quota_us").write_text(str(max(quota, self.LEAST_MICROSECONDS)))
            self.at = time.time()
            (self.group.folder / "tasks").write_text(str(self._thread))
        except OSError as error:
            self.why = f"no control group for a thread's share of a processor: {error}"
            self.heal()

    def _share(self, pid):
        """Of a processor that the thread takes."""
        def ticks():
            fields = pathlib.Path(f"/proc/{pid}/task/{self._thread}/stat").read_text().rsplit(")", 1)[1].split()
            return int(fields[11]) + int(fields[12])
        before = ticks()
        time.sleep(self.WATCHED_SECONDS)
        return (ticks() - before) / os.sysconf("SC_CLK_TCK") / self.WATCHED_SECONDS

    def landed(self):
        """Where the thread would take more: on a busy machine it may have as little without this."""
        self.why = self.why or "the thread takes no more than half of what it took, and nothing slows it down"
        return bool(self.group and soon(self._is_throttled, every=1))

    def _is_throttled(self):
        before = self._counted
        self._counted = [int(re.search(name + r" (\d+)", (self.group.folder / "cpu.stat").read_text())[1])
                         for name in ("nr_periods", "nr_throttled")]
        periods, throttled = (now - then for now, then in zip(self._counted, before))
        return periods > 0 and throttled >= self.MOST_OF * periods

    def heal(self):
        if self.group:
            with contextlib.suppress(OSError):  # gone with its process
                (GROUPS / "cpu/tasks").write_text(str(self._thread))
            self.group.remove()


class FailingCall:
    """One system call of the thread's that is about a file is answered with EIO. `choose` is given how often it makes which, in a while
    in which it does its work, and says which call, and which time from now on."""

    WATCHED_SECONDS = 3

    def __init__(self, pid, name, folder, choose):
        self.at, self.why, self._log, self._strace = time.time(), "", folder / "strace", None
        self._log.unlink(missing_ok=True)
        self._thread = str(thread_named(pid, name))
        calls = self._watched()
        if not calls:
            self.why = f"thread {name} of process {pid} makes no call about a file, or cannot be traced"
            return
        self.call, self.when = choose(calls)
        self.why = f"{self.call} was not called {self.when} times"
        self._strace = self._start("-e", f"trace={self.call}", "-e", f"inject={self.call}:error=EIO:when={self.when}")
        self._landed = soon(self._injected)
        if self._landed:
            self.at = float(self._landed[1])
        self.heal()

    def _start(self, *more):
        return subprocess.Popen(["strace", "-q", "-ttt", "-p", self._thread, "-o", self._log, *more], stderr=subprocess.DEVNULL)

    def _watched(self):
        self._strace = self._start()
        time.sleep(self.WATCHED_SECONDS)
        self.heal()
        lines = self._log.read_text(errors="replace").splitlines() if self._log.exists() else []
        return collections.Counter(found[1] for text in lines if (found := FILE_CALLS.match(text)))

    def _injected(self):
        return self._log.exists() and re.search(r"^([\d.]+) .*\(INJECTED\)", self._log.read_text(errors="replace"), re.M)

    def landed(self):
        return bool(self._strace and self._landed)

    def heal(self):
        if self._strace and self._strace.poll() is None:
            self._strace.terminate()  # which lets go of the thread
            self._strace.wait(timeout=LANDS_WITHIN_SECONDS)


class FullDisk:
    """A file takes all that is left on the file system of `folder`, for some seconds."""

    SECONDS = 5

    def __init__(self, folder):
        self._file, self.at = folder / "fills-the-disk", time.time()
        with self._file.open("wb", buffering=0) as file, contextlib.suppress(OSError):  # until the disk is full
            while file.write(bytes(1 << 16)):
                pass
        self.at = time.time()
        self._timer = threading.Timer(self.SECONDS, self.heal)
        self._timer.start()

    def landed(self):
        return True

    def heal(self):
        self._timer.cancel()
        self._file.unlink(missing_ok=True)


class Cut:
    """Packets between a host (a network namespace) and others are dropped; `others` empty: all."""

    def __init__(self, namespace, others=()):
        self._namespace = namespace
        self.at = time.time()
        for address in others:
            self._filter("-A", "INPUT", "-s", address, "-j", "DROP")
            self._filter("-A", "OUTPUT", "-d", address, "-j", "DROP")
        if not others:
            self._filter("-A", "INPUT", "!", "-i", "lo", "-j", "DROP")
            self._filter("-A", "OUTPUT", "!", "-o", "lo", "-j", "DROP")

    def _filter(self, *rule):
        subprocess.run(["ip", "netns", "exec", self._namespace, "iptables", *rule], check=True)

    def landed(self):
        return True

    def heal(self):
        self._filter("-F")
