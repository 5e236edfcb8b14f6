// SPDX-License-Identifier: Apache-2.0
// lockstepctl lint and env: what a job file says, and the same cluster in other programs' words.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/ctl/commands.h"
#include "app/ctl/memory_note.h"
#include "app/terminal/colour.h"
#include "app/terminal/error_output.h"
#include "app/terminal/job_argument.h"
#include "core/base/environment.h"
#include "core/base/file.h"
#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/config/dialects/dialect_readers.h"
#include "core/config/dialects/dialects.h"
#include "core/config/document/environment_lint.h"
#include "core/config/job/model_spec.h"
#include "core/config/lint/known_dataset.h"
#include "core/data/data_facts.h"
#include "core/launch/findings_here.h"
#include "core/model/build_graph.h"
#include "core/model/report.h"

namespace lockstep::app {

namespace {

Result<std::string> readStandardInput(std::size_t limit) {
    std::string text;
    char block[4096];
    while (const std::size_t count = std::fread(block, 1, sizeof block, stdin)) {
        text.append(block, count);
        if (text.size() > limit)
            return fail(ErrorCode::BadInput, "standard input: the text is too long",
                        "Paste what describes the cluster alone.");
    }
    return text;
}

/// All findings with their remedies; 2 when one of them is an error, which is then the last. Only
/// the first error has a line that begins with `error: `: that is what other programs look for.
int printFindings(const std::vector<config::Finding>& findings) {
    const config::Finding* first = nullptr;
    for (const config::Finding& finding : findings) {
        const bool error = finding.severity == config::Severity::Error;
        if (error && first == nullptr) {
            first = &finding;
            continue;
        }
        const std::string word(error ? "also" : toString(finding.severity));
        say(stderr, word, finding.place + ": " + finding.message);
        std::fprintf(stderr, "  %s\n", finding.remedy.c_str());
    }
    return first == nullptr ? 0 : report(config::toError(*first));
}

struct LintArguments {
    std::string file;
    bool environment = false;
    bool model = false;
};

/// What the network must know of the job's data; read from their files where only these tell.
Result<model::DataFacts> dataFacts(const config::JobSpec& spec, const std::string& file) {
    if (auto known = config::knownFacts(spec.data)) return *std::move(known);
    std::error_code error;
    const auto folder = std::filesystem::absolute(file, error).parent_path();
    return data::readDataFacts(spec.data, folder);
}

/// The network's layers with shapes, parameters and work, on standard output.
int printModel(const config::JobSpec& spec, const std::string& file) {
    if (spec.launch.runsOwnProgram())
        return report({ErrorCode::BadInput, file + " has no model: launch.command is what trains",
                       "Leave out --model."});
    const auto facts = dataFacts(spec, file);
    if (!facts) return report(facts.error());
    const auto graph = model::buildGraph(config::descriptionOf(spec.model), *facts);
    if (!graph)
        return report({ErrorCode::BadInput, file + ": " + model::sentenceOf(graph.error()),
                       graph.error().remedy});
    std::fputs(model::reportText(*graph).c_str(), stdout);
    return 0;
}

/// What is wrong with the file, and what it names that this machine lacks.
std::vector<config::Finding> findingsOf(const config::JobDocument& job, const std::string& file) {
    std::vector<config::Finding> all = job.findings();
    std::error_code error;
    const auto folder = std::filesystem::absolute(file, error).parent_path();
    for (config::Finding& finding : launch::findingsHere(job, folder, Environment::ofThisProcess()))
        all.push_back(std::move(finding));
    const bool isSound = std::ranges::none_of(
        all, [](const config::Finding& one) { return one.severity == config::Severity::Error; });
    if (isSound)
        if (auto note = memoryNote(job, folder)) all.push_back(*std::move(note));
    return all;
}

/// The environment, under the job file where there is one. Its values go to standard output.
int lintWithEnvironment(const config::JobDocument* job, const std::string& file) {
    auto found = config::lintEnvironment(Environment::ofThisProcess(), job);
    if (found.lines.empty()) std::puts("this environment says nothing of a cluster");
    for (const std::string& line : found.lines)
        std::puts(line.c_str());
    std::fflush(stdout);
    std::vector<config::Finding> all;
    if (job != nullptr) all = findingsOf(*job, file);
    all.insert(all.end(), found.findings.begin(), found.findings.end());
    return printFindings(all);
}

/// What the number of replicas does not say yet.
const char* onGpusWords(const config::JobSpec& spec) {
    if (spec.launch.runsOwnProgram()) return "";
    const config::ClusterSpec& cluster = spec.cluster;
    const bool open = cluster.devicesPerProcess == config::ClusterSpec::kAllDevices;
    if (!open || cluster.device == config::DeviceKind::Cpu) return "";
    return " (cluster.devices_per_process is \"all\": on GPUs one for each of a process's GPUs)";
}

int lint(const LintArguments& arguments) {
    if (arguments.file.empty() && !arguments.environment)
        return report({ErrorCode::BadInput, "there is nothing to lint",
                       "Name a job file, or give --env for this environment."});
    if (arguments.file.empty() && arguments.model)
        return report({ErrorCode::BadInput,
                       "--model shows the network of a job file, and none is named",
                       "Write for example lockstepctl lint --model job.toml."});
    if (arguments.file.empty()) return lintWithEnvironment(nullptr, {});
    auto document = loadJob(arguments.file);
    if (!document) return report(document.error());
    const int status = arguments.environment ? lintWithEnvironment(&*document, arguments.file)
                                             : printFindings(findingsOf(*document, arguments.file));
    if (status != 0) return status;
    if (arguments.model) return printModel(document->spec(), arguments.file);
    const config::ClusterSpec& cluster = document->spec().cluster;
    std::printf("%s can be launched: %s, %s%s\n", arguments.file.c_str(),
                counted(cluster.numProcesses, "process").c_str(),
                counted(cluster.replicaCount(), "replica").c_str(), onGpusWords(document->spec()));
    return 0;
}

struct EnvArguments {
    JobArgument job;
    std::string dialect;
    std::string pasted;  ///< The file whose cluster replaces the job's; "-": standard input.
    int processId = -1;
    bool evaluator = false;
};

/// The job with what the pasted text says of its cluster, and whom that text is for.
struct Translation {
    config::JobDocument job;
    config::DialectTask task;
};

std::string placeOf(const EnvArguments& arguments) {
    return arguments.pasted == "-" ? "standard input" : arguments.pasted;
}

Result<Translation> translate(const EnvArguments& arguments) {
    auto text = TRY(arguments.pasted == "-" ? readStandardInput(config::kPasteLimitBytes)
                                            : readFile(arguments.pasted, config::kPasteLimitBytes));
    auto reading = config::readAny(text);
    if (!reading) return failWithin(placeOf(arguments), reading.error());
    for (const std::string& note : reading->notes)
        say(stderr, "note", note);
    for (const config::Finding& finding : reading->findings)
        say(stderr, toString(finding.severity), finding.message);
    auto document =
        TRY(arguments.job.file.empty() ? Result<config::JobDocument>(config::JobDocument::lenient(
                                             "[cluster]\n", placeOf(arguments)))
                                       : loadJob(arguments.job.file));
    TRY(config::applyFacts(document, reading->facts));
    config::DialectTask task;
    const auto& facts = reading->facts;
    task.evaluator = facts.role && facts.role->value == config::ProcessRole::Evaluator;
    if (facts.processId && !task.evaluator) task.processId = facts.processId->value;
    return Translation{std::move(document), task};
}

int printDialectOf(const config::JobSpec& spec, const EnvArguments& arguments,
                   config::DialectTask task) {
    auto dialect = config::parseDialect(arguments.dialect);
    if (!dialect) return report(dialect.error());
    if (arguments.evaluator || arguments.processId >= 0) task = {};
    if (arguments.processId >= 0) task.processId = arguments.processId;
    task.evaluator = task.evaluator || arguments.evaluator;
    auto text = config::printDialect(spec, *dialect, task);
    if (!text) return report(text.error());
    for (const std::string& note : text->notes)
        say(stderr, "note", note);
    std::fputs(text->text.c_str(), stdout);
    return 0;
}

int printEnv(const EnvArguments& arguments) {
    if (!arguments.pasted.empty()) {
        auto translation = translate(arguments);
        if (!translation) return report(translation.error());
        if (!arguments.dialect.empty())
            return printDialectOf(translation->job.spec(), arguments, translation->task);
        std::fputs(translation->job.text().c_str(), stdout);
        return 0;
    }
    if (arguments.job.file.empty() || arguments.dialect.empty())
        return report({ErrorCode::BadInput, "env takes a job file and --dialect, or --from",
                       "Write for example lockstepctl env job.toml --dialect keras."});
    auto job = resolveJob(arguments.job);
    if (!job) return report(job.error());
    return printDialectOf(job->spec, arguments, {});
}

}  // namespace

Command addLintCommand(CommandLine& program) {
    auto arguments = std::make_shared<LintArguments>();
    ArgumentList command =
        program.addCommand("lint", "name every mistake of a job file or an environment");
    command.add("job", arguments->file, "the job file");
    command.addFlag("--env", arguments->environment,
                    "what this environment says of the cluster, under the job file");
    command.addFlag("--model", arguments->model,
                    "the job's network: each layer's shape, parameters, FLOPs and bytes");
    return [arguments] { return lint(*arguments); };
}

Command addEnvCommand(CommandLine& program) {
    auto arguments = std::make_shared<EnvArguments>();
    ArgumentList command =
        program.addCommand("env", "print the job's cluster as other programs take it");
    command.add("job", arguments->job.file, "the job file");
    command.add("--dialect", arguments->dialect, "keras, jax, tf_config, torchrun or hostfile");
    command.add("--from", arguments->pasted,
                "a text of another program (- is standard input), whose cluster replaces "
                "the job's; without --dialect the job file is printed with it");
    const Argument process =
        command.add("--process", arguments->processId, "the process id it is for").notNegative();
    command.addFlag("--evaluator", arguments->evaluator, "it is for the evaluator")
        .excluding(process);
    return [arguments] { return printEnv(*arguments); };
}

}  // namespace lockstep::app
