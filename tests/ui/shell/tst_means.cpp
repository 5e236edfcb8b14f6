// SPDX-License-Identifier: GPL-3.0-or-later
// The mean over a run's replicas, of the steps' figures and of named ones.
#include <QtTest>
#include <cmath>
#include <numeric>

#include "ui/models/replica_mean.h"
#include "ui/models/scalar_mean.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

// What ScalarMean is told: steps, values, as many replicas at every step; and what came of it.
std::vector<std::int64_t> at(std::vector<std::int64_t> steps) {
    return steps;
}
std::vector<double> of(std::vector<double> values) {
    return values;
}
ScalarMean::ReplicasAt replicas(int count) {
    return [count](std::int64_t) { return count; };
}
QString said(const ScalarMean::Piece& piece) {
    QStringList points;
    for (std::size_t i = 0; i < piece.steps.size(); ++i)
        points << QStringLiteral("%1: %2").arg(piece.steps[i]).arg(double(piece.values[i]));
    return points.join(QLatin1Char(' '));
}

}  // namespace

class MeansTest : public QObject {
    Q_OBJECT
private slots:
    void theMeanOfANamedFigureIsOfTheStepsThatAllHaveSaid() {
        ScalarMean mean;
        QCOMPARE(said(mean.add(0, at({10, 20}), of({1, 2}), replicas(2))), QString());
        QCOMPARE(said(mean.add(1, at({10}), of({3}), replicas(2))), QStringLiteral("10: 2"));
        // One at a step of its own, and one that is not finite.
        QCOMPARE(said(mean.add(1, at({15, 20}), of({3, NAN}), replicas(2))),
                 QStringLiteral("20: 2"));
        // After a restart from step 10 both say it again.
        QCOMPARE(said(mean.add(1, at({20}), of({8}), replicas(2))), QString());
        QCOMPARE(said(mean.add(0, at({20}), of({6}), replicas(2))), QStringLiteral("20: 7"));
    }
    void whatAReplicaSaidBeforeARestartIsInNoMeanOfANamedFigure() {
        ScalarMean mean;
        QCOMPARE(said(mean.add(0, at({10, 20, 30}), of({1, 90, 90}), replicas(2))), QString());
        QCOMPARE(said(mean.add(1, at({10, 20}), of({1, 90}), replicas(2))),
                 QStringLiteral("10: 1 20: 90"));
        // It goes on from step 10; replica 0 had said step 30 before it was lost.
        QCOMPARE(said(mean.add(1, at({20, 30}), of({4, 5}), replicas(2))), QString());
        QCOMPARE(said(mean.add(0, at({20, 30}), of({6, 7}), replicas(2))),
                 QStringLiteral("20: 5 30: 6"));
    }
    void noMeanOfANamedFigureMixesTwoStarts() {
        ScalarMean mean;
        mean.begin(0, 0);
        QCOMPARE(said(mean.add(0, at({10, 20, 30}), of({1, 90, 90}), replicas(2))), QString());
        QCOMPARE(said(mean.add(1, at({10}), of({1}), replicas(2))), QStringLiteral("10: 1"));
        // Replica 1, which was lost, speaks first and says nothing that it had said before.
        mean.begin(1, 10);
        QCOMPARE(said(mean.add(1, at({20, 30}), of({4, 5}), replicas(2))), QString());
        QCOMPARE(said(mean.add(0, at({20, 30}), of({6, 7}), replicas(2))),
                 QStringLiteral("20: 5 30: 6"));
    }
    void aLongRunThatIsOpenedLateHasTheMeanOfAllItsSteps() {
        ScalarMean mean;
        std::vector<std::int64_t> steps(20'000);
        std::iota(steps.begin(), steps.end(), 1);
        const std::vector<double> ones(steps.size(), 1);
        QVERIFY(mean.add(0, steps, ones, replicas(2)).steps.empty());
        QCOMPARE(mean.add(1, steps, ones, replicas(2)).steps, steps);
    }
    void theMeanOfANamedFigureIsOverTheReplicasOfEachStart() {
        ScalarMean mean;
        // Three replicas to step 20, two from there on, as an attached run says it.
        const auto replicasAt = [](std::int64_t step) { return step <= 20 ? 3 : 2; };
        const auto steps = at({10, 20, 30, 40});
        QCOMPARE(said(mean.add(0, steps, of({1, 1, 1, 1}), replicasAt)), QString());
        QCOMPARE(said(mean.add(1, steps, of({2, 2, 3, 3}), replicasAt)),
                 QStringLiteral("30: 2 40: 2"));
        // What comes earlier leaves what comes after it.
        QCOMPARE(said(mean.add(2, at({10, 20, 30}), of({3, 3, 99}), replicasAt)),
                 QStringLiteral("10: 2 20: 2 30: 2 40: 2"));
    }
    void theMeanWaitsForTheSlowestReplica() {
        ReplicaMean mean;
        mean.setStretches({{1, 2}});
        QVERIFY(mean.add(0, 0, 1, std::vector<float>{1, 2, 3}).values.empty());
        const auto piece = mean.add(1, 0, 1, std::vector<float>{3, 4});
        QCOMPARE(piece.firstStep, 1);
        QCOMPARE(piece.values, (std::vector<float>{2, 3}));
        const auto rest = mean.add(1, 0, 3, std::vector<float>{NAN});
        QCOMPARE(rest.firstStep, 3);
        QCOMPARE(rest.values, (std::vector<float>{3}));
    }
    void aRestartBeginsTheMeanAnew() {
        ReplicaMean mean;
        mean.setStretches({{1, 2}});
        QVERIFY(mean.add(0, 0, 1, std::vector<float>{1, 1, 1, 1}).values.empty());
        QCOMPARE(mean.add(1, 0, 1, std::vector<float>{1, 1}).values.size(), std::size_t(2));

        QVERIFY(mean.add(0, 0, 2, std::vector<float>{5}).values.empty());
        const auto piece = mean.add(1, 0, 2, std::vector<float>{7});
        QCOMPARE(piece.firstStep, 2);
        QCOMPARE(piece.values, (std::vector<float>{6}));
    }
    void noMeanMixesTwoStarts() {
        ReplicaMean mean;
        mean.setStretches({{1, 2}});
        mean.setStarts({0, 1});
        QVERIFY(mean.add(0, 0, 1, std::vector<float>{1, 90, 90}).values.empty());
        QCOMPARE(mean.add(1, 0, 1, std::vector<float>{1}).values, (std::vector<float>{1}));
        // Replica 1, which was lost, speaks first and says nothing that it had said before.
        QVERIFY(mean.add(1, 1, 2, std::vector<float>{4, 5}).values.empty());
        const auto piece = mean.add(0, 1, 2, std::vector<float>{6, 7});
        QCOMPARE(piece.firstStep, 2);
        QCOMPARE(piece.values, (std::vector<float>{5, 6}));
    }
    void whatARegroupedRunKeepsIsInTheMean() {
        ReplicaMean mean;
        mean.setStretches({{1, 2}, {3, 2}});
        mean.setStarts({0, 2});
        // Step 2 was taken; who was lost had not told it, and whoever replaces it does.
        QVERIFY(mean.add(0, 0, 1, std::vector<float>{1, 2}).values.empty());
        QCOMPARE(mean.add(1, 0, 1, std::vector<float>{3}).values, (std::vector<float>{2}));
        QCOMPARE(mean.add(1, 1, 2, std::vector<float>{4, 5}).values, (std::vector<float>{3}));
        QCOMPARE(mean.add(0, 1, 3, std::vector<float>{7}).values, (std::vector<float>{6}));
    }
    void theMeanGoesOnWithoutWhomAResumeIsWithout() {
        ReplicaMean mean;
        mean.setStretches({{1, 3}, {4, 2}});
        mean.setStarts({0, 3});
        // Replica 2 was lost behind step 1; the run goes on behind step 3.
        QVERIFY(mean.add(0, 0, 1, std::vector<float>{1, 2, 3, 90}).values.empty());
        QVERIFY(mean.add(1, 0, 1, std::vector<float>{1, 4, 5, 90}).values.empty());
        QCOMPARE(mean.add(2, 0, 1, std::vector<float>{1}).values, (std::vector<float>{1}));
        QCOMPARE(mean.add(0, 1, 4, std::vector<float>{6}).values, (std::vector<float>{3, 4}));
        const auto piece = mean.add(1, 1, 4, std::vector<float>{8});
        QCOMPARE(piece.firstStep, 4);
        QCOMPARE(piece.values, (std::vector<float>{7}));
    }
    /// As a program's whose first word is of a figure at step 0.
    void aStartThatIsSaidToBeginTooEarlyLeavesWhatIsDrawn() {
        ReplicaMean mean;
        mean.setStretches({{1, 2}});
        mean.setStarts({0, 0});
        QVERIFY(mean.add(0, 0, 1, std::vector<float>{1, 1, 1}).values.empty());
        QCOMPARE(mean.add(1, 0, 1, std::vector<float>{1, 1, 1}).values.size(), std::size_t(3));
        QVERIFY(mean.add(1, 1, 3, std::vector<float>{4}).values.empty());
        const auto piece = mean.add(0, 1, 3, std::vector<float>{6});
        QCOMPARE(piece.firstStep, 3);
        QCOMPARE(piece.values, (std::vector<float>{5}));
    }
    void theMeanOfEachStartIsOverItsOwnReplicas() {
        ReplicaMean mean;
        mean.setStretches({{1, 2}, {3, 1}, {5, 3}});
        mean.setStarts({0, 2, 4});
        QVERIFY(mean.add(0, 0, 1, std::vector<float>{1, 1}).values.empty());
        const auto both = mean.add(1, 0, 1, std::vector<float>{3, 3});
        QCOMPARE(both.firstStep, 1);
        QCOMPARE(both.values, (std::vector<float>{2, 2}));
        const auto alone = mean.add(0, 1, 3, std::vector<float>{5, 6});
        QCOMPARE(alone.firstStep, 3);
        QCOMPARE(alone.values, (std::vector<float>{5, 6}));
        QVERIFY(mean.add(0, 2, 5, std::vector<float>{1}).values.empty());
        QVERIFY(mean.add(1, 2, 5, std::vector<float>{4}).values.empty());
        const auto three = mean.add(2, 2, 5, std::vector<float>{7});
        QCOMPARE(three.firstStep, 5);
        QCOMPARE(three.values, (std::vector<float>{4}));
    }
};

QTEST_APPLESS_MAIN(MeansTest)
#include "tst_means.moc"
