// SPDX-License-Identifier: Apache-2.0
// Hostfiles, Slurm node lists and lists of addresses: who the processes are, without whose text
// it is.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/cluster/node_list.h"
#include "core/config/dialects/pasted_forms.h"
#include "core/config/document/environment_lint.h"
#include "core/config/job/cluster_spec.h"
#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {

using Names = std::vector<std::string>;

tl::unexpected<Error> badEntry(std::size_t line, std::string_view text, std::string_view why) {
    return fail(ErrorCode::BadInput,
                fmt::format("Hostfile contains a bad entry: line {}, \"{}\": {}", line,
                            sanitizeLine(text, 80), why),
                "Write one host per line, with its number of processes: gpu01 slots=2.");
}

/// One line of a hostfile.
struct HostEntry {
    std::string host;
    int slots = 1;
    bool counted = false;  ///< The number was written.
};

Result<std::int64_t> readSlots(std::string_view text) {
    const auto slots = wholeNumber(text);
    if (slots && *slots >= 1 && *slots <= kMostProcesses) return *slots;
    return fail(ErrorCode::BadInput,
                fmt::format("slots must be a whole number from 1 to {}", kMostProcesses));
}

/// "gpu01:2" is gpu01 and ":2"; an IPv6 address keeps its colons, or stands in brackets.
std::pair<std::string_view, std::string_view> splitHost(std::string_view word) {
    const std::size_t close = word.find(']');
    if (word.starts_with('[') && close != std::string_view::npos)
        return {word.substr(1, close - 1), word.substr(close + 1)};
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos || word.find(':', colon + 1) != std::string_view::npos)
        return {word, {}};
    return {word.substr(0, colon), word.substr(colon)};
}

/// `host`, `host:N`, `host slots=N max_slots=M`.
Result<HostEntry> readEntry(std::string_view text) {
    HostEntry entry;
    for (const std::string_view word : splitText(text, ' ')) {
        if (word.empty()) continue;
        const std::size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        if (entry.host.empty() && equals == std::string_view::npos) {
            const auto [host, slotsText] = splitHost(word);
            entry.host = host;
            if (slotsText.empty()) continue;
            auto slots = readSlots(slotsText.substr(1));
            if (!slots) return fail(std::move(slots).error());
            entry.slots = static_cast<int>(*slots);
            entry.counted = true;
        } else if (name == "slots" && equals != std::string_view::npos) {
            auto slots = readSlots(word.substr(equals + 1));
            if (!slots) return fail(std::move(slots).error());
            entry.slots = static_cast<int>(*slots);
            entry.counted = true;
        } else if (name != "max_slots" && name != "max-slots") {
            return fail(ErrorCode::BadInput,
                        fmt::format("\"{}\" is not slots=N", sanitizeLine(word, 40)));
        }
    }
    if (auto valid = parseAddress(toString(Address{entry.host, 1})); !valid)
        return fail(ErrorCode::BadInput, "the host is not a name");
    return entry;
}

Result<std::vector<HostEntry>> readEntries(std::string_view text) {
    std::vector<HostEntry> entries;
    std::size_t number = 0;
    for (const std::string_view line : linesOf(text)) {
        ++number;
        std::string plain(trimmed(line.substr(0, line.find('#'))));
        std::replace(plain.begin(), plain.end(), '\t', ' ');
        if (plain.empty()) continue;
        auto entry = readEntry(plain);
        if (!entry) return badEntry(number, plain, entry.error().message);
        const auto same = std::find_if(entries.begin(), entries.end(), [&entry](const auto& known) {
            return known.host == entry->host && (known.counted || entry->counted);
        });
        if (same != entries.end())
            return fail(
                ErrorCode::BadInput,
                fmt::format("Hostfile contains multiple entries for {}: line {} is one more",
                            entry->host, number),
                "Write a host once, with the number of all its processes.");
        entries.push_back(std::move(*entry));
    }
    if (!entries.empty()) return entries;
    return fail(ErrorCode::BadInput, "Hostfile is empty or not formatted correctly",
                "Write one host per line, with its number of processes: gpu01 slots=2.");
}

Result<DialectReading> readingOf(std::string_view what, Names hosts, std::string_view origin) {
    if (hosts.size() > static_cast<std::size_t>(kMostProcesses))
        return fail(ErrorCode::BadInput,
                    fmt::format("it names {}, more than {}", counted(hosts.size(), "process"),
                                kMostProcesses),
                    "Use fewer processes.");
    Names different = hosts;
    std::sort(different.begin(), different.end());
    different.erase(std::unique(different.begin(), different.end()), different.end());
    DialectReading reading;
    reading.notes = {fmt::format("understood as {}: {} on {}", what,
                                 counted(hosts.size(), "process"),
                                 counted(different.size(), "host"))};
    reading.facts.numProcesses = pasted(static_cast<int>(hosts.size()), origin);
    reading.facts.hosts = pasted(std::move(hosts), origin);
    reading.findings = lintFacts(reading.facts);
    return reading;
}

}  // namespace

Result<DialectReading> readHostfile(std::string_view text) {
    auto entries = readEntries(text);
    if (!entries) return fail(std::move(entries).error());
    Names hosts;
    for (const HostEntry& entry : *entries) {
        if (hosts.size() > static_cast<std::size_t>(kMostProcesses)) break;
        hosts.insert(hosts.end(), static_cast<std::size_t>(entry.slots), entry.host);
    }
    return readingOf("a hostfile", std::move(hosts), "the hostfile");
}

Result<DialectReading> readNodeList(std::string_view text) {
    auto hosts = expandNodeList(text);
    if (!hosts) return fail(std::move(hosts).error());
    return readingOf("a Slurm node list", std::move(*hosts), "the node list");
}

Result<DialectReading> readAddressList(std::string_view text) {
    std::string joined;
    for (const std::string_view line : linesOf(text)) {
        std::string_view part = trimmed(line);
        if (part.ends_with(',')) part.remove_suffix(1);
        if (!part.empty()) joined += (joined.empty() ? "" : ",") + std::string(part);
    }
    auto addresses = parseAddresses(joined);
    if (!addresses) return fail(std::move(addresses).error());
    if (addresses->size() > static_cast<std::size_t>(kMostProcesses))
        return fail(ErrorCode::BadInput,
                    fmt::format("it names {}, more than {}", counted(addresses->size(), "process"),
                                kMostProcesses),
                    "Use fewer processes.");
    DialectReading reading;
    reading.facts.jobAddresses = pasted(std::move(*addresses), "the list");
    reading.notes = {understoodAs("a list of addresses", reading.facts)};
    reading.findings = lintFacts(reading.facts);
    return reading;
}

}  // namespace lockstep::config
