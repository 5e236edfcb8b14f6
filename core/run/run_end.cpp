// SPDX-License-Identifier: Apache-2.0
#include "core/run/run_end.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/summary_limit.h"
#include "core/base/text.h"
#include "core/text/json.h"

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

/// Where the checkpoint of that step is marked: no resume takes it while the mark is there.
std::string remedyOfSuspect(const std::string& remedy, std::uint64_t step) {
    std::istringstream lines(remedy);
    std::string text;
    for (std::string line; std::getline(lines, line);)
        if (line.find("--resume") == std::string::npos) text += line + '\n';
    return text + fmt::format(
                      "The checkpoint of step {} is marked as suspect: --resume goes on from one "
                      "before it, if there is one.\nTo have it taken, delete the file "
                      "checkpoints/step-{}/suspect.",
                      step, step);
}

/// The name of the part that takes the most room; empty: none takes much.
std::string longestPart(const text::Json& summary) {
    std::size_t most = 64;
    std::string longest;
    for (const auto& [name, part] : summary.members()) {
        const std::size_t bytes = part.text(2).size();
        if (bytes <= most || name == kLeftOutField) continue;
        most = bytes;
        longest = name;
    }
    return longest;
}

std::string shortSummary(const std::string& whole, std::size_t mostBytes) {
    text::Json summary = text::parseJson(whole, kMostSummaryBytes).value_or(text::Json());
    std::vector<std::string> leftOut;
    std::string text = whole;
    while (text.size() > mostBytes) {
        const std::string part = longestPart(summary);
        if (part.empty()) return "{}\n";
        leftOut.push_back(part);
        summary[part] = nullptr;
        summary[kLeftOutField] = fmt::format(
            "{}: too long for the journal; summary.json in the run folder of process 0's host has "
            "what is missing here",
            joinWords(leftOut));
        text = summary.text(2) + "\n";
    }
    return text;
}

}  // namespace

wire::RunEnd runEndOf(const Outcome& outcome) {
    wire::RunEnd end;
    end.set_status(statusOf(outcome.kind));
    end.set_exit_status(static_cast<std::uint32_t>(coordination::exitStatusOf(outcome.kind)));
    end.set_error(sentenceOf(outcome));
    const std::uint64_t suspect = outcome.failure.suspect_checkpoint();
    const bool isMarked = hasFailed(outcome) && suspect > 0;
    if (isMarked) {
        end.set_suspect_checkpoint(suspect);
        end.set_suspect_failed_at(outcome.failure.step() + 1);
    }
    end.set_remedy(isMarked ? remedyOfSuspect(outcome.remedy, suspect) : outcome.remedy);
    return end;
}

wire::RunEnd fitted(wire::RunEnd end, std::size_t mostBytes) {
    constexpr std::size_t kFrame = 16;  // of the summary in the message
    if (end.ByteSizeLong() <= mostBytes) return end;
    const std::string whole = std::exchange(*end.mutable_summary_json(), {});
    const std::size_t taken = end.ByteSizeLong() + kFrame;
    end.set_summary_json(shortSummary(whole, mostBytes > taken ? mostBytes - taken : 0));
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
