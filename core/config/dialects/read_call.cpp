// SPDX-License-Identifier: Apache-2.0
// The arguments of jax.distributed.initialize and keras.distribution.initialize, as Python.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "core/base/text.h"
#include "core/config/cluster/contradictions.h"
#include "core/config/cluster/variable_reader.h"
#include "core/config/dialects/pasted_forms.h"
#include "core/config/document/environment_lint.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/keys/key_codec.h"
#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {

/// In the order of JAX's positions; Keras' own comes last.
const std::vector<std::string> kJaxNames = {"coordinator_address",
                                            "num_processes",
                                            "process_id",
                                            "local_device_ids",
                                            "cluster_detection_method",
                                            "initialization_timeout",
                                            "heartbeat_timeout_seconds",
                                            "shutdown_timeout_seconds",
                                            "coordinator_bind_address",
                                            "slice_index",
                                            "partition_index"};
const std::vector<std::string> kKerasNames = {"job_addresses", "num_processes", "process_id"};

constexpr std::string_view kExample =
    "Write for example initialize(coordinator_address='10.0.0.1:1234', num_processes=2, "
    "process_id=0).";

/// What stands between the call's parentheses, or the whole text.
std::string_view argumentsOf(std::string_view text) {
    const std::size_t call = text.find("initialize(");
    if (call == std::string_view::npos) return text;
    text.remove_prefix(call + std::string_view("initialize(").size());
    return text.substr(0, text.rfind(')'));
}

/// The text cut at the commas that are in no quotes and no brackets, without prompts and comments.
Result<std::vector<std::string>> cutArguments(std::string_view text) {
    std::vector<std::string> parts(1);
    char quote = 0;
    int depth = 0;
    for (const std::string_view line : linesOf(text)) {
        for (const char c : line) {
            if (quote == 0 && c == '#') break;
            if (quote == 0 && depth == 0 && c == ',') {
                parts.emplace_back();
                continue;
            }
            if (quote != 0)
                quote = c == quote ? '\0' : quote;
            else if (c == '\'' || c == '"')
                quote = c;
            depth += quote == 0 ? (c == '[' || c == '(') - (c == ']' || c == ')') : 0;
            parts.back() += c;
        }
        if (quote != 0)
            return unreadable(fmt::format("a quote {} is not closed", quote),
                              std::string(kExample));
        parts.back() += ' ';
    }
    if (depth != 0) return unreadable("a bracket is not closed", std::string(kExample));
    std::vector<std::string> arguments;
    for (const std::string& part : parts)
        if (std::string_view trim = trimmed(part); !trim.empty() && trim != "...")
            arguments.emplace_back(trim);
    return arguments;
}

/// A Python literal as the text of a variable: 'a:1' is a:1, [0, 1] is 0,1.
std::string plainValue(std::string_view literal) {
    const bool quoted = literal.size() >= 2 && literal.front() == literal.back() &&
                        (literal.front() == '\'' || literal.front() == '"');
    const bool listed = literal.size() >= 2 && ((literal.front() == '[' && literal.back() == ']') ||
                                                (literal.front() == '(' && literal.back() == ')'));
    if (quoted || listed) literal = literal.substr(1, literal.size() - 2);
    if (listed && trimmed(literal).ends_with(',')) literal = literal.substr(0, literal.rfind(','));
    return std::string(trimmed(literal));
}

bool isName(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_';
    });
}

/// The arguments by name, as variables; None is left out.
Result<Environment::Variables> byName(const std::vector<std::string>& arguments, bool keras) {
    const auto& names = keras ? kKerasNames : kJaxNames;
    Environment::Variables values;
    bool named = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        const std::size_t equals = argument.find('=');
        std::string name(trimmed(argument.substr(0, equals)));
        const bool hasName = equals != std::string_view::npos && isName(name);
        if (!hasName && (named || i >= names.size()))
            return unreadable(
                fmt::format("\"{}\" is not an argument NAME=VALUE", sanitizeLine(argument, 60)),
                std::string(kExample));
        named = named || hasName;
        if (!hasName) name = names[i];
        if (std::find(names.begin(), names.end(), name) == names.end())
            return unreadable(fmt::format("initialize() got an unexpected keyword argument '{}'{}",
                                          sanitizeLine(name, 60), didYouMean(name, names)),
                              fmt::format("The arguments are {}.", joinWords(names)));
        const std::string_view literal = trimmed(hasName ? argument.substr(equals + 1) : argument);
        if (literal == "None") continue;
        if (!values.emplace(name, plainValue(literal)).second)
            return unreadable(
                fmt::format("initialize() got multiple values for argument '{}'", name),
                "Give every argument once.");
    }
    return values;
}

