// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/job_argument.h"

#include <fmt/format.h>

#include <cstdio>

#include "core/base/absolute_path.h"
#include "core/config/job/cluster_spec.h"

namespace lockstep::app {

namespace fs = std::filesystem;

Result<config::JobDocument> loadJob(const std::string& file) {
    auto document = config::loadJobFile(file);
    if (document || !document.error().remedy.empty()) return document;
    return fail(ErrorCode::BadInput, document.error().message,
                "Name a job file (TOML) that this user can read.");
}

Result<ResolvedJob> resolveJob(const JobArgument& argument) {
    auto document = loadJob(argument.file);
    if (!document) return fail(document.error());
    for (const std::string& setting : argument.settings) {
        if (auto applied = document->applySetting(setting); !applied) return fail(applied.error());
    }
    if (!argument.runDir.empty()) {
        const auto runDir = absolutePath(argument.runDir);  // where the user is, not the job file
        if (!runDir) return fail(runDir.error());
        auto set =
            document->overrule("job.run_dir", config::tomlString(runDir->string()), "--run-dir");
        if (!set) return fail(set.error());
    }
    if (argument.processes > 0)
        if (auto here = document->startHere(argument.processes, "--processes"); !here)
            return fail(here.error());
    const auto spec = document->checked();
    if (!spec) return fail(spec.error());
    std::optional<config::OnDisconnect> onDisconnect;
    if (document->origin("launch.on_disconnect") != "default")
        onDisconnect = spec->launch.onDisconnect;
    for (const config::Finding& finding : document->findings()) {
        if (finding.severity == config::Severity::Warning)
            std::fprintf(stderr, "warning: %s: %s\n", finding.place.c_str(),
                         finding.message.c_str());
    }
    std::error_code error;
    const fs::path folder = fs::absolute(fs::path(argument.file), error).parent_path();
    return ResolvedJob{*spec, config::resolvedToml(*spec), folder, onDisconnect};
}

}  // namespace lockstep::app
