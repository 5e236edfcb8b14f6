// SPDX-License-Identifier: Apache-2.0
// The fields of an indexed Kubernetes job that say who its processes are. Not YAML as a whole: the
// plain `key: value` lines that such manifests are written in.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "core/base/text.h"
#include "core/config/dialects/pasted_forms.h"
#include "core/config/document/environment_lint.h"
#include "core/config/job/cluster_spec.h"
#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {

constexpr int kPort = 55527;  // JAX's

tl::unexpected<Error> bad(std::string message, std::string remedy) {
    return fail(ErrorCode::BadInput, std::move(message), std::move(remedy));
}

/// The value of a line `key: value  # comment`, without quotes.
std::string_view scalar(std::string_view text) {
    text = trimmed(text.substr(0, text.find(" #")));
    const bool quoted = text.size() >= 2 && text.front() == text.back() &&
                        (text.front() == '"' || text.front() == '\'');
    return quoted ? text.substr(1, text.size() - 2) : text;
}

using Fields = std::map<std::string, std::string, std::less<>>;

/// "spec.parallelism" and the like of one document, by the lines' indentation.
Fields fieldsOf(const std::vector<std::string_view>& lines) {
    constexpr std::size_t kDeepest = 32;
    Fields fields;
    std::vector<std::pair<std::size_t, std::string>> open;
    for (const std::string_view line : lines) {
        const std::size_t indent = line.find_first_not_of(' ');
        if (indent == std::string_view::npos || line[indent] == '#') continue;
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || line[indent] == '-') continue;
        while (!open.empty() && open.back().first >= indent)
            open.pop_back();
        if (open.size() == kDeepest) continue;
        std::string path;
        for (const auto& [depth, name] : open)
            path += name + ".";
        const std::string name(trimmed(line.substr(0, colon)));
        open.emplace_back(indent, name);
        fields.emplace(path + name, scalar(line.substr(colon + 1)));
    }
    return fields;
}

/// The document whose kind is Job.
std::optional<Fields> jobOf(std::string_view text) {
    std::vector<std::string_view> lines;
    const auto job = [&lines]() -> std::optional<Fields> {
        Fields fields = fieldsOf(lines);
        lines.clear();
        const auto kind = fields.find("kind");
        return kind != fields.end() && kind->second == "Job" ? std::optional(fields) : std::nullopt;
    };
    for (const std::string_view line : linesOf(text)) {
        if (!line.starts_with("---")) {
            lines.push_back(line);
        } else if (auto found = job()) {
            return found;
        }
    }
    return job();
}

std::string_view fieldOf(const Fields& fields, std::string_view path) {
    const auto found = fields.find(path);
    return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

Result<int> countOf(const Fields& fields, std::string_view path) {
    const std::string_view text = fieldOf(fields, path);
    const auto count = wholeNumber(text);
    if (count && *count >= 1 && *count <= kMostProcesses) return static_cast<int>(*count);
    return bad(fmt::format("{} is \"{}\", but must be a whole number from 1 to {}", path,
                           sanitizeLine(text, 40), kMostProcesses),
               "Give spec.parallelism and spec.completions the number of processes.");
}

}  // namespace

bool looksLikeManifest(std::string_view text) {
    return text.starts_with("apiVersion:") ||
           text.find("\napiVersion:") != std::string_view::npos || text.starts_with("kind:") ||
           text.find("\nkind:") != std::string_view::npos;
}

Result<DialectReading> readManifest(std::string_view text) {
    const auto job = jobOf(text);
    if (!job)
        return bad("the manifest has no document of kind Job",
                   "Paste the manifest of a batch/v1 Job.");
    const std::string_view name = fieldOf(*job, "metadata.name");
    if (name.empty()) return bad("metadata.name is missing", "Name the job.");
    if (fieldOf(*job, "spec.completionMode") != "Indexed")
        return bad(
            fmt::format("spec.completionMode is \"{}\": its processes have no ids",
                        sanitizeLine(fieldOf(*job, "spec.completionMode"), 40)),
            "To enable automatic bootstrap in a K8s cluster, jobs must be indexed by setting "
            "`completionMode: \"Indexed\"`.");
    auto parallelism = countOf(*job, "spec.parallelism");
    if (!parallelism) return fail(std::move(parallelism).error());
    auto completions = countOf(*job, "spec.completions");
    if (!completions) return fail(std::move(completions).error());
    if (*completions != *parallelism)
        return bad(fmt::format("spec.completions is {}, but spec.parallelism is {}: processes that "
                               "train together must run together",
                               *completions, *parallelism),
                   "Give both the number of processes.");
    const std::string_view subdomain = fieldOf(*job, "spec.template.spec.subdomain");
    const std::string_view domain = subdomain.empty() ? name : subdomain;
    std::vector<std::string> hosts;
    for (int i = 0; i < *parallelism; ++i)
        hosts.push_back(fmt::format("{}-{}.{}", name, i, domain));
    const Address first{hosts.front(), kPort};
    if (auto valid = parseAddress(toString(first)); !valid)
        return failWithin("metadata.name", std::move(valid).error());
    DialectReading reading;
    reading.facts.numProcesses = pasted(*parallelism, "spec.parallelism");
    reading.facts.coordinatorAddress = pasted(first, "metadata.name");
    reading.facts.hosts = pasted(std::move(hosts), "metadata.name");
    reading.notes = {understoodAs(
        fmt::format("the indexed Kubernetes job {}", sanitizeLine(name, 60)), reading.facts)};
    if (subdomain.empty())
        reading.notes.push_back(
            fmt::format("there is no subdomain: a headless service named {} is "
                        "taken for granted",
                        sanitizeLine(name, 60)));
    reading.findings = lintFacts(reading.facts);
    return reading;
}

}  // namespace lockstep::config
