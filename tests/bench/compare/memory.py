# SPDX-License-Identifier: Apache-2.0
"""The largest resident size of a worker beside PyTorch's for the same job."""
import json
import pathlib
import time

from figures import median, peer_python, row, unknown
from jobs import Run, mnist_folder, torch_run

ROUNDS = 3


class Watch:
    """Looks at the worker of a run until it ends."""
    peak_mb = 0

    def __call__(self, process, folder):
        while process.poll() is None:
            for pid in self.workers(folder):
                self.look(pid)
            time.sleep(0.01)

    @staticmethod
    def workers(folder):
        try:
            processes = json.loads((folder / "processes.json").read_text())
        except (OSError, ValueError):  # not there yet, or just being replaced
            return []
        return [entry["pid"] for entry in processes if entry["role"] == "worker"]

    def look(self, pid):
        try:
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
        except OSError:
            return
        for line in status.splitlines():
            if line.startswith("VmHWM"):
                self.peak_mb = max(self.peak_mb, int(line.split()[1]) / 1024)


mnist = mnist_folder()
ours, peers = [], []
for _ in range(ROUNDS):
    watch = Watch()
    Run(32, 2, mnist=mnist, watch=watch)
    ours.append(watch.peak_mb)
    if peer_python():
        peers.append(torch_run(mnist)["resident_mb"])
row("resident size of a worker, at most", median(ours), "MB")
if peers:
    row("resident size over PyTorch's, same job", median(ours) / median(peers), goal=0.5,
        peer=f"PyTorch {median(peers):.0f} MB")
else:
    unknown("resident size over PyTorch's, same job", "PyTorch is not installed")
