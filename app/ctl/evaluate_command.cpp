// SPDX-License-Identifier: Apache-2.0
// lockstepctl evaluate: scores what a run has come to, or each as it appears.
#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "app/ctl/commands.h"
#include "app/ctl/evaluation_output.h"
#include "app/ctl/run_folders.h"
#include "app/terminal/colour.h"
#include "app/terminal/error_output.h"
#include "core/base/file.h"
#include "core/job/source/remote_record.h"
#include "core/text/json.h"
#include "core/train/checkpoints/checkpoint_scorer.h"
#include "core/train/checkpoints/score_journal.h"

namespace lockstep::app {

namespace {

using text::Json;

struct EvaluateArguments {
    std::string run;
    std::string json;
    bool watch = false;
    bool best = false;
};

/// Keeps scores where the window finds them, as far as the run's records are ours to write.
class KeptScores {
public:
    explicit KeptScores(const std::filesystem::path& folder)
        : journal_(isCopy(folder)
                       ? fail(ErrorCode::Unavailable, "the run's records lie on another host")
                       : train::ScoreJournal::open(folder)) {
        if (!journal_) say(journal_.error());
    }

    void add(const wire::Evaluation& evaluation) {
        if (!journal_) return;
        if (auto added = journal_->add(evaluation); !added) say(added.error());
    }

private:
    static bool isCopy(const std::filesystem::path& folder) {
        const auto remote = job::readRemoteRecord(folder);
        return remote && remote->isCopy();
    }
    static void say(const Error& error) {
        app::say(stderr, "note", "the scores are not kept with the run: " + error.message);
    }

    Result<train::ScoreJournal> journal_;
};

int evaluate(const EvaluateArguments& arguments) {
    auto folder = findRun(arguments.run);
    if (!folder) return report(folder.error());
    if (const auto here = job::checkThatCheckpointsAreHere(*folder); !here)
        return report(here.error());
    auto scorer = train::CheckpointScorer::open(
        *folder, [](const std::string& sentence) { say(stderr, "warning", sentence); });
    if (!scorer) return report(scorer.error());
    std::optional<KeptScores> kept;
    if (!arguments.watch) kept.emplace(*folder);  // else the run goes on, and keeps its own
    Json scores = Json::List();
    const auto take = [&](const wire::Evaluation& evaluation) -> Result<void> {
        std::fputs(evaluationText(evaluation).c_str(), stdout);
        // What is to be kept is kept although nobody can read it here.
        const bool isWritten = std::fflush(stdout) == 0 || !arguments.json.empty();
        if (!isWritten) return fail(outputFailure());
        if (kept) kept->add(evaluation);
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
        "or the best one where it has ended with that; the scores of an ended run are kept "
        "with it, for the window to show");
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
