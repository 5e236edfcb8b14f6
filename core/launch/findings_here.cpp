// SPDX-License-Identifier: Apache-2.0
#include "core/launch/findings_here.h"

#include <algorithm>

#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/lint/lint_report.h"
#include "core/config/lint/model_rules.h"
#include "core/config/lint/task_rules.h"
#include "core/data/images/image_listing.h"
#include "core/data/load_dataset.h"
#include "core/launch/program/program_start.h"

namespace lockstep::launch {

namespace {

using config::Finding;
using config::Severity;

void findData(const config::JobDocument& job, const std::filesystem::path& folder,
              std::vector<Finding>& findings) {
    const config::JobSpec& spec = job.spec();
    if (spec.data.directory.empty()) return;  // lint says it
    const auto there = data::checkDataFiles(spec.data, folder);
    if (there) return;
    const Error& error = there.error();
    if (spec.launch.method == config::LaunchMethod::Local)
        findings.push_back(
            job.findingAt(Severity::Error, "data.directory", error.message, error.remedy));
    else
        findings.push_back(job.findingAt(
            Severity::Warning, "data.directory",
            error.message + " on " + hostName() + "; the job's hosts need it",
            error.remedy + "\n`lockstepctl doctor` looks whether the hosts have it."));
}

/// A network against images in folders, whose classes are known once the folders are there.
void findModel(const config::JobDocument& job, const std::filesystem::path& folder,
               std::vector<Finding>& findings) {
    const config::JobSpec& spec = job.spec();
    if (spec.data.dataset != "image_folder" || spec.data.imageSize == config::ImageSize{}) return;
    const bool isSound = std::ranges::none_of(
        job.findings(), [](const Finding& f) { return f.severity == Severity::Error; });
    const auto facts = imageFacts(spec.data, folder);
    if (!isSound || !facts) return;
    const config::KeyPlaces nowhere;
    config::Report report(nowhere);
    config::checkModel(spec, *facts, report);
    config::checkTask(spec.training, *facts, report);
    for (Finding& finding : report.take())
        findings.push_back(job.findingAt(finding.severity, finding.key, std::move(finding.message),
                                         std::move(finding.remedy)));
}

void findCommand(const config::JobDocument& job, const std::filesystem::path& folder,
                 const Environment& environment, std::vector<Finding>& findings) {
    const config::LaunchSpec& launch = job.spec().launch;
    if (launch.method != config::LaunchMethod::Local) return;
    std::vector<std::string> variables;
    if (const auto path = environment.get("PATH"))
        variables.push_back("PATH=" + std::string(*path));
    for (const std::string& setting : launch.environment)  // they have the last word
        if (setting.starts_with("PATH=")) variables = {setting};
    const auto program =
        findProgram(launch.command.front(), variables, programFolder(folder / launch.directory));
    if (!program)
        findings.push_back(job.findingAt(Severity::Error, "launch.command", program.error().message,
                                         program.error().remedy));
}

}  // namespace

Result<model::DataFacts> imageFacts(const config::DataSpec& data,
                                    const std::filesystem::path& jobFolder) {
    const auto classes = TRY(data::classFolders("data.directory", jobFolder / data.directory));
    return model::DataFacts{.input = {data.imageSize.height, data.imageSize.width,
                                      data.color == config::ImageColor::Grey ? 1 : 3},
                            .columns = {},
                            .classes = static_cast<std::int64_t>(classes.size())};
}

std::vector<Finding> findingsHere(const config::JobDocument& job,
                                  const std::filesystem::path& jobFolder,
                                  const Environment& environment) {
    std::vector<Finding> findings;
    if (job.spec().launch.runsOwnProgram()) {
        findCommand(job, jobFolder, environment, findings);
    } else {
        findData(job, jobFolder, findings);
        findModel(job, jobFolder, findings);
    }
    return findings;
}

}  // namespace lockstep::launch
