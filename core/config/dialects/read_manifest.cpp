// SPDX-License-Identifier: Apache-2.0
// The fields of an indexed Kubernetes job that say who its processes are.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/dialects/pasted_forms.h"
#include "core/config/document/environment_lint.h"
#include "core/config/job/cluster_spec.h"
#include "core/text/plain_text.h"
#include "core/text/yaml.h"

namespace lockstep::config {

namespace {

using text::Json;

constexpr int kPort = 55527;  // JAX's

/// What stands at "spec.parallelism" and the like; empty where nothing does.
std::string fieldOf(const Json& document, std::string_view path) {
    const Json* value = &document;
    for (const std::string_view name : splitText(path, '.')) {
        value = value->find(name);
        if (value == nullptr) return "";
    }
    return value->as<std::string>().value_or("");
}

Result<int> countOf(const Json& job, std::string_view path) {
    const std::string text = fieldOf(job, path);
    const auto count = wholeNumber(text);
    if (count && *count >= 1 && *count <= kMostProcesses) return static_cast<int>(*count);
    return unreadable(fmt::format("{} is \"{}\", but must be a whole number from 1 to {}", path,
                                  sanitizeLine(text, 40), kMostProcesses),
                      "Give spec.parallelism and spec.completions the number of processes.");
}

}  // namespace

bool looksLikeManifest(std::string_view text) {
    return text.starts_with("apiVersion:") ||
           text.find("\napiVersion:") != std::string_view::npos || text.starts_with("kind:") ||
           text.find("\nkind:") != std::string_view::npos;
}

Result<DialectReading> readKubernetesJob(std::string_view text) {
    auto documents = text::parseYaml(text);
    if (!documents)
        return unreadable("the manifest cannot be read: " + documents.error().message,
                          "Paste it whole, as `kubectl apply` takes it.");
    const auto job = std::ranges::find_if(
        *documents, [](const Json& document) { return fieldOf(document, "kind") == "Job"; });
    if (job == documents->end())
        return unreadable("the manifest has no document of kind Job",
                          "Paste the manifest of a batch/v1 Job.");
    const std::string name = fieldOf(*job, "metadata.name");
    if (name.empty()) return unreadable("metadata.name is missing", "Name the job.");
    if (fieldOf(*job, "spec.completionMode") != "Indexed")
        return unreadable(
            fmt::format("spec.completionMode is \"{}\": its processes have no ids",
                        sanitizeLine(fieldOf(*job, "spec.completionMode"), 40)),
            "To enable automatic bootstrap in a K8s cluster, jobs must be indexed by setting "
            "`completionMode: \"Indexed\"`.");
    const int parallelism = TRY(countOf(*job, "spec.parallelism"));
    const int completions = TRY(countOf(*job, "spec.completions"));
    if (completions != parallelism)
        return unreadable(
            fmt::format("spec.completions is {}, but spec.parallelism is {}: processes that "
                        "train together must run together",
                        completions, parallelism),
            "Give both the number of processes.");
    const std::string subdomain = fieldOf(*job, "spec.template.spec.subdomain");
    const std::string& domain = subdomain.empty() ? name : subdomain;
    std::vector<std::string> hosts;
    for (int i = 0; i < parallelism; ++i)
        hosts.push_back(fmt::format("{}-{}.{}", name, i, domain));
    const Address first{hosts.front(), kPort};
    if (auto valid = parseAddress(toString(first)); !valid)
        return failWithin("metadata.name", std::move(valid).error());
    DialectReading reading;
    reading.facts.numProcesses = pasted(parallelism, "spec.parallelism");
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
