#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Perfetto's own protobuf reads a run's timeline: slices equal the CSV export, and clocks are put right.

Two processes are started by hand. Where Debian's faketime is installed, the clock of the second one is 5 s
ahead; the timeline must know that to within 5 ms.

usage: perfetto_trace.py LOCKSTEPCTL     (under the Python that has perfetto; see `./dev check interop`)
"""
import collections
import csv
import glob
import importlib.metadata
import io
import os
import socket
import statistics
import subprocess
import sys
import tempfile

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as perfetto

TIMEOUT_SECONDS = 180
SKEW_SECONDS = 5
PHASES = {"data": "data", "forward": "forward", "backward": "backward", "all-reduce": "all_reduce",
          "update": "update"}
JOB = """
[job]
name = "timeline"
[data]
dataset = "digits"
validation_samples = 1000
[model]
layers = [{ type = "dense", units = 32, activation = "relu" }, { type = "dense", units = 10 }]
[training]
global_batch_size = 512
epochs = 3
seed = 1
[checkpoint]
every_steps = 100
"""


def skewed():
    """The variables of a process whose clock is ahead, or None."""
    found = glob.glob(os.environ.get("LOCKSTEP_LIBFAKETIME", "/usr/lib/*/faketime/libfaketimeMT.so.1"))
    if not found:
        return None
    return {"LD_PRELOAD": found[0], "FAKETIME": f"+{SKEW_SECONDS}s", "DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "1"}


def train(lockstepctl, folder, skew):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    worker = os.path.join(os.path.dirname(lockstepctl), "lockstep-worker")
    processes = []
    for number in range(2):
        variables = dict(os.environ, **(skew or {} if number == 1 else {}))
        processes.append(subprocess.Popen(
            [worker, "job.toml", "--process-id", str(number), "--num-processes", "2",
             "--coordinator-address", f"127.0.0.1:{port}"], cwd=folder, env=variables))
    for process in processes:
        assert process.wait(TIMEOUT_SECONDS) == 0, "a process failed"
    runs = glob.glob(os.path.join(folder, "runs", "*"))
    assert len(runs) == 1, runs
    return runs[0]


def export(lockstepctl, run, *arguments):
    return subprocess.run([lockstepctl, "export", run, *arguments], check=True, capture_output=True,
                          timeout=TIMEOUT_SECONDS).stdout


def slices_of(trace):
    """(track's name, slice's name, step of the outermost one) -> (begin, end), and the tracks."""
    tracks, names, stacks, found = {}, {}, collections.defaultdict(list), {}
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        for name in packet.interned_data.event_names:
            names[name.iid] = name.name
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        stack = stacks[event.track_uuid]
        if event.type == perfetto.TrackEvent.TYPE_SLICE_BEGIN:
            step = [said.uint_value for said in event.debug_annotations if said.name == "step"]
            outer = stack[0][2] if stack else (step[0] if step else None)
            stack.append((names.get(event.name_iid, event.name), packet.timestamp, outer))
        elif event.type == perfetto.TrackEvent.TYPE_SLICE_END:
            name, begin, step = stack.pop()
            assert begin <= packet.timestamp, (name, step)
            found[tracks[event.track_uuid].name, name, step] = (begin, packet.timestamp)
    assert not any(stacks.values()), "slices that do not end"
    return found, tracks


def compare(slices, table):
    """Every duration of the table has its slice, and every slice of a step its line."""
    compared = 0
    tags = {f"time/{tag}_ms": name for name, tag in PHASES.items()} | {"time/step_ms": "step"}
    for row in csv.DictReader(io.StringIO(table)):
        if row["tag"] not in tags or not row["replica"]:
            continue
        begin, end = slices[f"replica {row['replica']}", tags[row["tag"]], int(row["step"])]
        milliseconds = (end - begin) * 1e-6
        assert abs(milliseconds - float(row["value"])) < 2e-3, (row, milliseconds)
        compared += 1
    there = sum(track.startswith("replica ") for track, _, _ in slices)
    assert compared == there, f"{compared} durations in the table, {there} slices"
    return compared


def offsets(trace, tracks):
    """What clocks were corrected by, in seconds, by the process's name."""
    found = {}
    for packet in trace.packet:
        track = tracks.get(packet.track_event.track_uuid)
        if packet.HasField("track_event") and track is not None and track.name == "clock corrected by":
            process = tracks[track.parent_uuid].name
            found[process] = packet.track_event.double_counter_value * 1e-3
    return found


def main():
    lockstepctl = os.path.abspath(sys.argv[1])
    skew = skewed()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "job.toml"), "w") as file:
            file.write(JOB)
        run = train(lockstepctl, folder, skew)
        trace = perfetto.Trace()
        trace.ParseFromString(export(lockstepctl, run, "--format", "perfetto", "-o", "-"))
        slices, tracks = slices_of(trace)
        compared = compare(slices, export(lockstepctl, run, "--format", "csv").decode())
        corrected = offsets(trace, tracks)
    said = "no clock was skewed, for Debian's faketime is not installed"
    workers = {name: value for name, value in corrected.items() if name.startswith("process ")}
    assert len(workers) == 2, corrected
    if skew:
        of_second = [value for name, value in workers.items() if name.startswith("process 1")][0]
        wrong = abs(of_second + SKEW_SECONDS) * 1e3
        assert wrong < 5, f"corrected by {of_second} s"
        apart = statistics.median(
            abs(slices["replica 1", "step", step][1] - slices["replica 0", "step", step][1]) * 1e-6
            for track, name, step in slices if track == "replica 0" and name == "step")
        assert apart < 5, f"steps of the two replicas end {apart} ms apart"
        said = (f"a clock {SKEW_SECONDS} s ahead is put right to within {wrong:.3f} ms, "
                f"steps end {apart:.3f} ms apart in the median")
    print(f"perfetto {importlib.metadata.version('perfetto')}: {compared} slices equal the export; {said}")


if __name__ == "__main__":
    main()
