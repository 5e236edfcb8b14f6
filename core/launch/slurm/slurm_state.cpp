// SPDX-License-Identifier: Apache-2.0
#include "core/launch/slurm/slurm_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "core/base/text.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kMostRemedyLines = 4;

/// The value behind " NAME=", up to the next blank. The first one counts: paths, which may hold
/// anything, come last.
std::string field(std::string_view text, std::string_view name) {
    const std::string key = fmt::format(" {}=", name);
    const std::size_t found = text.find(key);
    if (found == std::string_view::npos) return {};
    const std::string_view rest = text.substr(found + key.size());
    const std::string value(rest.substr(0, rest.find_first_of(" \n")));
    const bool isNothing =
        value == "Unknown" || value == "None" || value == "(null)" || value == "N/A";
    return isNothing ? std::string() : value;
}

int number(std::string_view text) {
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// "2:0" is exit status 2 and no signal.
void setExit(SlurmState& state, const std::string& code) {
    const std::size_t colon = code.find(':');
    state.exitStatus = number(code.substr(0, colon));
    state.signal =
        colon == std::string::npos ? 0 : number(std::string_view(code).substr(colon + 1));
}

std::string reasonInWords(const std::string& reason) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kWords{{
        {"Resources", "the nodes it needs are not free yet"},
        {"Priority", "others are before it"},
        {"Dependency", "it waits for another job"},
        {"BeginTime", "its begin time has not come"},
        {"JobHeldUser", "it is held by the user"},
        {"JobHeldAdmin", "it is held by an administrator"},
        {"Reservation", "it waits for its reservation"},
        {"PartitionDown", "the partition is down"},
        {"PartitionTimeLimit", "its time limit is above the partition's"},
        {"PartitionNodeLimit", "it wants more nodes than the partition has"},
        {"ReqNodeNotAvail", "a node that it asks for is not available"},
        {"QOSMaxJobsPerUserLimit", "this user has as many jobs as allowed"},
    }};
    // Some reasons go on: "ReqNodeNotAvail,_UnavailableNodes:n3".
    const std::string_view word = std::string_view(reason).substr(0, reason.find(','));
    for (const auto& [name, words] : kWords)
        if (name == word) return fmt::format("{} ({})", words, sanitizeLine(reason, 120));
    return sanitizeLine(reason, 120);
}

/// The first error line with what follows it, as our programs write them.
std::vector<std::string> errorIn(std::string_view output) {
    constexpr std::string_view kError = "error: ";
    std::vector<std::string> lines;
    while (!output.empty() && lines.size() <= kMostRemedyLines) {
        const std::size_t end = std::min(output.find('\n'), output.size());
        const std::string_view line = output.substr(0, end);
        output.remove_prefix(std::min(end + 1, output.size()));
        // Slurm's programs say whose error it is; ours do not.
        const bool isError = line.starts_with(kError) || line.find("srun: error: ") == 0 ||
                             line.find("slurmstepd: error: ") == 0;
        if (isError && !lines.empty()) break;
        if (isError)
            lines.push_back(sanitizeLine(line.substr(line.find(kError) + kError.size()), 600));
        else if (!lines.empty() && line.starts_with("  "))
            lines.push_back(sanitizeLine(line.substr(2), 600));
        else if (!lines.empty())
            break;
    }
    return lines;
}

std::string endInWords(const SlurmState& state) {
    const std::string& word = state.state;
    const std::string on = state.nodes.empty() ? "" : " on " + sanitizeLine(state.nodes, 120);
    if (word.starts_with("CANCELLED")) return "was cancelled";
    if (word.starts_with("TIMEOUT")) return "has reached its time limit";
    if (word.starts_with("DEADLINE")) return "has reached its deadline";
    if (word.starts_with("NODE_FAIL")) return fmt::format("was ended{}: a node failed", on);
    if (word.starts_with("BOOT_FAIL")) return fmt::format("was ended{}: a node did not boot", on);
    if (word.starts_with("OUT_OF_MEMORY"))
        return fmt::format("was ended{}: it used more memory than it had asked for", on);
    if (word.starts_with("PREEMPTED")) return fmt::format("had to give way to another job{}", on);
    if (state.signal > 0) return fmt::format("was killed by signal {}{}", state.signal, on);
    if (state.exitStatus > 0) return fmt::format("ended{} with status {}", on, state.exitStatus);
    return fmt::format("ended{} without saying how", on);
}

