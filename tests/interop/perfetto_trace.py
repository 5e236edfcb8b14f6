#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Perfetto's own protobuf reads a run's timeline: slices equal the CSV export and lie within each other, and clocks
are put right and run forward.

Two processes are started by hand. Where Debian's libfaketime is installed, the clock of the second one is 5 s
ahead; the timeline must know that to within 5 ms. With LOCKSTEP_NEEDS_FAKETIME its absence is an error.

usage: perfetto_trace.py LOCKSTEPCTL     (under the Python that has perfetto; see `./dev check interop`)
"""
import collections
import csv
import dataclasses
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
SLICE_EVENTS = (perfetto.TrackEvent.TYPE_SLICE_BEGIN, perfetto.TrackEvent.TYPE_SLICE_END)


@dataclasses.dataclass(eq=False)
class Slice:
    track: str
    uuid: int
    name: str
    begin: int
    parent: "Slice | None"
    own_step: int | None
    end: int = -1

    def step(self):
        """Of the outermost one."""
        return self.parent.step() if self.parent else self.own_step


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
    if not found and os.environ.get("LOCKSTEP_NEEDS_FAKETIME"):
        raise SystemExit("error: libfaketime is not installed (Debian: libfaketime)")
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


def time_of(packet, newest):
    """In nanoseconds. A viewer puts the events of a track in the order of their times, which must be theirs already."""
    track = packet.track_event.track_uuid
    assert packet.timestamp >= newest[track], f"time goes back on track {track}"
    newest[track] = packet.timestamp
    return packet.timestamp


def read(trace):
    """The slices, as they end, and the tracks."""
    tracks, names, slices = {}, {}, []
    stacks, newest = collections.defaultdict(list), collections.defaultdict(int)
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        for name in packet.interned_data.event_names:
            names[name.iid] = name.name
        event = packet.track_event
        if not packet.HasField("track_event") or event.type not in SLICE_EVENTS:
            continue
        stack, time = stacks[event.track_uuid], time_of(packet, newest)
        if event.type == perfetto.TrackEvent.TYPE_SLICE_BEGIN:
            step = [said.uint_value for said in event.debug_annotations if said.name == "step"]
            stack.append(Slice(tracks[event.track_uuid].name, event.track_uuid, names.get(event.name_iid, event.name), time,
                               parent=stack[-1] if stack else None, own_step=step[0] if step else None))
        else:
            assert stack, f"an end without a begin on {tracks[event.track_uuid].name}"
            stack[-1].end = time
            slices.append(stack.pop())
    assert not any(stacks.values()), "slices that do not end"
    return slices, tracks


def check_nesting(slices):
    """Each within its parent, and none over its sibling; a step has its phases and a replica its steps, in their order."""
    families = collections.defaultdict(list)
    for one in sorted(slices, key=lambda one: (one.begin, one.end)):
        families[one.uuid, id(one.parent)].append(one)
        assert one.begin <= one.end, one
        assert one.parent is None or one.parent.begin <= one.begin and one.end <= one.parent.end, one
    for family in families.values():
        for former, one in zip(family, family[1:]):
            assert former.end <= one.begin, (former, one)
        if family[0].parent is not None and family[0].track.startswith("replica "):
            assert family[0].parent.name == "step", family[0]
            assert [one.name for one in family] == list(PHASES), family
        elif family[0].name == "step":
            steps = [one.own_step for one in family]
            assert steps == list(range(steps[0], steps[0] + len(steps))), steps


def check_clocks(trace, tracks):
    """A clock that is put right runs forward: it is never corrected by more than what has passed."""
    corrections = collections.defaultdict(list)
    for packet in trace.packet:
        track = tracks.get(packet.track_event.track_uuid)
        if packet.HasField("track_event") and track is not None and track.name == "clock corrected by":
            corrections[track.uuid].append((packet.timestamp * 1e-6, packet.track_event.double_counter_value))
    for values in corrections.values():
        for (before, former), (at, value) in zip(values, values[1:]):
            assert abs(value - former) < at - before, (before, former, at, value)


def by_name(slices):
    """(track's name, slice's name, step of the outermost one) -> (begin, end)."""
    found = {}
    for one in slices:
        key = one.track, one.name, one.step()
        assert key not in found or not one.track.startswith("replica "), f"{key} is there twice"
        found[key] = one.begin, one.end
    return found


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
        found, tracks = read(trace)
        check_nesting(found)
        check_clocks(trace, tracks)
        slices = by_name(found)
        compared = compare(slices, export(lockstepctl, run, "--format", "csv").decode())
        corrected = offsets(trace, tracks)
    said = "no clock was skewed, for Debian's libfaketime is not installed"
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
    print(f"perfetto {importlib.metadata.version('perfetto')}: {compared} slices equal the export and are nested; {said}")


if __name__ == "__main__":
    main()
