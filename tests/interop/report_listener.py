# SPDX-License-Identifier: Apache-2.0
"""For report_module.py: who takes what a program reports, in Lockstep's place."""

import json
import os
import socket
import tempfile
import time


class Listener:
    """What Lockstep does: takes lines at a socket in a folder of its own."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.endpoint = f"{self.folder.name}/reports"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind(self.endpoint)
        self.socket.listen()
        self.connection = None
        self.bytes = b""
        os.environ["LOCKSTEP_REPORT_ENDPOINT"] = self.endpoint

    def take(self, until, seconds=20):
        """The bodies of all reports, as (kind, body), up to the one for which until() holds."""
        reports = []
        deadline = time.monotonic() + seconds
        if self.connection is None:
            self.socket.settimeout(seconds)
            self.connection = self.socket.accept()[0]
        while time.monotonic() < deadline:
            line, end, rest = self.bytes.partition(b"\n")
            if not end:
                self.connection.settimeout(max(0.01, deadline - time.monotonic()))
                self.bytes += self.connection.recv(1 << 16)
                continue
            self.bytes = rest
            report = json.loads(line, parse_constant=lambda word: self.refuse(word))
            assert report.pop("version") == 1
            reports += report.items()
            if until(*reports[-1]):
                return reports
        raise AssertionError(f"it never came; what came: {reports[-3:]}")

    @staticmethod
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    def close(self):
        self.socket.close()
        if self.connection is not None:
            self.connection.close()
        self.folder.cleanup()
        os.environ.pop("LOCKSTEP_REPORT_ENDPOINT", None)
