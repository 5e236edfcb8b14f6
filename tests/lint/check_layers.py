# SPDX-License-Identifier: Apache-2.0
"""Who may include whom: app -> ui -> core; in core only lower levels; one owner per library."""

import re

from source_tree import Seed, Violation, files, line_of, main, read, without_comments

# A folder of core includes only folders of a lower level; folders of one level are strangers.
LEVELS = {
    "base": 0,
    "text": 1, "wire": 1, "tensor": 1,
    "model": 2,
    "config": 3,
    "data": 4, "program": 4, "optim": 4, "collective": 4, "checkpoint": 4, "telemetry": 4,
    "coordination": 5, "exchange": 5,
    "run": 6, "distribution": 6,
    "train": 7, "launch": 7,
    "job": 8,
    "fit": 9,
}

# The rooms of a folder, from below: a file includes files of its own room and of those before it.
# "" is the folder itself.
ROOMS = {
    "core/model": ["description", "", "mesh"],
    "core/program": ["", "cpu", "cuda"],
    "core/config": ["job", "keys", "cluster", "lint", "document", "dialects"],
    "core/coordination": ["state", "exchange", "health", "core", "monitor", "ticket", "server", "client"],
    "core/launch": ["process", "agent", "program", "slurm", "host", "ssh", "doctor", ""],
    "core/launch/doctor": ["facts", "faults", ""],
    "core/train": ["objective", "drill", "replica", "checkpoints", "handover", ""],
    "core/exchange": ["onnx", ""],
    "core/job": ["fold", "logs", "timeline", "report", "source", "", "handover"],
    "ui/charts": ["store", "paint", "picture", "surface"],
}

# What ui sees of core; everything else reaches it through the facade core/job. A network's
# description and its graph are values, as the job file is.
UI_SEES = {"job", "config", "model", "text", "base"}

# (what is included, whose it is, who may include it: folders of core, or top-level folders)
OWNERS = (
    (re.compile(r"zmq(_addon)?\.(h|hpp)$"), "ZeroMQ", {"wire"}),
    (re.compile(r"google/protobuf/"), "protobuf", {"wire"}),
    (re.compile(r"core/exchange/onnx/onnx\.pb\.h$"), "the generated format of ONNX", {"exchange"}),
    (re.compile(r"\.(?<!/onnx\.)pb\.h$"), "the generated messages",
     {"wire", "telemetry", "coordination", "run", "distribution", "launch", "train", "job", "app",
      "tests"}),
    (re.compile(r"gloo/"), "Gloo", {"collective"}),
    (re.compile(r"(dnnl|oneapi/dnnl)"), "oneDNN", {"tensor"}),
    (re.compile(r"toml\+\+/"), "toml++", {"text"}),
    (re.compile(r"yaml-cpp/"), "yaml-cpp", {"text"}),
    (re.compile(r"nlohmann/"), "nlohmann/json", {"text"}),
    (re.compile(r"xxhash\.h$"), "xxHash", {"base"}),
    (re.compile(r"zlib\.h$"), "zlib", {"data"}),
    (re.compile(r"j(peglib|error)\.h$"), "libjpeg", {"data"}),
    (re.compile(r"png\.h$"), "libpng", {"data"}),
    (re.compile(r"(Qt[A-Z]\w*/|Q[A-Z]\w*$|q[a-z]+\.h$)"), "Qt", {"ui", "app", "tests"}),
)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)
ROOTS = ("core", "ui", "app", "tests")
GENERATED = re.compile(r"\.(pb\.h|moc)$|^ui_\w+\.h$|^moc_\w+\.cpp$")


def _folder(path):
    """('core', 'wire') for core/wire/x.h, ('ui', None) for ui/x.h."""
    parts = path.split("/")
    if parts[0] == "core" and len(parts) > 2:
        return parts[0], parts[1]
    return parts[0], None


def _room(folder, path):
    """The room of `folder` in which `path` lies; "": in the folder itself."""
    below = path[len(folder) + 1:].split("/")
    return below[0] if len(below) > 1 else ""