std::string remedyFor(const SlurmState& state) {
    if (state.state.starts_with("OUT_OF_MEMORY"))
        return "Ask for more: slurm.options = [\"--mem=…\"].";
    if (state.state.starts_with("TIMEOUT"))
        return "Raise slurm.time_limit or slurm.stop_before_limit_seconds, and go on with "
               "--resume.";
    if (state.state.starts_with("NODE_FAIL") || state.state.starts_with("PREEMPTED"))
        return "Go on with --resume; with checkpoint.resume = \"auto\" Slurm starts it again "
               "itself.";
    return "";
}

}  // namespace

std::optional<SlurmState> parseShownJob(std::string_view text) {
    if (!text.starts_with("JobId=")) return std::nullopt;
    SlurmState state;
    state.state = field(text, "JobState");
    state.reason = field(text, "Reason");
    state.startTime = field(text, "StartTime");
    state.partition = field(text, "Partition");
    state.nodes = field(text, "NodeList");
    state.restarts = number(field(text, "Restarts"));
    setExit(state, field(text, "ExitCode"));
    return state.state.empty() ? std::nullopt : std::optional(std::move(state));
}

std::optional<SlurmState> parseAccountedJob(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    std::vector<std::string> fields;
    for (std::size_t begin = 0; begin <= line.size() && fields.size() < 8;) {
        const std::size_t end = std::min(line.find('|', begin), line.size());
        fields.emplace_back(line.substr(begin, end - begin));
        begin = end + 1;
    }
    if (fields.size() < 4 || fields[0].empty()) return std::nullopt;
    SlurmState state;
    state.state = fields[0];
    setExit(state, fields[1]);
    if (fields[2] != "None assigned") state.nodes = fields[2];
    state.partition = fields[3];
    return state;
}

bool isWaiting(const SlurmState& state) {
    constexpr std::array<std::string_view, 7> kWaiting{
        "PENDING",      "CONFIGURING",  "REQUEUED",     "REQUEUE_FED",
        "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"};
    return std::ranges::count(kWaiting, state.state) > 0;
}

bool isOver(const SlurmState& state) {
    constexpr std::array<std::string_view, 10> kOver{
        "BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED",
        "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};
    return std::ranges::any_of(
        kOver, [&state](std::string_view word) { return state.state.starts_with(word); });
}

std::string wordsOf(std::int64_t jobId, const SlurmState& state) {
    if (!isWaiting(state)) {
        const std::string how = state.state == "RUNNING" ? "runs" : "is " + state.state;
        return fmt::format("Slurm job {} {}{}", jobId, sanitizeLine(how, 60),
                           state.nodes.empty() ? "" : " on " + sanitizeLine(state.nodes, 120));
    }
    std::string words = state.restarts > 0
                            ? fmt::format("put back into Slurm's queue as job {}", jobId)
                            : fmt::format("waiting in Slurm's queue as job {}", jobId);
    if (!state.partition.empty())
        words += fmt::format(", partition {}", sanitizeLine(state.partition, 60));
    if (state.state != "PENDING") words += fmt::format(", {}", sanitizeLine(state.state, 40));
    if (!state.reason.empty()) words += ": " + reasonInWords(state.reason);
    if (!state.startTime.empty())
        words += fmt::format(", expected to start at {}", sanitizeLine(state.startTime, 40));
    return words;
}

SlurmEnd endOf(std::int64_t jobId, const SlurmState& state, std::string_view output) {
    SlurmEnd end;
    end.exitStatus = state.exitStatus == 2 ? 2 : state.exitStatus == 3 ? 3 : 1;
    end.error = fmt::format("Slurm job {} {}", jobId, endInWords(state));
    end.remedy = remedyFor(state);
    const std::vector<std::string> said = errorIn(output);
    if (said.empty()) return end;
    // What a program of ours has said is the cause; how its job then ended follows from it.
    end.error = end.exitStatus == 2 ? said.front() : end.error + ": " + said.front();
    if (said.size() > 1) end.remedy.clear();
    for (std::size_t i = 1; i < said.size(); ++i)
        end.remedy += (end.remedy.empty() ? "" : "\n") + said[i];
    return end;
}

}  // namespace lockstep::launch
