// SPDX-License-Identifier: Apache-2.0
#include "core/job/best_validation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "core/base/file.h"
#include "core/config/job/metric.h"
#include "core/telemetry/event_reader.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kEventsLimit = std::uint64_t{4} << 20;  // tens of thousands of epochs
constexpr std::string_view kValidation = "validation/";

using Values = std::map<std::int64_t, double>;  // by step

/// By name, without "validation/".
std::map<std::string, Values> readValues(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator next(folder, error), end; !error && next != end;
         next.increment(error))
        files.push_back(next->path());
    std::ranges::sort(files);  // their names begin with when they were made
    std::map<std::string, Values> values;
    const auto take = [&](const telemetry::EventScalar& scalar) {
        if (!scalar.tag.starts_with(kValidation)) return;
        Values& known = values[scalar.tag.substr(kValidation.size())];
        known.erase(known.lower_bound(scalar.step), known.end());
        known[scalar.step] = scalar.value;
    };
    for (const fs::path& file : files) {
        const auto bytes = readFile(file, kEventsLimit);
        telemetry::EventReader reader;
        // What lies before damage is as good as ever.
        if (bytes) std::ignore = reader.feed(*bytes, take);
    }
    return values;
}

bool isLargerBetter(const std::string& name) {
    const auto metric = config::parseMetric(name);
    return metric && metric->largerIsBetter();
}

std::optional<Score> bestOf(const std::string& name, const Values& values) {
    const bool larger = isLargerBetter(name);
    std::optional<Score> best;
    for (const auto& [step, value] : values) {
        if (!std::isfinite(value)) continue;
        if (!best || (larger ? value > best->value : value < best->value))
            best = Score{name, value, larger};
    }
    return best;
}

}  // namespace

std::optional<Score> bestValidationIn(const fs::path& events,
                                      const std::vector<std::string>& metrics) {
    const auto values = readValues(events / "validation");
    std::vector<std::string> names{"accuracy"};
    names.insert(names.end(), metrics.begin(), metrics.end());
    names.emplace_back("loss");
    for (const std::string& name : names) {
        const auto found = values.find(name);
        if (found == values.end()) continue;
        if (auto best = bestOf(name, found->second)) return best;
    }
    return std::nullopt;
}

}  // namespace lockstep::job