def _room_problem(path, include):
    """Why a file of one room may not include a header of another room of its folder, or None."""
    for folder, rooms in ROOMS.items():
        if not all(name.startswith(folder + "/") for name in (path, include)):
            continue
        room, other = _room(folder, path), _room(folder, include)
        if room == other:
            continue
        for name in (room, other):
            if name not in rooms:
                return f"{folder}/{name} is no room of ROOMS"
        if rooms.index(other) > rooms.index(room):
            return f"{folder}: {room or 'the folder itself'} lies below {other or 'the folder itself'}"
    return None


def _program_problem(path, include):
    """Why a program may not include what another one is made of, or None: they share app/terminal."""
    program, other = ("/".join(name.split("/")[1:-1]) for name in (path, include))
    if other in (program, "terminal") or (program, other) == ("", "self_test"):
        return None
    return f"app/{other} is a program of its own; what programs share is app/terminal"


def _level_problem(path, include):
    """Why `path` may not include the project's own header `include`, or None."""
    top, folder = _folder(path)
    other_top, other = _folder(include)
    allowed = {"core": {"core"}, "ui": {"core", "ui"}, "app": {"core", "ui", "app"}}
    if top == "tests":
        return None
    if other_top not in allowed.get(top, set()):
        return f"{top} may not include {other_top}"
    if top == "ui" and other_top == "core" and other not in UI_SEES:
        return (f"ui sees only core/job, core/config, core/model, core/text and core/base, "
                f"not core/{other}")
    if top == other_top == "app":
        return _program_problem(path, include)
    if path.split("/")[:2] == include.split("/")[:2]:
        return _room_problem(path, include)
    if top != "core":
        return None
    if folder not in LEVELS or other not in LEVELS:
        return f"core/{folder if folder not in LEVELS else other} has no level in LEVELS"
    if LEVELS[other] >= LEVELS[folder]:
        return (f"core/{folder} (level {LEVELS[folder]}) may not include "
                f"core/{other} (level {LEVELS[other]})")
    return None


def _owner_problem(path, include):
    """Why `path` may not include a header of another library, or None."""
    top, folder = _folder(path)
    for pattern, library, owners in OWNERS:
        if pattern.match(include) or (pattern.pattern.startswith(r"\.") and pattern.search(include)):
            if folder not in owners and top not in owners and top != "tests":
                return f"{library} is included by {', '.join(sorted(owners))} only"
    return None


def _problems(path, quote, include):
    own = include.split("/")[0] in ROOTS and "/" in include
    if quote == '"' and not own and not GENERATED.search(include):
        yield 'includes of our own files start at the root: "core/base/result.h"'
    if own:
        yield _level_problem(path, include)
    yield _owner_problem(path, include)


def check(root):
    violations = []
    for path in files(root, ROOTS, (".h", ".cpp", ".cu", ".cuh")):
        text = without_comments(read(root, path) or "", keep_strings=True)
        for match in INCLUDE.finditer(text):
            for problem in _problems(path.as_posix(), match.group(1), match.group(2)):
                if problem:
                    violations.append(Violation(path.as_posix(), line_of(text, match.start(1)),
                                                f"{problem} ({match.group(2)})"))
    return violations


def _seed(path, line, expected):
    return Seed({path: f"#pragma once\n{line}\n"}, expected)


