// SPDX-License-Identifier: Apache-2.0
// lockstepctl export: a run's numbers, a job or a trained network in the forms of other programs.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "app/ctl/commands.h"
#include "app/ctl/run_folders.h"
#include "app/terminal/colour.h"
#include "app/terminal/error_output.h"
#include "app/terminal/job_argument.h"
#include "core/base/file.h"
#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/config/dialects/kubernetes_manifest.h"
#include "core/job/report/html_report.h"
#include "core/job/report/trace_file.h"
#include "core/job/source/remote_record.h"
#include "core/run/run_folder.h"
#include "core/telemetry/csv_export.h"
#include "core/telemetry/trace_export.h"
#include "core/train/handover/export_network.h"

namespace lockstep::app {

namespace {

struct ExportArguments {
    std::string what;
    std::string format;
    std::string output;  ///< Empty: standard output, or a name of its own; "-": standard output.
    bool best = false;
    config::KubernetesPlaces places;
    std::vector<Argument> ofManifest;
    std::string from;
    std::string to;
    std::string last;
    std::vector<Argument> ofWindow;
};

Result<void> print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return {};
    return fail(outputFailure());
}

Result<void> flush() {
    return std::fflush(stdout) == 0 ? Result<void>{} : fail(outputFailure());
}

int exportRun(const std::string& name) {
    auto folder = findRun(name);
    if (!folder) return report(folder.error());
    const run::RunPaths paths{*folder};
    auto exported = telemetry::exportCsv(paths.journal(), print);
    if (auto flushed = flush(); exported && !flushed) exported = fail(flushed.error());
    if (!exported) return report(exported.error());
    if (run::isLocked(paths)) exported->torn = 0;  // it is being written
    const std::string missing = telemetry::describe(*exported);
    if (missing.empty()) return 0;
    return report({ErrorCode::Corrupt, missing, "All that can be read was written."});
}

int exportManifest(const ExportArguments& arguments) {
    JobArgument argument;
    argument.file = arguments.what;
    auto job = resolveJob(argument);
    if (!job) return report(job.error());
    auto manifest = config::kubernetesManifest(job->spec, arguments.places);
    if (!manifest) return report(manifest.error());
    for (const std::string& note : manifest->notes)
        say(stderr, "note", note);
    std::fputs(manifest->text.c_str(), stdout);
    const auto flushed = flush();
    return flushed ? 0 : report(flushed.error());
}

/// The network of a run or checkpoint, to a file that is named after job and step unless told.
Result<void> exportNetwork(const ExportArguments& arguments) {
    const auto folder = TRY(findRun(arguments.what));
    TRY(job::checkThatCheckpointsAreHere(folder));
    const auto which =
        arguments.best ? train::WhichCheckpoint::Best : train::WhichCheckpoint::Result;
    const auto saved = TRY(train::openSaved(
        folder, which, [](const std::string& sentence) { say(stderr, "warning", sentence); }));
    const std::string bytes = TRY(arguments.format == "onnx" ? train::exportOnnx(saved)
                                                             : train::exportSafetensors(saved));
    if (arguments.output == "-") {
        TRY(print(bytes));
        return flush();
    }
    const std::string file = !arguments.output.empty()
                                 ? arguments.output
                                 : fmt::format("{}-step-{}.{}", run::fileName(saved.job.name),
                                               saved.state.step, arguments.format);
    TRY(replaceFileDurably(file, bytes));
    TRY(print(fmt::format("{}: the network of step {}, {:.1f} MB\n", file, saved.state.step,
                          static_cast<double>(bytes.size()) / 1e6)));
    return flush();
}

/// The run as a page, to a file that is named after its folder unless told.
Result<void> exportPage(const ExportArguments& arguments) {
    const auto folder = TRY(findRun(arguments.what));
    if (arguments.output == "-") {
        TRY(print(job::htmlReport(TRY(job::readRunRecord(folder)))));
        return flush();
    }
    const std::string file =
        arguments.output.empty() ? job::reportFileName(folder) : arguments.output;
    TRY(job::writeHtmlReport(folder, file));
    TRY(print(fmt::format("{}: the run as a page that opens in any browser\n", file)));
    return flush();
}

Result<telemetry::TraceWindow> windowOf(const ExportArguments& arguments) {
    telemetry::TraceWindow window;
    if (!arguments.from.empty())
        window.from = TRY(telemetry::parseTraceBound(arguments.from, "--from"));
    if (!arguments.to.empty()) window.to = TRY(telemetry::parseTraceBound(arguments.to, "--to"));
    if (!arguments.last.empty())
        window.last = TRY(telemetry::parseTraceBound(arguments.last, "--last"));
    return window;
}

/// To standard output.
Result<job::WrittenTrace> printTrace(const run::RunPaths& paths,
                                     const telemetry::TraceWindow& window) {
    auto account = TRY(telemetry::exportTrace(paths.journal(), window, print));
    TRY(flush());
    if (run::isLocked(paths)) account.check.torn = 0;  // it is being written
    return job::WrittenTrace{account.counts.steps, account.bytes, telemetry::describe(account),
                             telemetry::describe(account.check)};
}

/// The run as a timeline, to a file that is named after its folder unless told.
int exportTimeline(const ExportArguments& arguments) {
    const auto window = windowOf(arguments);
    if (!window) return report(window.error());
    const auto folder = findRun(arguments.what);
    if (!folder) return report(folder.error());
    const run::RunPaths paths{*folder};
    const std::string file =
        arguments.output.empty() ? job::traceFileName(*folder) : arguments.output;
    const auto written =
        file == "-" ? printTrace(paths, *window) : job::writeTraceFile(*folder, *window, file);
    if (!written) return report(written.error());
    for (const std::string& sentence : written->remarks)
        say(stderr, "note", sentence);
    if (file != "-") {
        const auto said = print(fmt::format(
            "{}: {} of replicas, {:.1f} MB; opens at ui.perfetto.dev\n", file,
            counted(written->steps, "step"), static_cast<double>(written->bytes) / 1e6));
        if (!said) return report(said.error());
        if (const auto flushed = flush(); !flushed) return report(flushed.error());
    }
    if (written->missing.empty()) return 0;
    return report({ErrorCode::Corrupt, written->missing, "All that can be read was written."});
}

int runExport(const ExportArguments& arguments) {
    if (arguments.format != "k8s")
        if (const auto fits = refuseGiven(arguments.ofManifest, "is for k8s"); !fits)
            return report(fits.error());
    if (arguments.format != "perfetto")
        if (const auto fits = refuseGiven(arguments.ofWindow, "is for perfetto"); !fits)
            return report(fits.error());
    const bool isNetwork = arguments.format == "safetensors" || arguments.format == "onnx";
    if (isNetwork) {
        const auto done = exportNetwork(arguments);
        return done ? 0 : report(done.error());
    }
    if (arguments.best)
        return report(
            {ErrorCode::BadInput,
             fmt::format("--best is of a network, and --format {} is not", arguments.format),
             "Leave it out, or write the network: --format safetensors or onnx."});
    if (arguments.format == "html") {
        const auto done = exportPage(arguments);
        return done ? 0 : report(done.error());
    }
    if (arguments.format == "perfetto") return exportTimeline(arguments);
    if (!arguments.output.empty() && arguments.output != "-")
        return report(
            {ErrorCode::BadInput,
             fmt::format("--format {} is written to standard output, and whole", arguments.format),
             "--output is for html, perfetto, safetensors and onnx; write > FILE instead."});
    return arguments.format == "csv" ? exportRun(arguments.what) : exportManifest(arguments);
}

}  // namespace

