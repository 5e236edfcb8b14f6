# SPDX-License-Identifier: Apache-2.0
"""Which faults are made from outside (compare/strikes.py), whom they befall, what names them, and what is to become of the job."""
import dataclasses

from struck_job import CHIEF, HOST, LEASE_SECONDS, OTHER, WORKER

LOCAL, SSH = "local", "ssh"


@dataclasses.dataclass(frozen=True)
class Way:
    how: tuple              # what is done, as strike() knows it
    where: dict             # whom it befalls, by place
    who: dict               # a pattern of what names it rightly, by victim; who is not there: nobody is to be named
    names_within: float = 30
    restarts: bool = True   # the job has to begin again; else it only has to train on
    ends_as: str = ""       # the run's status: it has to end
    healed_after: float = 0
    may_be_harmless: bool = False  # where nobody is named, and nothing is damaged
    evaluator: bool = True
    processes: int = 3
    on_desktop: bool = False  # what the launcher tells counts: the run's own records come from behind the cut
    launch: dict = dataclasses.field(default_factory=dict)


PROCESS, EVALUATOR, AGENT = r"process {}\b.*", r"evaluator\b.*", r"agent\b.*"  # {}: the victim's number
SIGNAL_9 = "(signal 9|SIGKILL)"
SILENT = "(stopped|heartbeat)"
STUCK = "(been in |not moved|stands still|is stuck)"
HOST_OF_WORKER = rf"(process {WORKER}\b|{HOST.format(WORKER + 1)})"
WORKERS, ALL, LAUNCHER = ("worker", "chief"), ("worker", "chief", "agent"), ("launcher",)
IN_SPARES_PLACE = {"spares": f'["{HOST.format(4)}"]', "spare_after_seconds": 1}


def named(sign, of_agent=""):
    return {**dict.fromkeys(WORKERS, PROCESS + sign), "evaluator": EVALUATOR + sign,
            **dict.fromkeys(("agent", "other-agent"), AGENT + (of_agent or sign))}


def everywhere(*victims):
    return {LOCAL: victims, SSH: victims}


# By fault, and by fault and victim where another thing is to become of the job.
WAYS = {
    "kill": Way(("signal", "SIGKILL"), {LOCAL: ALL, SSH: (*ALL, "other-agent")}, named(SIGNAL_9)),
    "kill/evaluator": Way(("signal", "SIGKILL"), everywhere("evaluator"), named(SIGNAL_9), restarts=False),
    # What serves a host for the launcher: the host is lost with it.
    "kill/host-service": Way(("signal", "SIGKILL"), {SSH: ("host-service",)}, {"host-service": HOST_OF_WORKER}, names_within=60),
    "kill/launcher": Way(("signal", "SIGKILL"), everywhere("launcher"), {}, names_within=1, ends_as="stopped"),
    "STOP": Way(("signal", "SIGSTOP"), {SSH: ALL}, named(SILENT), names_within=15),
    "STOP/evaluator": Way(("signal", "SIGSTOP"), {SSH: ("evaluator",)}, named(SILENT), names_within=15, restarts=False),
    "STOP/launcher": Way(("signal", "SIGSTOP"), {SSH: LAUNCHER}, {}, names_within=15, restarts=False,
                         launch={"on_disconnect": '"detached"'}),
    "frozen-step": Way(("freeze", "train-"), everywhere(*WORKERS), named(STUCK)),
    "frozen-prefetch": Way(("freeze", "prefetch"), everywhere(*WORKERS), named("been in loading data")),
    "frozen-checkpoint": Way(("freeze", "checkpoint"), everywhere("chief"),
                             {"chief": r"(checkpoint of step \d+ (is still being written|skipped)|process 0\b.*been in checkpoint)"},
                             names_within=60, restarts=False),
    "frozen-control": Way(("freeze", "control"), everywhere(*WORKERS), named("heartbeat")),
    "frozen-control/evaluator": Way(("freeze", "control"), {LOCAL: ("evaluator",)}, named("heartbeat"), restarts=False),
    "frozen-telemetry": Way(("freeze", "telemetry"), {LOCAL: WORKERS}, named("telemetry has stood still"), restarts=False),
    "frozen-coordinator": Way(("freeze", "coord"), everywhere("coordinator"),
                              {"coordinator": AGENT + "(coordinator|signal 6|SIGABRT)"}, names_within=60),
    # At half of its processor a step of it takes longer by what it works in it: 50 % and more.
    "slow-50": Way(("halve", "train-"), {LOCAL: WORKERS}, named("costs the others"), names_within=60, restarts=False, evaluator=False,
                   processes=2),
    "cut-link": Way(("cut", WORKER, "desktop"), {SSH: ("host",)}, {"host": HOST_OF_WORKER}, names_within=60,
                    healed_after=LEASE_SECONDS + 3),
    "partition": Way(("cut", WORKER, OTHER), {SSH: ("hosts",)}, {"hosts": rf"process(es)? ({WORKER}|{OTHER})\b"}, names_within=60,
                     healed_after=60),
    "lost-host": Way(("cut", OTHER), {SSH: ("worker-host",)}, {"worker-host": rf"(process {OTHER}\b|{HOST.format(OTHER + 1)})"},
                     names_within=60, launch=IN_SPARES_PLACE),
    "lost-host/chief-host": Way(("cut", CHIEF), {SSH: ("chief-host",)}, {"chief-host": rf"(process {CHIEF}\b|{HOST.format(CHIEF + 1)})"},
                                names_within=60, on_desktop=True, launch=IN_SPARES_PLACE),
    "full-disk": Way(("fill",), {LOCAL: ("chief",)}, {"chief": "No space left"}, restarts=False),
    "EIO": Way(("fail", "checkpoint"), everywhere("chief"), {"chief": "Input/output error"}, names_within=10, restarts=False,
               may_be_harmless=True),
    "bit-flip": Way(("drill", "bit-flip"), {SSH: WORKERS}, {}),
    "cut": Way(("drill", "cut"), {SSH: WORKERS}, {}),
    "nan": Way(("drill", "nan"), {SSH: WORKERS}, {}),
    "SIGTERM": Way(("signal", "SIGTERM"), {SSH: (*WORKERS, "evaluator")},
                   {**dict.fromkeys(WORKERS, PROCESS + "SIGTERM"), "evaluator": EVALUATOR + "SIGTERM"}, names_within=5, ends_as="stopped"),
    # They are told to end the job, and do: there is nobody to be named.
    "SIGTERM/agent": Way(("signal", "SIGTERM"), {SSH: ("agent", "launcher")}, {}, names_within=1, ends_as="stopped"),
    "OOM": Way(("starve",), everywhere(*ALL), named("memory ran out", SIGNAL_9)),
    "OOM/evaluator": Way(("starve",), {LOCAL: ("evaluator",)}, named("memory ran out"), restarts=False),
    "OOM/launcher": Way(("starve",), everywhere("launcher"), {}, names_within=1, ends_as="stopped"),
}
# Row by row: what happens in it.
STRIKES = {f"{key.split('/')[0]}/{victim}/{place}": way for key, way in WAYS.items()
           for place, victims in way.where.items() for victim in victims}
