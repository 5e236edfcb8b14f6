// SPDX-License-Identifier: Apache-2.0
// lockstepctl predict: what a trained network says of files, or how it continues a text.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "app/ctl/commands.h"
#include "app/ctl/prediction_printer.h"
#include "app/ctl/run_folders.h"
#include "app/terminal/colour.h"
#include "app/terminal/error_output.h"
#include "core/base/file.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/job/source/remote_record.h"
#include "core/train/handover/text_continuer.h"

namespace lockstep::app {

namespace {

constexpr std::uint64_t kLongestPrompt = 1 << 20;

struct PredictArguments {
    std::string run;
    std::vector<std::string> files;
    std::string prompt;
    int top = 3;
    int tokens = 200;
    double temperature = 0.8;
    int seed = 1;
    bool json = false;
    bool best = false;
    std::vector<Argument> ofText;     ///< Options of networks of text alone.
    std::vector<Argument> ofClasses;  ///< Of networks that tell classes.
};

Result<void> predictFile(train::Predictor& predictor, const std::string& file,
                         PredictionPrinter& printer) {
    const auto samples = TRY(train::readInputFile(file, predictor.saved().samples));
    for (const std::string& remark : samples.remarks)
        printer.remark(remark);
    if (samples.moreRemarks > 0)
        printer.remark(fmt::format("{}: and {}", sanitizeLine(file, 200),
                                   counted(samples.moreRemarks, "more such note")));
    for (const train::LeftOut& failure : samples.failures)
        printer.addFailure(file, samples, failure);
    return predictor.predict(samples.split,
                             [&](std::uint32_t index, const train::Prediction& prediction) {
                                 printer.add(file, samples, index, prediction);
                             });
}

int predictFiles(train::SavedNetwork saved, const PredictArguments& arguments) {
    auto fits = refuseGiven(arguments.ofText,
                            "is for networks of text; this one was trained on other samples");
    if (fits && saved.samples.targetKind != data::TargetKind::Class)
        fits = refuseGiven(arguments.ofClasses,
                           "is for networks that tell classes; this one gives "
                           "numbers");
    if (!fits) return report(fits.error());
    auto predictor =
        train::Predictor::make(std::move(saved), static_cast<std::size_t>(arguments.top));
    if (!predictor) return report(predictor.error());
    std::size_t width = 0;
    for (const std::string& file : arguments.files)
        width = std::max(width, file.size());
    PredictionPrinter printer(arguments.json, width);
    for (const std::string& file : arguments.files)
        if (const auto done = predictFile(**predictor, file, printer); !done)
            printer.addFailure(file, done.error().message, done.error().remedy);
    return printer.finish();
}

/// Continues prompts, with what it takes.
class Continuing {
public:
    Continuing(train::TextContinuer& continuer, const PredictArguments& arguments)
        : continuer_(continuer), arguments_(arguments), printer_(arguments.json, 0) {}

    Result<int> run() {
        TRY(refuseGiven(arguments_.ofClasses,
                        "is for networks that tell classes; this one continues text"));
        if (!arguments_.prompt.empty()) TRY(add({}, arguments_.prompt));
        for (const std::string& file : arguments_.files) {
            auto prompt = readFile(file, kLongestPrompt);
            const auto done = prompt ? add(file, *prompt) : Result<void>(fail(prompt.error()));
            if (!done) printer_.addFailure(file, done.error().message, done.error().remedy);
        }
        return printer_.finish();
    }

private:
    static std::string unknownIn(const std::string& name, const data::UnknownText& unknown) {
        return fmt::format("{}: {} of it {} not in the vocabulary and {}: {}",
                           name.empty() ? "--prompt" : sanitizeLine(name, 200),
                           counted(unknown.count, unknown.isKept ? "piece" : "character"),
                           unknown.count == 1 ? "is" : "are",
                           unknown.isKept ? "taken for the model's unknown token" : "left out",
                           joinWords(unknown.names));
    }

    Result<void> add(const std::string& name, const std::string& prompt) {
        const auto text =
            continuer_.continued(prompt, {.tokens = arguments_.tokens,
                                          .temperature = arguments_.temperature,
                                          .seed = static_cast<std::uint64_t>(arguments_.seed)});
        if (!text) return failWithin(name.empty() ? "--prompt" : name, text.error());
        if (text->unknown.count > 0) printer_.remark(unknownIn(name, text->unknown));
        printer_.addText(name, prompt, text->text);
        return {};
    }

    train::TextContinuer& continuer_;
    const PredictArguments& arguments_;
    PredictionPrinter printer_;
};

int continueTexts(train::SavedNetwork saved, const PredictArguments& arguments) {
    const auto continuer = train::TextContinuer::make(std::move(saved));
    if (!continuer) return report(continuer.error());
    const auto status = Continuing(**continuer, arguments).run();
    return status ? *status : report(status.error());
}

int predict(const PredictArguments& arguments) {
    if (arguments.files.empty() && arguments.prompt.empty())
        return report({ErrorCode::BadInput, "there is nothing to predict",
                       "Name files, or for a network of text give --prompt TEXT."});
    auto folder = findRun(arguments.run);
    if (!folder) return report(folder.error());
    if (const auto here = job::checkThatCheckpointsAreHere(*folder); !here)
        return report(here.error());
    const auto which =
        arguments.best ? train::WhichCheckpoint::Best : train::WhichCheckpoint::Result;
    auto saved = train::openSaved(
        *folder, which, [](const std::string& sentence) { say(stderr, "warning", sentence); });
    if (!saved) return report(saved.error());
    return saved->samples.targetKind == data::TargetKind::NextToken
               ? continueTexts(std::move(*saved), arguments)
               : predictFiles(std::move(*saved), arguments);
}

}  // namespace

Command addPredictCommand(CommandLine& program) {
    auto arguments = std::make_shared<PredictArguments>();
    ArgumentList command =
        program.addCommand("predict", "ask a trained network about files, or to continue a text");
    command.add("run", arguments->run, "the run's folder, its id, or a checkpoint's folder")
        .required();
    command.addAll("files", arguments->files,
                   "JPEG and PNG images, IDX files with images of the network's size, CSV tables "
                   "with the features' columns; of a network of text, files with prompts");
    arguments->ofClasses = {
        command.add("--top", arguments->top, "how many classes of each, the most probable first")
            .between(1, 1000)
            .showingDefault()};
    arguments->ofText = {
        command.add("--prompt", arguments->prompt, "a text to be continued"),
        command.add("--tokens", arguments->tokens, "by how many tokens a text is continued")
            .between(1, 1'000'000)
            .showingDefault(),
        command
            .add("--temperature", arguments->temperature,
                 "how freely tokens are drawn; 0: always the likeliest one")
            .notNegative()
            .showingDefault(),
        command.add("--seed", arguments->seed, "decides what is drawn")
            .notNegative()
            .showingDefault()};
    command.addFlag("--json", arguments->json, "as JSON");
    command.addFlag("--best", arguments->best,
                    "the checkpoint that checkpoints/BEST names, in any case");
    return [arguments] { return predict(*arguments); };
}

}  // namespace lockstep::app
