// SPDX-License-Identifier: Apache-2.0
#include "core/run/run_end.h"

#include <fmt/format.h>

#include "core/base/ids.h"

namespace lockstep::run {

using coordination::Outcome;
using coordination::OutcomeKind;

namespace {

std::string statusOf(OutcomeKind kind) {
    if (kind == OutcomeKind::Completed) return "completed";
    return kind == OutcomeKind::Stopped ? "stopped" : "failed";
}

/// Bad input is everybody's, and nobody's failure; but what one host lacks, that host is named for.
std::string sentenceOf(const Outcome& outcome) {
    const wire::Failure& failure = outcome.failure;
    const bool isElsewhere = !failure.host().empty() && failure.host() != hostName();
    if (outcome.kind == OutcomeKind::BadInput && !isElsewhere) return failure.cause();
    if (!hasFailed(outcome)) return {};
    const std::string who = failure.role() == wire::ROLE_AGENT
                                ? "agent"
                                : fmt::format("process {}", failure.process_id());
    if (failure.host().empty()) return fmt::format("{}: {}", who, failure.cause());
    return fmt::format("{} ({}): {}", who, failure.host(), failure.cause());
}

}  // namespace

wire::RunEnd runEndOf(const Outcome& outcome) {
    wire::RunEnd end;
    end.set_status(statusOf(outcome.kind));
    end.set_exit_status(static_cast<std::uint32_t>(coordination::exitStatusOf(outcome.kind)));
    end.set_error(sentenceOf(outcome));
    end.set_remedy(outcome.remedy);
    return end;
}

Outcome brokenOutcome(const Error& error) {
    Outcome broken;
    broken.kind = OutcomeKind::Failed;
    broken.failure.set_role(wire::ROLE_AGENT);  // no process of the job's is to blame
    broken.failure.set_host(hostName());
    broken.failure.set_cause(error.message);
    broken.remedy = error.remedy;
    return broken;
}

bool hasFailed(const Outcome& outcome) {
    return outcome.kind == OutcomeKind::Failed || outcome.kind == OutcomeKind::BadInput;
}

}  // namespace lockstep::run