SEEDS = (
    _seed("core/wire/x.h", '#include "core/base/result.h"', None),
    _seed("core/wire/x.h", '#include "core/config/job/job_spec.h"', "core/wire (level 1)"),
    _seed("core/config/job/x.h", '#include "core/config/lint/lint.h"', "core/config: job lies below lint"),
    _seed("core/config/lint/x.h", '#include "core/config/job/job_spec.h"', None),
    _seed("core/config/attic/x.h", '#include "core/config/job/job_spec.h"', "attic is no room"),
    _seed("core/launch/x.h", '#include "core/launch/ssh/x.h"', None),
    _seed("core/launch/doctor/facts/x.h", '#include "core/launch/doctor/faults/x.h"', "facts lies below faults"),
    _seed("core/launch/doctor/x.h", '#include "core/launch/doctor/faults/x.h"', None),
    _seed("core/launch/ssh/x.h", '#include "core/launch/x.h"', "lies below the folder itself"),
    _seed("core/base/x.h", '#include "core/job/fold/session.h"', "x.h:2: core/base (level 0)"),
    _seed("core/job/x.h", '#include "core/secret/x.h"', "core/secret has no level"),
    _seed("core/job/x.h", '#include "ui/main_window.h"', "core may not include ui"),
    _seed("core/job/x.h", '#include "tests/support/x.h"', "core may not include tests"),
    _seed("core/job/x.h", "#include <QString>", "Qt is included by"),
    _seed("core/job/x.h", "  #  include <QtCore/QString>", "Qt is included by"),
    _seed("core/job/x.h", "// #include <QString>", None),
    _seed("core/job/x.h", "/*\n#include <QString>\n*/", None),
    _seed("core/job/x.h", '#include "core/wire/messages/record.pb.h"', None),
    _seed("core/program/x.h", '#include "core/wire/messages/record.pb.h"', "the generated messages"),
    _seed("core/exchange/x.h", '#include "core/exchange/onnx/onnx.pb.h"', None),
    _seed("core/train/x.h", '#include "core/exchange/onnx/onnx.pb.h"', "the generated format of ONNX"),
    _seed("core/telemetry/x.h", "#include <google/protobuf/message.h>", "protobuf"),
    _seed("core/coordination/x.h", "#include <zmq.hpp>", "ZeroMQ"),
    _seed("core/wire/x.h", "#include <zmq.h>", None),
    _seed("core/train/x.h", "#include <gloo/context.h>", "Gloo"),
    _seed("core/program/x.h", "#include <oneapi/dnnl/dnnl.hpp>", "oneDNN"),
    _seed("core/program/x.h", "#include <dnnl.hpp>", "oneDNN"),
    _seed("core/data/x.h", "#include <toml++/toml.h>", "toml++"),
    _seed("core/text/x.h", "#include <nlohmann/json.hpp>\n#include <yaml-cpp/yaml.h>", None),
    _seed("core/config/x.h", "#include <nlohmann/json.hpp>", "nlohmann/json is included by"),
    _seed("app/x.h", "#include <yaml-cpp/yaml.h>", "yaml-cpp is included by text only"),
    _seed("core/data/x.h", "#include <xxhash.h>", "xxHash is included by base only"),
    _seed("core/data/x.h", '#include "shard.h"', "start at the root"),
    _seed("app/ctl/x.h", '#include "app/terminal/follow.h"', None),
    _seed("app/x.h", '#include "app/self_test/self_test.h"', None),
    _seed("app/x.h", '#include "app/ctl/commands.h"', "a program of its own"),
    _seed("app/terminal/x.h", '#include "app/ctl/commands.h"', "a program of its own"),
    _seed("ui/charts/surface/x.h", '#include "ui/charts/store/x.h"', None),
    _seed("ui/charts/store/x.h", '#include "ui/charts/paint/x.h"', "ui/charts: store lies below paint"),
    _seed("ui/charts/x.h", '#include "ui/charts/paint/x.h"', "ui/charts/ is no room"),
    _seed("ui/pages/x.h", '#include "core/job/fold/session.h"', None),
    _seed("ui/pages/x.h", '#include "core/telemetry/journal.h"', "ui sees only"),
    _seed("ui/pages/x.h", '#include "app/error_output.h"', "ui may not include app"),
    _seed("app/x.h", '#include "core/train/worker.h"', None),
    _seed("tests/core/x.h", "#include <QtTest>\n#include <zmq.hpp>", None),
)

if __name__ == "__main__":
    main(check, SEEDS)
