// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/coordination/state/job_rules.h"
#include "core/coordination/state/outcome.h"
#include "core/coordination/state/process_key.h"

namespace lockstep::coordination {

/// Which committed checkpoints wait to be scored, who scores which, and what became of the others.
/// Each is handed out once, in order, and again when whoever had it is lost; one that is handed out
/// is never given up, so that none is both scored and named as not scored. Pure.
class ScoringLedger {
public:
    explicit ScoringLedger(const ScoringRules& rules) : rules_(rules) {}

    /// A checkpoint that nobody scores, and why: "evaluation takes 4.1 s, checkpoints come every
    /// 1.2 s".
    struct GivenUp {
        std::int64_t step = 0;
        std::string why;
    };
    /// What an evaluator is to do.
    struct Work {
        enum class Kind : std::uint8_t { None, Checkpoint, Test, Over };
        Kind kind = Kind::None;
        std::int64_t step = 0;  ///< Of Checkpoint.
    };

    /// A generation begins: nobody has anything, and nothing is handed out before its chief has
    /// said what is there.
    void beginGeneration();
    /// The chief begins: `newest` is the last checkpoint that lies there, 0 without any; whatever
    /// came behind it is trained again. `present` have not been scored; `tested` were scored on the
    /// test data before.
    [[nodiscard]] std::vector<GivenUp> begin(std::int64_t newest,
                                             const std::vector<std::int64_t>& present,
                                             const std::vector<std::int64_t>& tested);
    /// A checkpoint has been committed. Those that make way for it. One that is known already, as
    /// by a question that was repeated, changes nothing.
    [[nodiscard]] std::vector<GivenUp> offer(std::int64_t step, Nanos now);
    /// What retention leaves alone: all that wait or are being scored.
    [[nodiscard]] std::vector<std::int64_t> spared() const;

    /// What `evaluator` does next; the same again while it has not said that it is done.
    [[nodiscard]] Work next(const ProcessKey& evaluator, Nanos now);
    /// It is done with the checkpoint that it had. `scored`: with a score; else it said why not.
    void done(const ProcessKey& evaluator, std::int64_t step, bool scored, Nanos now);
    /// It is done with the test data, where it had them.
    void tested(const ProcessKey& evaluator);
    /// It is lost: what it had waits for another one, unless a newer one does and is preferred.
    [[nodiscard]] std::vector<GivenUp> lose(const ProcessKey& evaluator, Nanos now);
    /// Nobody scores any more, because of `why`, until somebody comes.
    [[nodiscard]] std::vector<GivenUp> closeAll(const std::string& why);
    void reopen() { closedBy_.reset(); }

    /// No checkpoint comes any more: when all are scored, the test data follow.
    void endTraining() { trainingEnded_ = true; }
    /// Somebody has had work since `since` or later, and has not said that it is done.
    [[nodiscard]] bool isScoring(Nanos since) const;
    /// It has something that it has not said it is done with.
    [[nodiscard]] bool hasWork(const ProcessKey& evaluator) const {
        return taken_.contains(evaluator);
    }
    /// That is the test data.
    [[nodiscard]] bool isTesting(const ProcessKey& evaluator) const {
        const auto taken = taken_.find(evaluator);
        return taken != taken_.end() && taken->second.work.kind == Work::Kind::Test;
    }
    [[nodiscard]] const std::set<std::int64_t>& testedSteps() const { return tested_; }
    [[nodiscard]] ScoringTally tally() const;

private:
    struct Taken {
        Work work;
        Nanos since{};
    };
    enum class Test : std::uint8_t { Due, Taken, Done };

    [[nodiscard]] bool isTaken(std::int64_t step) const;
    [[nodiscard]] bool isKnown(std::int64_t step) const;
    [[nodiscard]] std::string reason(Nanos now) const;
    [[nodiscard]] std::vector<GivenUp> makeRoom(Nanos now);
    void release(const ProcessKey& evaluator);

    const ScoringRules rules_;
    std::deque<std::int64_t> waiting_;  ///< In the order in which they were committed.
    std::map<ProcessKey, Taken> taken_;
    std::set<std::int64_t> scored_;
    std::set<std::int64_t> failed_;  ///< Given up, or without a score.
    std::set<std::int64_t> tested_;
    Test test_ = Test::Due;
    bool begun_ = false;
    bool trainingEnded_ = false;
    std::optional<std::string> closedBy_;
    // How long an evaluation takes, and how often checkpoints come.
    double scoringSeconds_ = 0;
    std::size_t scorings_ = 0;
    std::optional<Nanos> firstOffer_;
    Nanos lastOffer_{};
    std::size_t offers_ = 0;
};

}  // namespace lockstep::coordination
