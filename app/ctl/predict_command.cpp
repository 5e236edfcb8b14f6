// SPDX-License-Identifier: Apache-2.0
// lockstepctl predict: what a trained network says of files.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "app/ctl/commands.h"
#include "app/ctl/run_folders.h"
#include "app/terminal/error_output.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/text/json.h"
#include "core/train/handover/input_file.h"
#include "core/train/handover/predictor.h"

namespace lockstep::app {

namespace {

using text::Json;

struct PredictArguments {
    std::string run;
    std::vector<std::string> files;
    int top = 3;
    bool json = false;
    bool best = false;
};

/// Prints what is predicted, file by file.
class PredictionPrinter {
public:
    explicit PredictionPrinter(const PredictArguments& arguments) : arguments_(arguments) {
        for (const std::string& file : arguments.files)
            width_ = std::max(width_, file.size());
    }

    /// `index`: of a sample among several of its file.
    void add(const std::string& file, std::optional<std::uint32_t> index,
             const train::Prediction& prediction) {
        if (arguments_.json)
            addJson(file, index, prediction);
        else
            printLine(file, index, prediction);
    }

    void addFailure(const std::string& file, const Error& error) {
        ++failures_;
        std::fprintf(stderr, "warning: %s\n", error.message.c_str());
        if (arguments_.json)
            list_.push_back(Json::object({{"file", file}, {"error", error.message}}));
    }

    int finish() {
        if (arguments_.json) std::printf("%s\n", Json(std::move(list_)).text(2).c_str());
        if (std::fflush(stdout) != 0) return report(outputFailure());
        if (failures_ == 0) return 0;
        printError(fmt::format("{} of {} could not be predicted", failures_,
                               counted(arguments_.files.size(), "file")),
                   "The warnings say why; all others were predicted.");
        return 1;
    }

private:
    void addJson(const std::string& file, std::optional<std::uint32_t> index,
                 const train::Prediction& prediction) {
        Json entry = Json::object({{"file", file}});
        if (index) entry["index"] = *index;
        Json::List classes;
        for (const train::RankedClass& one : prediction.classes)
            classes.push_back(Json::object(
                {{"class", one.name}, {"index", one.index}, {"probability", one.probability}}));
        if (!classes.empty()) entry["classes"] = Json(std::move(classes));
        for (const train::PredictedValue& one : prediction.values)
            entry["values"][one.name] = one.value;
        list_.push_back(std::move(entry));
    }

    void printLine(const std::string& file, std::optional<std::uint32_t> index,
                   const train::Prediction& prediction) const {
        const std::string name = index ? fmt::format("{}[{}]", file, *index) : file;
        std::string line = fmt::format("{:<{}}", sanitizeLine(name, 200), width_);
        for (const train::RankedClass& one : prediction.classes)
            line += fmt::format("  {} {:.4f}", sanitizeLine(one.name, 60), one.probability);
        for (const train::PredictedValue& one : prediction.values)
            line += fmt::format("  {} {:.6g}", sanitizeLine(one.name, 60), one.value);
        std::printf("%s\n", line.c_str());
    }

    const PredictArguments& arguments_;
    std::size_t width_ = 0;
    std::size_t failures_ = 0;
    Json::List list_;
};

Result<void> predictFile(train::Predictor& predictor, const std::string& file,
                         PredictionPrinter& printer) {
    const auto split = TRY(train::readInputFile(file, predictor.saved().samples));
    const bool isOne = split.count == 1;
    return predictor.predict(split, [&](std::uint32_t index, const train::Prediction& prediction) {
        printer.add(file, isOne ? std::nullopt : std::optional(index), prediction);
    });
}

int predict(const PredictArguments& arguments) {
    auto folder = findRun(arguments.run);
    if (!folder) return report(folder.error());
    const auto which =
        arguments.best ? train::WhichCheckpoint::Best : train::WhichCheckpoint::Newest;
    auto saved = train::openSaved(*folder, which, [](const std::string& sentence) {
        std::fprintf(stderr, "warning: %s\n", sentence.c_str());
    });
    if (!saved) return report(saved.error());
    auto predictor =
        train::Predictor::make(std::move(*saved), static_cast<std::size_t>(arguments.top));
    if (!predictor) return report(predictor.error());
    PredictionPrinter printer(arguments);
    for (const std::string& file : arguments.files)
        if (const auto done = predictFile(**predictor, file, printer); !done)
            printer.addFailure(file, done.error());
    return printer.finish();
}

}  // namespace

Command addPredictCommand(CommandLine& program) {
    auto arguments = std::make_shared<PredictArguments>();
    ArgumentList command =
        program.addCommand("predict", "ask a trained network about images, prepared as its job's");
    command.add("run", arguments->run, "the run's folder, its id, or a checkpoint's folder")
        .required();
    command
        .addAll("files", arguments->files,
                "JPEG and PNG images; IDX files with images of the network's size")
        .required();
    command.add("--top", arguments->top, "how many classes of each, the most probable first")
        .between(1, 1000)
        .showingDefault();
    command.addFlag("--json", arguments->json, "as JSON");
    command.addFlag("--best", arguments->best,
                    "the checkpoint that checkpoints/BEST names instead of the newest");
    return [arguments] { return predict(*arguments); };
}

}  // namespace lockstep::app
