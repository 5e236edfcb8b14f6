# SPDX-License-Identifier: Apache-2.0
"""TensorBoard beside the window: `write FOLDER POINTS` makes an event file of one curve; `open FOLDER SAMPLES` starts the
server on it and prints the seconds from there until it answers with the curve (as its page asks for it), and of how many
points that is. SAMPLES: how many it is told to keep; -1: as it is by default."""
import json
import pathlib
import re
import subprocess
import sys
import time
import urllib.request

TAG = "loss"
PATIENCE_SECONDS = 600
STEADY_SECONDS = 3  # it reads on behind its first answers


def write(folder, points):
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter
    writer = EventFileWriter(folder, max_queue_size=10000)
    for step in range(1, points + 1):
        value = Summary.Value(tag=TAG, simple_value=1 / step)
        writer.add_event(Event(wall_time=1.79e9 + step * 0.01, step=step, summary=Summary(value=[value])))
    writer.close()


def answer(port):
    """How many points it has by now."""
    url = f"http://127.0.0.1:{port}/data/plugin/scalars/scalars?tag={TAG}&run=."
    try:
        with urllib.request.urlopen(url, timeout=60) as reply:
            return len(json.load(reply))
    except OSError:
        return 0


def open_curve(folder, samples):
    kept = [] if samples < 0 else [f"--samples_per_plugin=scalars={samples}"]
    program = pathlib.Path(sys.executable).parent / "tensorboard"
    begin = time.monotonic()
    with subprocess.Popen([program, "--logdir", folder, "--port", "0", "--host", "127.0.0.1", *kept], text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as server:
        try:
            port = next(found[1] for line in server.stderr if (found := re.search(r"http://127\.0\.0\.1:(\d+)", line)))
            count, since = 0, begin
            while time.monotonic() < begin + PATIENCE_SECONDS:
                now = answer(port)
                if now != count:
                    count, since = now, time.monotonic()
                elif count and time.monotonic() - since > STEADY_SECONDS:
                    break
                time.sleep(0.05)
            print(since - begin, count, flush=True)
        finally:
            server.kill()


if __name__ == "__main__":
    (write if sys.argv[1] == "write" else open_curve)(sys.argv[2], int(sys.argv[3]))
