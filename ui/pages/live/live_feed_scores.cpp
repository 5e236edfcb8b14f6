// SPDX-License-Identifier: GPL-3.0-or-later
// The scores among the replicas' curves: of each epoch's validation, of the checkpoints, of the
// test.
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/surface/live_chart.h"
#include "ui/pages/live/live_feed.h"

namespace lockstep::ui {

void LiveFeed::showScores(const job::RunView& view) {
    std::vector<Scored> validation;
    for (const job::EpochView& epoch : view.epochResults)
        if (epoch.validationLoss)
            validation.push_back({epoch.step, float(*epoch.validationLoss),
                                  float(epoch.validationAccuracy.value_or(NAN))});
    std::vector<Scored> evaluator;
    std::vector<Scored> test;
    for (const auto& evaluation : view.evaluations)
        if (evaluation->error.empty())
            (evaluation->split == "test" ? test : evaluator)
                .push_back(
                    {evaluation->step, float(evaluation->loss), float(evaluation->accuracy)});
    // They come in the order in which they were scored.
    std::ranges::stable_sort(evaluator, {}, &Scored::step);
    std::ranges::stable_sort(test, {}, &Scored::step);
    showScores(Scores::Validation, std::move(validation));
    showScores(Scores::Evaluator, std::move(evaluator));
    showScores(Scores::Test, std::move(test));
}

/// From the first one on that is another: a step replaces what is drawn from it on.
void LiveFeed::showScores(Scores scores, std::vector<Scored> points) {
    ScoreSeries& shown = scores_[std::size_t(scores)];
    const auto isSame = [](const Scored& was, const Scored& is) {
        const auto same = [](float a, float b) {
            return a == b || (std::isnan(a) && std::isnan(b));
        };
        return was.step == is.step && same(was.loss, is.loss) && same(was.accuracy, is.accuracy);
    };
    const auto fresh = std::ranges::mismatch(shown.drawn, points, isSame).in2;
    if (fresh == points.end() || seriesOf_.empty()) return;
    if (shown.series < 0) {
        shown.series = int(group_.series().size());
        group_.addSeries({{.name = scores == Scores::Evaluator ? tr("Evaluator")
                                   : scores == Scores::Test    ? tr("Test")
                                                               : tr("Validation"),
                           .colour = {},
                           .timesOf = seriesOf_[0],
                           .exact = true,
                           .scores = scores}});
    }
    for (auto point = fresh; point != points.end(); ++point) {
        charts_[Loss]->appendPoint(shown.series, point->step, point->loss);
        if (std::isfinite(point->accuracy))
            charts_[Accuracy]->appendPoint(shown.series, point->step, point->accuracy);
    }
    shown.drawn = std::move(points);
}

}  // namespace lockstep::ui
