// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// What one checkpoint says of one sample.
struct HistoryPoint {
    enum class State {
        Recorded,  ///< The evaluator kept its answer.
        Computed,  ///< It was asked.
        NotAsked,  ///< Its files are there.
        Failed,    ///< It was asked, and could not answer.
        Gone,      ///< Its files are gone, and nothing was recorded.
    };
    std::int64_t step = 0;
    State state = State::Gone;
    int truth = -1;       ///< Of what is known, as the next three.
    int prediction = -1;  ///< A class.
    float probability = 0;
    float truthProbability = 0;
    QString problem{};  ///< Why it could not answer: a sentence without its end.

    [[nodiscard]] bool isKnown() const {
        return state == State::Recorded || state == State::Computed;
    }
    [[nodiscard]] bool isRight() const { return isKnown() && prediction == truth; }
};
using History = std::vector<HistoryPoint>;  ///< In the order of steps.

/// What all checkpoints of a run say of the samples of a split, as far as it is known: what the
/// evaluator recorded, also of checkpoints whose files are gone, and what was computed since.
class SampleHistory {
public:
    /// Another run, or another split, forgets what was computed; a checkpoint that was written
    /// again forgets what it said.
    void setRun(const job::RunView& run, const std::string& split);
    /// What a checkpoint says that was asked.
    void add(std::int64_t step, const std::vector<job::EvaluationView::Sample>& answers);
    void addProblem(std::int64_t step, const QString& problem);
    void forgetProblems();

    [[nodiscard]] History of(int sample) const;
    /// The newest first, at most `most`: whose files are there, and whose answer about any of these
    /// samples is not known.
    [[nodiscard]] std::vector<std::int64_t> toAsk(const std::vector<std::uint32_t>& samples,
                                                  std::size_t most) const;

private:
    struct Answer {
        int truth = -1;
        int prediction = -1;
        float probability = 0;
        float truthProbability = 0;
    };
    struct Checkpoint {
        std::shared_ptr<const job::EvaluationView> evaluation{};
        double wallTime = 0;  ///< When its files were written; 0: it is not known.
        bool isStored = false;
        std::map<int, Answer> computed{};  ///< By the place in the split.
        QString problem{};
    };
    [[nodiscard]] static HistoryPoint pointOf(std::int64_t step, const Checkpoint& checkpoint,
                                              int sample);

    std::filesystem::path runDir_;
    std::string split_;
    std::map<std::int64_t, Checkpoint> checkpoints_;
};

/// "Right since step 4 500. It changed its mind 3 times, last at step 4 500." Empty where no answer
/// is known. What lies between known answers is not guessed.
[[nodiscard]] QString historySentence(const History& history);
/// "Gone, with nothing recorded of this sample, and not asked: 7 of 12 checkpoints." Empty where
/// all answers are known.
[[nodiscard]] QString historyGaps(const History& history);

}  // namespace lockstep::ui
