# SPDX-License-Identifier: Apache-2.0
"""What a run's journal says of its processes' health. Frames as in core/telemetry/journal.h, fields as in record.proto."""
import collections
import dataclasses
import struct

WALL_TIME, RUN_INFO, REPLICA_INFO, STEPS, CHECKPOINT, LOG, FAILURE, VERDICT, NOTICE = 1, 10, 12, 13, 16, 19, 20, 21, 30  # of a Record
LEVEL, TEXT, WARNING = 3, 4, 2
PROCESS, ROLE, CAUSE, SENTENCE, SEVERITY, SLOW = 1, 2, 4, 1, 2, 6
EVALUATOR = 1  # a role
AMENDS, INFO_ROLE, INFO_PID, FIRST_STEP, LOSSES, CHECKPOINT_ERROR, NOTICE_SENTENCE = 16, 3, 6, 2, 4, 7, 3
SEVERITIES = {1: "silent", 2: "stuck", 3: "lost", 4: "slow"}


@dataclasses.dataclass(frozen=True)
class Word:
    wall_time: float  # seconds since 1970
    kind: str         # silent, stuck, slow, lost, failure; warning, notice, checkpoint (that failed)
    sentence: str
    process: int = -1  # whose failure it is
    role: int = 0      # likewise


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(message):
    """(number, value) of each field: an integer, or bytes."""
    at = 0
    while at < len(message):
        tag, at = varint(message, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(message, at)
        elif kind == 2:
            size, at = varint(message, at)
            value, at = message[at:at + size], at + size
        else:
            size = 8 if kind == 1 else 4
            value, at = message[at:at + size], at + size
        yield tag >> 3, value


class Journal:
    """Of a run that goes on: each call reads what has come since the one before."""

    def __init__(self, path):
        self.path, self.at = path, 0
        self.said = []      # every failure, and every verdict but those that take one back
        self.warnings = []  # lines of logs of that level
        self.told = []      # all of these, notices and checkpoints that failed
        self.starts = 0     # of the run
        self.pids = {}      # of workers, by process: who has registered last
        self.newest = {}    # step, by replica
        self.since_start = {}  # likewise, of the newest start
        self.before_start = 0  # the newest of all when that began
        self.again = collections.Counter()    # steps that a replica has trained again
        self.missing = collections.Counter()  # that no record tells, between two that are told

    def read(self):
        if self.path.stat().st_size < self.at:  # another agent goes on where the one before it was cut off
            self.__init__(self.path)
        with self.path.open("rb") as file:
            file.seek(self.at)
            data = file.read()
        at = 0
        while at + 8 <= len(data):
            size, _ = struct.unpack_from("<II", data, at)
            if at + 8 + size > len(data):
                break  # it is being written
            self._take(data[at + 8:at + 8 + size])
            at += 8 + size
        self.at += at
        return self

    def _take(self, bytes_of_record):
        record = dict(fields(bytes_of_record))
        if STEPS in record:
            return self._take_steps(dict(fields(record[STEPS])))
        at = struct.unpack("<d", record.get(WALL_TIME, bytes(8)))[0]
        if RUN_INFO in record:
            self._take_start(dict(fields(record[RUN_INFO])))
        if REPLICA_INFO in record:
            info = dict(fields(record[REPLICA_INFO]))
            if info.get(INFO_ROLE, 0) == 0:
                self.pids[info.get(PROCESS, 0)] = info.get(INFO_PID, 0)
        if FAILURE in record:
            failure = dict(fields(record[FAILURE]))
            self._say(Word(at, "failure", text(failure, CAUSE), failure.get(PROCESS, 0), failure.get(ROLE, 0)))
        log = dict(fields(record.get(LOG, b"")))
        if log.get(LEVEL) == WARNING:
            self.warnings.append(text(log, TEXT))
            self.told.append(Word(at, "warning", text(log, TEXT)))
        verdict = dict(fields(record.get(VERDICT, b"")))
        if SENTENCE in verdict:
            kind = "slow" if verdict.get(SLOW) else SEVERITIES[verdict.get(SEVERITY, 1)]
            self._say(Word(at, kind, text(verdict, SENTENCE)))
        if NOTICE in record:
            self.told.append(Word(at, "notice", text(dict(fields(record[NOTICE])), NOTICE_SENTENCE)))
        checkpoint = dict(fields(record.get(CHECKPOINT, b"")))
        if CHECKPOINT_ERROR in checkpoint:
            self.told.append(Word(at, "checkpoint", text(checkpoint, CHECKPOINT_ERROR)))

    def _say(self, word):
        self.said.append(word)
        self.told.append(word)

    def _take_start(self, info):
        if AMENDS not in info:
            self.starts += 1
            self.since_start, self.before_start = {}, max(self.newest.values(), default=0)

    def _take_steps(self, batch):
        replica, first, last = batch.get(1, 0), batch[FIRST_STEP], batch[FIRST_STEP] + len(batch.get(LOSSES, b"")) // 4 - 1
        newest = self.newest.get(replica, 0)
        self.again[replica] += max(min(newest, last) - first + 1, 0)
        self.missing[replica] += max(first - newest - 1, 0)
        self.newest[replica] = max(newest, last)
        self.since_start[replica] = last

    def steps_lost(self):
        """So far, of the replica that has lost most."""
        return max((self.again[replica] + self.missing[replica] for replica in self.newest), default=0)


def text(message, number):
    return message.get(number, b"").decode("utf-8", "replace")
