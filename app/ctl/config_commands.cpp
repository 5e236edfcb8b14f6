// SPDX-License-Identifier: Apache-2.0
// lockstepctl lint and env: what a job file says, and the same cluster in other programs' words.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/ctl/commands.h"
#include "app/ctl/job_argument.h"
#include "app/error_output.h"
#include "core/config/dialects.h"

namespace lockstep::app {

namespace {

void printFinding(const config::Finding& finding) {
    const std::string severity(toString(finding.severity));
    std::fprintf(stderr, "%s: %s: %s\n  %s\n", severity.c_str(), finding.place.c_str(),
                 finding.message.c_str(), finding.remedy.c_str());
}

/// All findings with their remedies; 2 when one of them is an error. Only the first error has a
/// line that begins with `error: `: that is what other programs look for.
int lint(const std::string& file) {
    auto document = loadJob(file);
    if (!document) return report(document.error());
    const config::Finding* first = nullptr;
    for (const config::Finding& finding : document->findings()) {
        if (finding.severity != config::Severity::Error) {
            printFinding(finding);
        } else if (first == nullptr) {
            first = &finding;
        } else {
            std::fprintf(stderr, "also: %s: %s\n  %s\n", finding.place.c_str(),
                         finding.message.c_str(), finding.remedy.c_str());
        }
    }
    if (first != nullptr) return report(config::toError(*first));
    const config::ClusterSpec& cluster = document->spec().cluster;
    std::printf("%s can be launched: %d processes, %d replicas\n", file.c_str(),
                cluster.numProcesses, cluster.replicaCount());
    return 0;
}

struct EnvArguments {
    JobArgument job;
    std::string dialect = "keras";
    int processId = -1;
    bool evaluator = false;
};

int printEnv(const EnvArguments& arguments) {
    auto job = resolveJob(arguments.job);
    if (!job) return report(job.error());
    auto dialect = config::parseDialect(arguments.dialect);
    if (!dialect) return report(dialect.error());
    config::DialectTask task;
    if (arguments.processId >= 0) task.processId = arguments.processId;
    task.evaluator = arguments.evaluator;
    auto text = config::printDialect(job->spec, *dialect, task);
    if (!text) return report(text.error());
    for (const std::string& note : text->notes)
        std::fprintf(stderr, "note: %s\n", note.c_str());
    std::fputs(text->text.c_str(), stdout);
    return 0;
}

}  // namespace

Command addLintCommand(CLI::App& program) {
    auto file = std::make_shared<std::string>();
    CLI::App* command = program.add_subcommand("lint", "name every mistake of a job file");
    command->add_option("job", *file, "the job file")->required();
    return [file] { return lint(*file); };
}

Command addEnvCommand(CLI::App& program) {
    auto arguments = std::make_shared<EnvArguments>();
    CLI::App* command =
        program.add_subcommand("env", "print the job's cluster as other programs take it");
    command->add_option("job", arguments->job.file, "the job file")->required();
    command
        ->add_option("--dialect", arguments->dialect, "keras, jax, tf_config, torchrun or hostfile")
        ->required();
    auto* process =
        command->add_option("--process", arguments->processId, "the process id it is for")
            ->check(CLI::NonNegativeNumber);
    command->add_flag("--evaluator", arguments->evaluator, "it is for the evaluator")
        ->excludes(process);
    return [arguments] { return printEnv(*arguments); };
}

}  // namespace lockstep::app
