# SPDX-License-Identifier: Apache-2.0
"""What a run's journal says of its processes' health. Frames as in core/telemetry/journal.h, fields as in record.proto."""
import dataclasses
import struct

WALL_TIME, LOG, FAILURE, VERDICT = 1, 19, 20, 21  # of a Record
LEVEL, TEXT, WARNING = 3, 4, 2
PROCESS, CAUSE, SENTENCE, SEVERITY, SLOW = 1, 4, 1, 2, 6
SEVERITIES = {1: "silent", 2: "stuck", 3: "lost", 4: "slow"}


@dataclasses.dataclass(frozen=True)
class Word:
    wall_time: float  # seconds since 1970
    kind: str         # silent, stuck, slow, lost, failure
    sentence: str
    process: int = -1  # whose failure it is


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

    def read(self):
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
        at = struct.unpack("<d", record.get(WALL_TIME, bytes(8)))[0]
        if FAILURE in record:
            failure = dict(fields(record[FAILURE]))
            self.said.append(Word(at, "failure", text(failure, CAUSE), failure.get(PROCESS, 0)))
        log = dict(fields(record.get(LOG, b"")))
        if log.get(LEVEL) == WARNING:
            self.warnings.append(text(log, TEXT))
        verdict = dict(fields(record.get(VERDICT, b"")))
        if SENTENCE in verdict:
            kind = "slow" if verdict.get(SLOW) else SEVERITIES[verdict.get(SEVERITY, 1)]
            self.said.append(Word(at, kind, text(verdict, SENTENCE)))


def text(message, number):
    return message.get(number, b"").decode("utf-8", "replace")
