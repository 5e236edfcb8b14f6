// SPDX-License-Identifier: Apache-2.0
#include "core/job/runs_memory.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/run/run_files.h"
#include "core/text/json.h"

namespace lockstep::job {

namespace fs = std::filesystem;
using text::Json;

namespace {

constexpr std::size_t kLongestEntry = 8 << 20;

/// A file that was written anew differs in one of these, whatever its size and time of day.
bool addStamp(const fs::path& file, std::string& stamp) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) {
        stamp += "-;";
        return false;
    }
    fmt::format_to(std::back_inserter(stamp), "{}:{}:{}.{}:{}.{};", status.st_ino, status.st_size,
                   status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                   status.st_ctim.tv_nsec);
    return true;
}

Json jsonOf(const std::optional<Score>& score) {
    if (!score) return {};
    return Json(Json::List{score->name, score->value, score->largerIsBetter});
}

/// Whether the list has what a score is made of, or nothing is there.
bool readScore(const Json* json, std::optional<Score>& to) {
    if (json == nullptr || json->isNull()) return json != nullptr;
    const auto& items = json->items();
    if (items.size() != 3) return false;
    const auto name = items[0].as<std::string>();
    const auto value = items[1].as<double>();
    const auto larger = items[2].as<bool>();
    if (!name || !value || !larger) return false;
    to = Score{*name, *value, *larger};
    return true;
}

template <typename T>
bool take(const Json& json, const char* name, T& to) {
    auto value = json.get<T>(name);
    if (value) to = std::move(*value);
    return value.has_value();
}

bool readSettings(const Json* json, std::vector<RunSetting>& settings) {
    if (json == nullptr || !json->isList() || json->items().size() % 2 != 0) return false;
    const auto& items = json->items();
    settings.reserve(items.size() / 2);
    for (std::size_t i = 0; i < items.size(); i += 2) {
        auto key = items[i].as<std::string>();
        auto value = items[i + 1].as<std::string>();
        if (!key || !value) return false;
        settings.push_back({std::move(*key), std::move(*value)});
    }
    return true;
}

}  // namespace

std::string stampOf(const fs::path& runDir) {
    const run::RunPaths paths{runDir};
    std::string stamp;
    if (!addStamp(paths.job(), stamp)) return {};
    for (const fs::path& file : {paths.summary(), paths.lock(), aboutFile(runDir)})
        addStamp(file, stamp);
    std::vector<fs::path> events;
    std::error_code error;
    for (fs::directory_iterator next(paths.events() / "validation", error), end;
         !error && next != end; next.increment(error))
        events.push_back(next->path());
    std::ranges::sort(events);
    for (const fs::path& file : events) {
        stamp += file.filename().string() + ' ';
        addStamp(file, stamp);
    }
    return stamp;
}

std::string entryText(const RunEntry& run) {
    Json::List settings;
    settings.reserve(run.settings.size() * 2);
    for (const RunSetting& setting : run.settings) {
        settings.emplace_back(setting.key);
        settings.emplace_back(setting.value);
    }
    return Json::object({{"run_dir", run.runDir.string()},
                         {"run_id", run.runId},
                         {"name", run.name},
                         {"status", run.status},
                         {"started", run.startedWallTime},
                         {"test_accuracy", run.testAccuracy},
                         {"test_score", jsonOf(run.testScore)},
                         {"missing", run.missing},
                         {"took", run.tookSeconds},
                         {"validation_score", jsonOf(run.validationScore)},
                         {"validation_curve", Json(run.validationCurve)},
                         {"settings", std::move(settings)},
                         {"drills", run.drills},
                         {"about_name", run.about.name},
                         {"about_tags", Json(run.about.tags)},
                         {"about_note", run.about.note},
                         {"about_problem", run.aboutProblem}})
        .text();
}

std::optional<RunEntry> entryOf(const std::string& text) {
    const auto json = text::parseJson(text, kLongestEntry);
    if (!json || !json->isObject()) return std::nullopt;
    RunEntry run;
    std::string folder;
    const bool isWhole =
        take(*json, "run_dir", folder) && take(*json, "run_id", run.runId) &&
        take(*json, "name", run.name) && take(*json, "status", run.status) &&
        take(*json, "started", run.startedWallTime) && take(*json, "missing", run.missing) &&
        take(*json, "took", run.tookSeconds) && take(*json, "drills", run.drills) &&
        take(*json, "about_name", run.about.name) && take(*json, "about_tags", run.about.tags) &&
        take(*json, "about_note", run.about.note) &&
        take(*json, "about_problem", run.aboutProblem) && json->has("test_accuracy") &&
        readScore(json->find("test_score"), run.testScore) &&
        readScore(json->find("validation_score"), run.validationScore) &&
        take(*json, "validation_curve", run.validationCurve) &&
        readSettings(json->find("settings"), run.settings);
    if (!isWhole) return std::nullopt;
    run.runDir = folder;
    run.testAccuracy = json->get<double>("test_accuracy");
    return run;
}

}  // namespace lockstep::job
