// SPDX-License-Identifier: Apache-2.0
#include "core/launch/findings_here.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/job/data_sources.h"
#include "core/config/job/model_spec.h"
#include "core/config/keys/key_help.h"
#include "core/config/lint/known_dataset.h"
#include "core/config/lint/lint_report.h"
#include "core/config/lint/mesh_rules.h"
#include "core/config/lint/model_rules.h"
#include "core/config/lint/task_rules.h"
#include "core/data/data_facts.h"
#include "core/data/load_dataset.h"
#include "core/exchange/initial_weights.h"
#include "core/launch/program/program_start.h"
#include "core/model/build_graph.h"

namespace lockstep::launch {

namespace {

using config::Finding;
using config::Severity;

/// The key that a sentence about data begins with: "data.files: there is no file …".
std::string keyOf(const std::string& sentence) {
    const std::string key = sentence.substr(0, sentence.find(':'));
    return config::keyHelp(key) == nullptr ? "data.dataset" : key;
}

/// An error where the job starts here, else a warning: the job's hosts have files of their own.
Finding findingOf(const config::JobDocument& job, const Error& error) {
    if (job.spec().launch.method == config::LaunchMethod::Local)
        return job.findingAt(Severity::Error, keyOf(error.message), error.message, error.remedy);
    return job.findingAt(Severity::Warning, keyOf(error.message),
                         error.message + " on " + hostName() + "; the job's hosts need it",
                         error.remedy + "\n`lockstepctl doctor` looks whether the hosts have it.");
}

/// Whether the job's files are there.
bool findData(const config::JobDocument& job, const std::filesystem::path& folder,
              std::vector<Finding>& findings) {
    const config::DataSpec& data = job.spec().data;
    const bool named = config::namesFiles(data.dataset);
    if (!named && data.directory.empty()) return false;  // lint says it
    const auto there = data::checkDataFiles(data, folder);
    if (!there) findings.push_back(findingOf(job, there.error()));
    return there.has_value();
}

/// Reads everything, as a start does.
Result<model::DataFacts> factsOfAll(const config::JobDocument& job,
                                    const std::filesystem::path& folder,
                                    std::vector<Finding>& findings) {
    const data::Dataset dataset = TRY(data::loadDataset(job.spec().data, folder));
    for (const Error& warning : dataset.warnings)
        findings.push_back(job.findingAt(Severity::Warning, keyOf(warning.message), warning.message,
                                         warning.remedy));
    return dataset.facts;
}

/// Of images in IDX files the labels' order alone is looked at: reading all takes long.
void findOrder(const config::JobDocument& job, const std::filesystem::path& folder,
               std::vector<Finding>& findings) {
    const config::DataSpec& data = job.spec().data;
    if (data.dataset != "mnist" && data.dataset != "idx") return;
    const auto doubt = data::doubtOfLabels(data, folder);
    if (doubt && *doubt)  // what cannot be read is said by the start, which reads all
        findings.push_back(job.findingAt(Severity::Warning, keyOf((*doubt)->message),
                                         (*doubt)->message, (*doubt)->remedy));
}

/// What is in the files, and a network against it.
void findModel(const config::JobDocument& job, const std::filesystem::path& folder,
               std::vector<Finding>& findings) {
    const config::JobSpec& spec = job.spec();
    const bool named = config::namesFiles(spec.data.dataset);
    const bool isSound = std::ranges::none_of(
        job.findings(), [](const Finding& f) { return f.severity == Severity::Error; });
    if (!isSound || (!named && spec.data.dataset != "image_folder")) return;
    if (named && data::namedBytes(spec.data, folder) > data::kMostBytesLookedAt) return;
    const auto facts =
        named ? factsOfAll(job, folder, findings) : data::readDataFacts(spec.data, folder);
    if (!facts) {
        findings.push_back(findingOf(job, facts.error()));
        return;
    }
    const config::KeyPlaces nowhere;
    config::Report report(nowhere);
    config::checkModel(spec, *facts, report);
    config::checkLayout(spec, *facts, report);
    config::checkTask(spec, *facts, report);
    for (Finding& finding : report.take())
        findings.push_back(job.findingAt(finding.severity, finding.key, std::move(finding.message),
                                         std::move(finding.remedy)));
}

/// What model.initial_weights names against the network, where the data tell its shapes.
void findWeights(const config::JobDocument& job, const std::filesystem::path& folder,
                 std::vector<Finding>& findings) {
    const config::JobSpec& spec = job.spec();
    const config::InitialWeightsSpec& weights = spec.model.initialWeights;
    if (weights.file.empty()) return;
    const auto say = [&](Severity severity, const Error& error) {
        findings.push_back(
            job.findingAt(severity, "model.initial_weights", error.message, error.remedy));
    };
    const bool isLocal = spec.launch.method == config::LaunchMethod::Local;
    std::error_code unreadable;
    if (!isLocal && !std::filesystem::exists(folder / weights.file, unreadable)) {
        say(Severity::Warning,
            {ErrorCode::BadInput,
             fmt::format("model.initial_weights: {} is not on {}; the host of process 0 needs it",
                         (folder / weights.file).string(), hostName()),
             "Put it there, or name a file that it sees."});
        return;
    }
    auto facts = config::knownFacts(spec.data);
    if (!facts && data::namedBytes(spec.data, folder) <= data::kMostBytesLookedAt)
        if (auto found = data::readDataFacts(spec.data, folder)) facts = std::move(*found);
    const auto graph = facts ? model::buildGraph(config::descriptionOf(spec.model), *facts)
                             : tl::expected<model::Graph, model::Problem>(model::Graph{});
    if (!graph) return;  // said already
    const auto read =
        graph->nodes.empty()
            ? exchange::checkWeightsFile(weights, folder)
            : exchange::readInitialWeights(weights, folder, *graph).map([](auto&&) {});
    if (!read) say(Severity::Error, read.error());
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

std::vector<Finding> findingsHere(const config::JobDocument& job,
                                  const std::filesystem::path& jobFolder,
                                  const Environment& environment) {
    std::vector<Finding> findings;
    if (job.spec().launch.runsOwnProgram()) {
        findCommand(job, jobFolder, environment, findings);
    } else {
        if (findData(job, jobFolder, findings)) {
            findOrder(job, jobFolder, findings);
            findModel(job, jobFolder, findings);
        }
        findWeights(job, jobFolder, findings);
    }
    return findings;
}

}  // namespace lockstep::launch
