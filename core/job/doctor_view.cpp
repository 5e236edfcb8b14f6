// SPDX-License-Identifier: Apache-2.0
#include "core/job/doctor_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/base/sanitize_lines.h"
#include "core/base/text.h"
#include "core/launch/doctor/faults/check_cells.h"
#include "core/launch/doctor/faults/findings.h"

namespace lockstep::job {

namespace {

static_assert(static_cast<int>(launch::CellState::Failure) ==
              static_cast<int>(CheckState::Failure));

std::string processesOf(const launch::ExaminedHost& host) {
    if (host.isSpare) return "spare";
    std::string words;
    if (!host.processes.empty())
        words = fmt::format("process{} {}", host.processes.size() > 1 ? "es" : "",
                            compressRanges(host.processes));
    if (host.evaluator) words += words.empty() ? "evaluator" : ", evaluator";
    return words;
}

HostProblem problemOf(launch::HostFinding finding) {
    HostProblem problem{.host = std::move(finding.host),
                        .otherHost = std::move(finding.otherHost),
                        .check = static_cast<int>(finding.check),
                        .severity = finding.severity,
                        .sentence = sanitizeLines(finding.sentence),
                        .advice = sanitizeLines(finding.advice),
                        .command = sanitizeLine(finding.command),
                        .key = {},
                        .value = {},
                        .change = {}};
    // Hosts name users, files and processes as they like.
    if (problem.command != finding.command) problem.command.clear();
    if (finding.change) {
        problem.key = std::move(finding.change->key);
        problem.value = std::move(finding.change->value);
        problem.change = std::move(finding.change->label);
    }
    return problem;
}

std::string hostCount(std::size_t count) {
    return counted(count, "host");
}

std::string sentenceOf(const DoctorView& view) {
    const std::size_t count = view.hosts.size();
    const auto settled = std::ranges::count_if(view.hosts, [](const HostChecks& host) {
        return std::ranges::none_of(host.checks, [](const CheckView& check) {
            return check.state == CheckState::Pending || check.state == CheckState::Running;
        });
    });
    if (view.running) return fmt::format("{} of {} examined", settled, hostCount(count));
    if (view.cancelled)
        return fmt::format("Cancelled: {} of {} examined.", settled, hostCount(count));
    const auto failing = std::ranges::count_if(view.hosts, [](const HostChecks& host) {
        return std::ranges::any_of(
            host.checks, [](const CheckView& check) { return check.state == CheckState::Failure; });
    });
    if (failing > 0)
        return fmt::format("{} of {} would stop the job: {}.", failing, hostCount(count),
                           counted(view.errors, "problem"));
    const std::string ready =
        fmt::format("{} {} ready", hostCount(count), count == 1 ? "is" : "are");
    if (view.warnings == 0) return ready + ".";
    return fmt::format("{}, with {} to look at.", ready, counted(view.warnings, "thing"));
}

}  // namespace

DoctorView doctorViewOf(const launch::Examination& all, bool cancelled) {
    DoctorView view;
    view.running = !all.finished && !cancelled;
    view.cancelled = cancelled;
    view.seconds = all.seconds;
    for (std::size_t check = 0; check < launch::kCheckCount; ++check)
        view.checks.emplace_back(toString(static_cast<launch::Check>(check)));
    const std::vector<launch::HostFinding> findings = launch::findFaults(all);
    for (std::size_t at = 0; at < all.hosts.size(); ++at) {
        const launch::ExaminedHost& host = all.hosts[at];
        HostChecks& row = view.hosts.emplace_back();
        row.host = host.name;
        row.processes = processesOf(host);
        row.progress = sanitizeLine(host.progress);
        for (std::size_t check = 0; check < launch::kCheckCount; ++check) {
            const launch::CheckCell cell =
                launch::cellOf(all, findings, at, static_cast<launch::Check>(check));
            row.checks.push_back({static_cast<CheckState>(cell.state), sanitizeLine(cell.word),
                                  sanitizeLines(cell.detail)});
        }
    }
    for (const launch::HostFinding& finding : findings) {
        view.errors += finding.severity == config::Severity::Error ? 1 : 0;
        view.warnings += finding.severity == config::Severity::Warning ? 1 : 0;
        view.problems.push_back(problemOf(finding));
    }
    view.sentence = sentenceOf(view);
    return view;
}

}  // namespace lockstep::job
