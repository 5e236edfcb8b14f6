// SPDX-License-Identifier: Apache-2.0
#include "core/config/dialects/dialect_readers.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/cluster/tf_config.h"
#include "core/config/dialects/pasted_forms.h"
#include "core/config/document/environment_lint.h"
#include "core/config/job/cluster_spec.h"
#include "core/text/plain_text.h"
#include "core/text/python_text.h"

namespace lockstep::config {

namespace {

constexpr std::string_view kForms =
    "Paste KERAS_DISTRIBUTION_* variables, TF_CONFIG, torchrun's variables or command, the "
    "arguments of initialize(),\na scheduler's variables, a hostfile, a Slurm node list, a list of "
    "host:port, or the manifest of an indexed job.";

tl::unexpected<Error> bad(std::string message) {
    return fail(ErrorCode::BadInput, std::move(message), std::string(kForms));
}

Result<void> checkSize(std::string_view text) {
    if (trimmed(text).empty()) return bad("there is no text");
    if (text.size() <= kPasteLimitBytes) return {};
    return bad(fmt::format("the text has {} bytes, more than {}", text.size(), kPasteLimitBytes));
}

bool isPythonTfConfig(std::string_view text) {
    return text.find("os.environ") != std::string_view::npos &&
           text.find("TF_CONFIG") != std::string_view::npos;
}

bool isTfConfig(std::string_view text) {
    return trimmed(text).starts_with('{') || isPythonTfConfig(text);
}

/// `initialize()` without any takes what was set before it.
bool isCallWithArguments(std::string_view text) {
    const std::size_t call = text.find("initialize(");
    return call != std::string_view::npos &&
           !trimmed(text.substr(call + std::string_view("initialize(").size())).starts_with(')');
}

bool setsClusterVariable(const std::vector<ShellLine>& lines) {
    return std::any_of(lines.begin(), lines.end(), [](const ShellLine& line) {
        return std::any_of(line.assignments.begin(), line.assignments.end(),
                           [](const auto& item) { return isClusterVariable(item.first); });
    });
}

bool hasAssignment(const std::vector<ShellLine>& lines) {
    return std::any_of(lines.begin(), lines.end(),
                       [](const ShellLine& line) { return !line.assignments.empty(); });
}

const ShellLine* torchrunLine(const std::vector<ShellLine>& lines) {
    for (const ShellLine& line : lines)
        if (looksLikeTorchrun(line.words)) return &line;
    return nullptr;
}

bool isAddressList(std::string_view text) {
    const auto lines = linesOf(text);
    return std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
        const auto parts = splitText(line, ',');
        return std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
            return part.empty() || (part.find(':') != std::string_view::npos &&
                                    part.find_first_of(" \t=") == std::string_view::npos);
        });
    });
}

bool isNodeList(std::string_view text) {
    return text.find_first_of(" \t\n=:") == std::string_view::npos &&
           text.find_first_of("[,") != std::string_view::npos;
}

/// Every line's first word could be a host, and what follows is `slots=`.
bool isHostfile(std::string_view text) {
    bool several = false;
    for (const std::string_view line : linesOf(text)) {
        const std::string_view plain = trimmed(line.substr(0, line.find('#')));
        if (plain.empty()) continue;
        const std::size_t blank = plain.find_first_of(" \t");
        const std::string_view host = plain.substr(0, blank);
        if (host.find_first_of("=,()\"'{}") != std::string_view::npos) return false;
        const bool slots = plain.find("slots") != std::string_view::npos;
        if (blank != std::string_view::npos && !slots) return false;
        several = several || slots || blank == std::string_view::npos;
    }
    return several;
}

Result<DialectReading> readShellText(std::string_view text, const std::vector<ShellLine>& lines) {
    const ShellLine* torchrun = torchrunLine(lines);
    if (torchrun != nullptr && !setsClusterVariable(lines))
        return readTorchrunCommand(torchrun->words);
    if (setsClusterVariable(lines)) return readVariables(lines);
    if (looksLikeCall(text)) return readCall(text);
    if (!hasAssignment(lines))
        return bad(fmt::format("\"{}\" is nothing that describes a cluster",
                               sanitizeLine(trimmed(text), 60)));
    const std::string& name = lines.front().assignments.empty()
                                  ? std::string("the text")
                                  : lines.front().assignments.front().first;
    return bad(
        fmt::format("{} says nothing of a cluster{}", sanitizeLine(name, 60), meantVariable(name)));
}