Command addExportCommand(CommandLine& program) {
    auto arguments = std::make_shared<ExportArguments>();
    ArgumentList command = program.addCommand(
        "export", "write a run's numbers, its network, or a job in another program's form");
    command
        .add("run", arguments->what,
             "the run's folder, or its id; safetensors, onnx: also a checkpoint's folder; k8s: a "
             "job file")
        .required();
    command
        .add("--format", arguments->format,
             "csv: every number of the run; html: the run as one page to hand to others; "
             "perfetto: all its processes on one timeline; "
             "safetensors: the network's weights with PyTorch's "
             "names; onnx: the network itself; k8s: a Kubernetes manifest that starts the job")
        .required()
        .oneOf({"csv", "html", "perfetto", "safetensors", "onnx", "k8s"});
    command.add("-o,--output", arguments->output,
                "safetensors, onnx, html, perfetto: the file, by default NAME-step-N.FORMAT, "
                "RUN.html or RUN.pftrace; - is "
                "standard output");
    command.addFlag("--best", arguments->best,
                    "safetensors, onnx: the checkpoint that checkpoints/BEST names, in any case");
    arguments->ofManifest = {
        command.add("--image", arguments->places.image, "k8s: the container image")
            .showingDefault(),
        command
            .add("--claim", arguments->places.claim,
                 "k8s: the claim of the volume that all pods share")
            .showingDefault()};
    const Argument from = command.add("--from", arguments->from,
                                      "perfetto: only what begins from here on: 90s, 1.5m or 2h "
                                      "after the run's begin, or a step, 1200");
    const Argument to = command.add("--to", arguments->to, "perfetto: only up to there, likewise");
    arguments->ofWindow = {from, to,
                           command
                               .add("--last", arguments->last,
                                    "perfetto: only the last 30s, or so many of the newest steps")
                               .excluding(from)
                               .excluding(to)};
    return [arguments] { return runExport(*arguments); };
}

}  // namespace lockstep::app
