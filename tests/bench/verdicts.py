# SPDX-License-Identifier: Apache-2.0
"""What a run's journal says of its processes' health. Frames as in core/telemetry/journal.h, fields as in record.proto."""
import dataclasses
import struct

WALL_TIME, LOG, FAILURE, VERDICT = 1, 19, 20, 21  # of a Record
LEVEL, TEXT, WARNING = 3, 4, 2
CAUSE, SENTENCE, SEVERITY, SLOW = 4, 1, 2, 6
SEVERITIES = {1: "silent", 2: "stuck", 3: "lost", 4: "slow"}


@dataclasses.dataclass(frozen=True)
class Word:
    wall_time: float  # seconds since 1970
    kind: str         # silent, stuck, slow, lost, failure
    sentence: str


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


def records(journal):
    data, at = journal.read_bytes(), 0
    while at + 8 <= len(data):
        size, _ = struct.unpack_from("<II", data, at)
        yield data[at + 8:at + 8 + size]
        at += 8 + size


def said(journal):
    """Every failure, and every verdict but those that take one back, in their order."""
    words = []
    for record in map(dict, map(fields, records(journal))):
        at = struct.unpack("<d", record.get(WALL_TIME, bytes(8)))[0]
        if FAILURE in record:
            words.append(Word(at, "failure", text(dict(fields(record[FAILURE])), CAUSE)))
        verdict = dict(fields(record.get(VERDICT, b"")))
        if SENTENCE in verdict:
            kind = "slow" if verdict.get(SLOW) else SEVERITIES[verdict.get(SEVERITY, 1)]
            words.append(Word(at, kind, text(verdict, SENTENCE)))
    return words


def warnings(journal):
    """Lines of logs of that level, in their order."""
    logs = [dict(fields(record[LOG])) for record in map(dict, map(fields, records(journal))) if LOG in record]
    return [text(log, TEXT) for log in logs if log.get(LEVEL) == WARNING]


def text(message, number):
    return message.get(number, b"").decode("utf-8", "replace")