Result<DialectReading> readVariablesOf(std::string_view text, std::string_view prefix,
                                       std::string_view whose) {
    auto lines = parseShellLines(withoutEnviron(text));
    if (!lines) return fail(std::move(lines).error());
    for (const ShellLine& line : *lines)
        for (const auto& [name, value] : line.assignments)
            if (name.starts_with(prefix)) return readVariables(*lines);
    return bad(fmt::format("none of {} is in the text", whose));
}

Result<DialectReading> readTorchrun(std::string_view text) {
    auto lines = parseShellLines(withoutEnviron(text));
    if (!lines) return fail(std::move(lines).error());
    if (const ShellLine* command = torchrunLine(*lines)) return readTorchrunCommand(command->words);
    if (setsClusterVariable(*lines)) return readVariables(*lines);
    return bad("none of torchrun's variables is in the text");
}

}  // namespace

std::string tfConfigNote(std::string_view json) {
    const auto roles = tfConfigRoles(json);
    if (!roles) return "understood as an empty TF_CONFIG, which says nothing";
    return fmt::format("understood as TF_CONFIG: {}; this is {}", roles->list(), roles->task);
}

std::string understoodAs(std::string_view what, const ClusterFacts& facts) {
    std::string note = fmt::format("understood as {}", what);
    const int count = facts.numProcesses   ? facts.numProcesses->value
                      : facts.jobAddresses ? static_cast<int>(facts.jobAddresses->value.size())
                                           : 0;
    if (count > 0) note += ": " + counted(count, "process");
    if (facts.role && facts.role->value == ProcessRole::Evaluator)
        return note + "; this is the evaluator";
    if (facts.processId) note += fmt::format("; this is process {}", facts.processId->value);
    return note;
}

void addLeftOut(DialectReading& reading) {
    const ClusterFacts& facts = reading.facts;
    const auto add = [&reading](const auto& said, std::string_view why) {
        // What a launcher numbers by itself, Lockstep numbers, too.
        if (said && said->origin.kind != OriginKind::Detection)
            reading.notes.push_back(fmt::format("{} is left out: {}", said->origin.name, why));
    };
    add(facts.localDeviceIds,
        "they are of one process, and a job's cluster.local_device_ids is of all processes of a "
        "host, which share its GPUs evenly; lockstep-worker takes --local-device-ids and "
        "JAX_LOCAL_DEVICE_IDS for each");
    add(facts.coordinatorBindAddress,
        "a job has no such key; process 0 listens at its own address");
    add(facts.partitionIndex, "a job has no such key");
}

Result<DialectReading> readTfConfigText(std::string_view text) {
    auto json = dictionaryAsJson(text);
    if (!json) return failWithin("TF_CONFIG", std::move(json).error());
    auto facts = readTfConfig(*json, {OriginKind::Environment, "TF_CONFIG"});
    if (!facts) return fail(std::move(facts).error());
    DialectReading reading;
    reading.facts = std::move(*facts);
    reading.notes = {tfConfigNote(*json)};
    reading.findings = lintFacts(reading.facts);
    return reading;
}

Result<DialectReading> readDialect(Dialect dialect, std::string_view text) {
    if (auto size = checkSize(text); !size) return fail(std::move(size).error());
    switch (dialect) {
        case Dialect::Keras:
            if (isCallWithArguments(text)) return readCall(text);
            return readVariablesOf(text, "KERAS_", "Keras' variables");
        case Dialect::Jax:
            return readCall(text);
        case Dialect::TfConfig:
            if (isTfConfig(text)) return readTfConfigText(text);
            return readVariablesOf(text, "TF_CONFIG", "TF_CONFIG's forms");
        case Dialect::Torchrun:
            return readTorchrun(text);
        case Dialect::Hostfile:
            return readHostfile(text);
    }
    return bad("there is no such dialect");
}

Result<DialectReading> readAny(std::string_view text) {
    if (auto size = checkSize(text); !size) return fail(std::move(size).error());
    const std::string_view whole = trimmed(text);
    if (looksLikeManifest(whole)) return readKubernetesJob(whole);
    if (isTfConfig(whole)) return readTfConfigText(whole);
    if (isCallWithArguments(whole)) return readCall(whole);
    const std::string plain = withoutEnviron(whole);
    if (whole.find("slots") == std::string_view::npos) {
        if (isAddressList(whole)) return readAddressList(whole);
        if (isNodeList(whole)) return readNodeList(whole);
    }
    if (isHostfile(whole) && whole.find_first_of("\n \t") != std::string_view::npos)
        return readHostfile(whole);
    auto lines = parseShellLines(plain);
    if (!lines) return fail(std::move(lines).error());
    return readShellText(whole, *lines);
}

}  // namespace lockstep::config