/// The clocks are the job's own keys, and the detection is for a running process.
std::vector<std::string> notesFor(const Environment& values) {
    constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
        {"initialization_timeout", "set cluster.initialization_timeout_seconds"},
        {"heartbeat_timeout_seconds", "set cluster.heartbeat_timeout_seconds"},
        {"shutdown_timeout_seconds", "a job has no such key"},
        {"cluster_detection_method", "a job file needs no detection"}};
    std::vector<std::string> notes;
    for (const auto& [name, why] : kElsewhere)
        if (values.has(name)) notes.push_back(fmt::format("{} is left out: {}", name, why));
    if (values.has("slice_index"))
        notes.emplace_back("slice_index is deprecated: JAX calls it partition_index now");
    return notes;
}

Result<ClusterFacts> factsOfCall(const Environment& values) {
    VariableReader reader(values, OriginKind::Argument);
    ClusterFacts facts;
    facts.coordinatorAddress = reader.address("coordinator_address");
    if (auto addresses = reader.addresses("job_addresses")) {
        if (addresses->value.size() == 1)
            facts.coordinatorAddress = reader.said(addresses->value.front(), "job_addresses");
        else
            facts.jobAddresses = std::move(addresses);
    }
    facts.numProcesses = reader.processCount("num_processes");
    facts.processId = reader.processId("process_id");
    facts.localDeviceIds = reader.deviceIds("local_device_ids");
    if (const auto bind = reader.address("coordinator_bind_address"))
        facts.coordinatorBindAddress =
            reader.said(toString(bind->value), "coordinator_bind_address");
    const auto partition = reader.integer("partition_index", 0, 1 << 20);
    const auto slice = reader.integer("slice_index", 0, 1 << 20);
    facts.partitionIndex = partition ? partition : slice;
    return reader.finish(std::move(facts));
}

Result<void> checkCall(const ClusterFacts& facts) {
    if (facts.jobAddresses && facts.numProcesses &&
        static_cast<int>(facts.jobAddresses->value.size()) != facts.numProcesses->value)
        return fail(countMismatch(*facts.jobAddresses, *facts.numProcesses));
    if (facts.processId && facts.numProcesses &&
        facts.processId->value >= facts.numProcesses->value)
        return unreadable(
            fmt::format("process_id and num_processes must be nonnegative, with process_id "
                        "< num_processes. Got process_id={}, num_processes={}.",
                        facts.processId->value, facts.numProcesses->value),
            fmt::format("Ids go from 0 to {}.", facts.numProcesses->value - 1));
    return {};
}

}  // namespace

bool looksLikeCall(std::string_view text) {
    if (text.find("initialize(") != std::string_view::npos) return true;
    const std::size_t equals = text.find('=');
    const std::string_view name = trimmed(text.substr(0, equals));
    const auto known = [name](const std::vector<std::string>& names) {
        return nearestName(name, names).has_value();
    };
    return equals != std::string_view::npos && (known(kJaxNames) || known(kKerasNames));
}

Result<DialectReading> readCall(std::string_view text) {
    const bool keras = text.find("job_addresses") != std::string_view::npos ||
                       text.find("keras.") != std::string_view::npos;
    auto arguments = cutArguments(argumentsOf(text));
    if (!arguments) return fail(std::move(arguments).error());
    if (arguments->empty())
        return unreadable("initialize() has no arguments", std::string(kExample));
    auto values = byName(*arguments, keras);
    if (!values) return fail(std::move(values).error());
    const Environment environment(std::move(*values));
    auto facts = factsOfCall(environment);
    if (!facts) return fail(std::move(facts).error());
    if (auto valid = checkCall(*facts); !valid) return fail(std::move(valid).error());
    DialectReading reading;
    reading.facts = std::move(*facts);
    reading.notes = {understoodAs(keras ? "the arguments of keras.distribution.initialize"
                                        : "the arguments of jax.distributed.initialize",
                                  reading.facts)};
    for (std::string& note : notesFor(environment))
        reading.notes.push_back(std::move(note));
    addLeftOut(reading);
    reading.findings = lintFacts(reading.facts);
    return reading;
}

}  // namespace lockstep::config
