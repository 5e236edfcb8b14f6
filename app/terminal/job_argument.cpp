// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/job_argument.h"

#include <fmt/format.h>

#include <cstdio>

#include "core/base/absolute_path.h"
#include "core/base/try.h"
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
    auto document = TRY(loadJob(argument.file));
    for (const std::string& setting : argument.settings) {
        TRY(document.applySetting(setting));
    }
    if (!argument.runDir.empty()) {
        const auto runDir = absolutePath(argument.runDir);  // where the user is, not the job file
        if (!runDir) return fail(runDir.error());
        TRY(document.overrule("job.run_dir", config::tomlString(runDir->string()), "--run-dir"));
    }
    if (argument.processes > 0) TRY(document.startHere(argument.processes, "--processes"));
    const auto spec = TRY(document.checked());
    std::optional<config::OnDisconnect> onDisconnect;
    if (document.origin("launch.on_disconnect") != "default")
        onDisconnect = spec.launch.onDisconnect;
    for (const config::Finding& finding : document.findings()) {
        if (finding.severity == config::Severity::Warning)
            std::fprintf(stderr, "warning: %s: %s\n", finding.place.c_str(),
                         finding.message.c_str());
    }
    std::error_code error;
    const fs::path folder = fs::absolute(fs::path(argument.file), error).parent_path();
    return ResolvedJob{spec, config::resolvedToml(spec), folder, onDisconnect};
}

}  // namespace lockstep::app
