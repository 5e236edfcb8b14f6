// SPDX-License-Identifier: Apache-2.0
// lockstepctl evaluate: scores what a run has come to, or each as it appears.
#include <fmt/format.h>

#include <cstdio>

#include "app/ctl/commands.h"
#include "app/ctl/evaluation_output.h"
#include "app/ctl/run_folders.h"
#include "app/terminal/error_output.h"
#include "core/base/file.h"
#include "core/text/json.h"
#include "core/train/checkpoints/checkpoint_scorer.h"

namespace lockstep::app {

namespace {

using text::Json;

struct EvaluateArguments {
    std::string run;
    std::string json;
    bool watch = false;
    bool best = false;
};

int evaluate(const EvaluateArguments& arguments) {
    auto folder = findRun(arguments.run);
    if (!folder) return report(folder.error());
    auto scorer = train::CheckpointScorer::open(*folder, [](const std::string& sentence) {
        std::fprintf(stderr, "warning: %s\n", sentence.c_str());
    });
    if (!scorer) return report(scorer.error());
    Json scores = Json::List();
    const auto take = [&](const wire::Evaluation& evaluation) -> Result<void> {
        std::fputs(evaluationText(evaluation).c_str(), stdout);
        // What is to be kept is kept although nobody can read it here.
        const bool isWritten = std::fflush(stdout) == 0 || !arguments.json.empty();
        if (!isWritten) return fail(outputFailure());
        scores.push(evaluationJson(evaluation));
        if (arguments.json.empty()) return {};
        return replaceFileDurably(arguments.json, scores.text(2) + "\n");
    };
    auto done = arguments.watch  ? (*scorer)->watch(take)
                : arguments.best ? (*scorer)->scoreBest(take)
                                 : (*scorer)->scoreResult(take);
    return done ? finishOutput() : report(done.error());
}

}  // namespace

Command addEvaluateCommand(CommandLine& program) {
    auto arguments = std::make_shared<EvaluateArguments>();
    ArgumentList command = program.addCommand(
        "evaluate",
        "score what a run has come to on validation and test data: its newest checkpoint, "
        "or the best one where it has ended with that");
    command.add("run", arguments->run, "the run's folder, or its id").required();
    const Argument watch = command.addFlag(
        "--watch", arguments->watch,
        "score checkpoints as they appear and while they are kept, until the run ends");
    command
        .addFlag("--best", arguments->best,
                 "the checkpoint that checkpoints/BEST names, in any case")
        .excluding(watch);
    command.add("--json", arguments->json, "also write the scores to this file");
    return [arguments] { return evaluate(*arguments); };
}

}  // namespace lockstep::app
