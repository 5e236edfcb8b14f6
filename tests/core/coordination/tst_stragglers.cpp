// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <functional>
#include <random>

#include "core/coordination/health/stragglers.h"

using namespace lockstep;
using namespace lockstep::coordination;

namespace {

using Work = std::array<double, kOwnPhases>;  // milliseconds: data, forward, backward, update

constexpr Work kUsual{1, 12, 29, 3};

Work times(Work work, double factor) {
    for (double& phase : work)
        phase *= factor;
    return work;
}

/// A job of one replica a process, whose steps end when the one that works longest is done.
class Training {
public:
    using WorkOf = std::function<Work(std::uint32_t replica)>;

    explicit Training(std::uint32_t processes, SlowRules rules = {}, std::uint32_t replicasEach = 1)
        : stragglers(rules), replicas_(processes * replicasEach), each_(replicasEach) {
        for (std::uint32_t id = 0; id < processes; ++id)
            stragglers.addProcess(id, "host" + std::to_string(id));
    }

    /// Replicas report every 50 ms, or every step, one after the other.
    void step(const WorkOf& workOf) {
        std::vector<Work> all;
        double longest = 0;
        for (std::uint32_t replica = 0; replica < replicas_; ++replica) {
            all.push_back(workOf(replica));
            longest = std::max(longest, sumOf(all.back()));
        }
        if (pending_.empty()) pending_.resize(replicas_);
        ++steps_;
        for (std::uint32_t replica = 0; replica < replicas_; ++replica) {
            wire::StepBatch& batch = pending_[replica];
            batch.set_replica(replica);
            if (batch.step_us_size() == 0) batch.set_first_step(steps_);
            const auto us = [](double milliseconds) {
                return static_cast<float>(milliseconds * 1e3);
            };
            batch.add_step_us(us(longest + kSumMilliseconds));
            batch.add_data_us(us(all[replica][0]));
            batch.add_forward_us(us(all[replica][1]));
            batch.add_backward_us(us(all[replica][2]));
            batch.add_all_reduce_us(us(longest - sumOf(all[replica]) + kSumMilliseconds));
            batch.add_update_us(us(all[replica][3]));
        }
        now += (longest + kSumMilliseconds) * 1e-3;
        if (now - reportedAt_ < 0.05) return;
        reportedAt_ = now;
        for (wire::StepBatch& batch : pending_) {
            spoil(batch);
            stragglers.addSteps(batch.replica() / each_, batch);
        }
        pending_.clear();
        for (std::string& news : stragglers.takeNews())
            said.push_back(std::move(news));
        for (std::string& note : stragglers.takeNotes())
            notes.push_back(std::move(note));
    }
    void train(double seconds, const WorkOf& workOf) {
        for (const double end = now + seconds; now < end;)
            step(workOf);
    }
    /// Some columns of replicas' batches are spoilt on their way.
    std::function<void(wire::StepBatch&)> spoil = [](wire::StepBatch&) {};

    [[nodiscard]] QString sentence() const {
        const auto finding = stragglers.judge();
        return finding ? QString::fromStdString(finding->sentence) : QString();
    }

    Stragglers stragglers;
    std::vector<std::string> said;
    std::vector<std::string> notes;
    double now = 0;  // seconds of training

private:
    static constexpr double kSumMilliseconds = 0.2;
    static double sumOf(const Work& work) { return work[0] + work[1] + work[2] + work[3]; }

    std::uint32_t replicas_;
    std::uint32_t each_;
    std::uint64_t steps_ = 0;
    double reportedAt_ = 0;
    std::vector<wire::StepBatch> pending_;
};

Training::WorkOf everyone(Work work) {
    return [work](std::uint32_t) { return work; };
}

/// One takes another time for all that it does than the others.
Training::WorkOf oneTakes(std::uint32_t slow, double factor, Work work = kUsual) {
    return [=](std::uint32_t replica) { return times(work, replica == slow ? factor : 1); };
}

}  // namespace

/// Who makes the others wait, and who only seems to.
class StragglersTest : public QObject {
    Q_OBJECT

private slots:
    void aStragglerIsNamedWithItsPhaseAndItsPrice() {
        Training training(6);
        training.train(20, everyone(kUsual));
        QCOMPARE(training.sentence(), QString());
        const auto slow = [](std::uint32_t replica) {
            Work work = kUsual;
            if (replica == 5) work[2] = 41;
            return work;
        };
        training.train(13, slow);
        QCOMPARE(training.said.size(), std::size_t(1));
        QVERIFY2(training.said[0].starts_with("process 5 (host5) costs the others 21 %: its "
                                              "backward pass takes 41 ms, the others' 29 ms (for "),
                 training.said[0].c_str());
        const Finding finding = *training.stragglers.judge();
        QCOMPARE(finding.severity, kSeveritySlow);
        QCOMPARE(finding.processes, std::vector<std::uint32_t>{5});
        const auto slowest = training.stragglers.tally().told;
        QCOMPARE(slowest.size(), std::size_t(1));
        QCOMPARE(slowest[0].phase, std::string("backward"));
        QVERIFY(std::abs(slowest[0].cost - 12 / 57.2) < 0.01);
        // It began behind step 442; the slice of that moment is of both.
        QVERIFY2(slowest[0].firstStep > 390 && slowest[0].firstStep < 500,
                 finding.sentence.c_str());
    }

    void itIsNamedInTimeWhateverAStepTakes_data() {
        QTest::addColumn<double>("milliseconds");
        QTest::addColumn<double>("factor");
        for (const double milliseconds : {0.2, 5.0, 90.0, 700.0, 3000.0})
            for (const double factor : {1.5, 4.0})
                QTest::addRow("%g ms, times %g", milliseconds, factor) << milliseconds << factor;
    }
    void itIsNamedInTimeWhateverAStepTakes() {
        QFETCH(const double, milliseconds);
        QFETCH(const double, factor);
        Training training(4);
        const Work usual = times(kUsual, milliseconds / 45);
        training.train(std::max(30.0, 20e-3 * milliseconds), everyone(usual));
        const double began = training.now;
        const double slowStep = milliseconds * factor * 1e-3;
        while (training.said.empty() && training.now < began + 240)
            training.step(oneTakes(2, factor, usual));
        QVERIFY(!training.said.empty());
        // 3/4 of each step say it at once, 1/3 in slices of four steps.
        const double limit = std::max(15.0, (factor > 2 ? 8 : 28) * slowStep + 2);
        QVERIFY2(training.now - began <= limit, qPrintable(QString::number(training.now - began)));
        QVERIFY(training.said[0].starts_with("process 2 (host2) costs the others "));
    }

    void whoKeepsUpAgainIsSaidToAndHowOftenItWasSlow() {
        Training training(4);
        training.train(20, everyone(kUsual));
        for (int time = 1; time <= 2; ++time) {
            training.train(40, oneTakes(1, 2));
            QVERIFY(training.sentence().startsWith("process 1 (host1) costs the others 50 %"));
            training.train(15, everyone(kUsual));
            QCOMPARE(training.sentence(), QString());
        }
        QCOMPARE(training.said.size(), std::size_t(4));
        const QRegularExpression once(
            "^process 1 \\(host1\\) keeps up again at step \\d+: it cost the others (49|50) % of "
            "(3[6-9]|4[0-4]) s of training, once$");
        QVERIFY2(once.match(QString::fromStdString(training.said[1])).hasMatch(),
                 training.said[1].c_str());
        QVERIFY2(training.said[2].ends_with("; 2 times so far)"), training.said[2].c_str());
        QVERIFY2(training.said[3].ends_with(", 2 times so far"), training.said[3].c_str());
        const auto tally = training.stragglers.tally().told;
        QCOMPARE(tally.size(), std::size_t(2));
        QVERIFY(tally[0].caughtUp && tally[1].caughtUp);
        QVERIFY(tally[0].lastStep < tally[1].firstStep);
    }

    void whoIsSlowInEveryThirdStepIsFound() {
        Training training(4);
        int count = 0;
        training.train(20, [&count](std::uint32_t replica) {
            if (replica == 0) ++count;
            Work work = kUsual;
            if (replica == 3 && count % 3 == 0) work[0] = 60;
            return work;
        });
        QVERIFY2(
            training.sentence().contains("its loading of data takes 21 ms, the others' 1.0 ms"),
            qPrintable(training.sentence()));
    }

    void twoOfAHostAreNamedTogether() {
        Training training(4);
        training.train(20, [](std::uint32_t replica) {
            return times({10, 12, 12, 11}, replica > 1 ? 3 : 1);
        });
        // One of them alone costs nothing: the other is waited for as long.
        QVERIFY2(training.sentence().startsWith(
                     "process 2 (host2) and process 3 (host3) cost the others 67 % together: "),
                 qPrintable(training.sentence()));
        const StragglerTally tally = training.stragglers.tally();
        QVERIFY(tally.told.size() == 2 && tally.told[0].isTogether && tally.told[1].isTogether);
        QCOMPARE(training.stragglers.judge()->replicas, (std::vector<std::uint32_t>{2, 3}));
        QVERIFY2(training.sentence().contains("the slowest: its own work in a step takes 135 ms, "
                                              "the others' 45 ms"),
                 qPrintable(training.sentence()));
    }

    void aReplicaOfSeveralOfAProcessIsNamed() {
        Training training(2, {}, 2);
        training.train(20, oneTakes(3, 2));
        QVERIFY2(training.sentence().startsWith("replica 3 of process 1 (host1) costs the others"),
                 qPrintable(training.sentence()));
        QCOMPARE(training.stragglers.judge()->processes, std::vector<std::uint32_t>{1});
        QCOMPARE(training.stragglers.judge()->replicas, std::vector<std::uint32_t>{3});
    }

    void ofTooManyTheOnesThatCostLeastAreLeftOutAndCounted() {
        Training training(4);
        training.train(40, oneTakes(2, 4));
        training.train(15, everyone(kUsual));
        const Straggler most = training.stragglers.tally().told[0];
        for (std::size_t time = 0; time <= Stragglers::kMostTold; ++time) {
            training.train(15, oneTakes(1, 2));
            training.train(15, everyone(kUsual));
        }
        training.train(40, oneTakes(3, 4));
        const StragglerTally tally = training.stragglers.tally();
        QCOMPARE(tally.told.size(), Stragglers::kMostTold);
        QCOMPARE(tally.leftOut, std::uint64_t(3));
        QCOMPARE(tally.told.front().firstStep, most.firstStep);
        QCOMPARE(tally.told.back().replica, 3U);
    }

    // No false verdicts.

    void stepsThatVaryByThreeTenthsNameNobody_data() {
        QTest::addColumn<std::uint32_t>("processes");
        QTest::addColumn<double>("milliseconds");
        for (const std::uint32_t processes : {2U, 4U, 16U})
            for (const double milliseconds : {1.0, 50.0, 1500.0})
                QTest::addRow("%u of %g ms", processes, milliseconds) << processes << milliseconds;
    }
    void stepsThatVaryByThreeTenthsNameNobody() {
        QFETCH(const std::uint32_t, processes);
        QFETCH(const double, milliseconds);
        const int runs = milliseconds > 1000 ? 20 : 1;
        for (int run = 0; run < runs; ++run) {
            std::mt19937 random(static_cast<unsigned>(run + 1));
            std::uniform_real_distribution<double> factor(1, 1.3);
            Training training(processes);
            training.train(milliseconds < 10 ? 100 : 1800, [&](std::uint32_t) {
                return times(kUsual, factor(random) * milliseconds / 45);
            });
            QVERIFY2(training.said.empty(), training.said.empty() ? "" : training.said[0].c_str());
        }
    }

    /// Where steps are long few of them are judged, and a mean of few says little.
    void stepsWithLongTailsNameNobody_data() {
        QTest::addColumn<std::uint32_t>("processes");
        QTest::addColumn<double>("milliseconds");
        for (const std::uint32_t processes : {2U, 4U, 8U})
            for (const double milliseconds : {100.0, 700.0, 3000.0})
                QTest::addRow("%u of %g ms", processes, milliseconds) << processes << milliseconds;
    }
    void stepsWithLongTailsNameNobody() {
        QFETCH(const std::uint32_t, processes);
        QFETCH(const double, milliseconds);
        const unsigned runs = milliseconds > 200 ? 20 : 3;
        for (unsigned seed = 1; seed <= runs; ++seed) {
            std::mt19937 random(seed);
            std::exponential_distribution<double> longer(1 / 0.3);
            Training training(processes);
            training.train(3600, [&](std::uint32_t) {
                return times(kUsual, (1 + longer(random)) * milliseconds / 45);
            });
            QVERIFY2(training.said.empty(), training.said.empty() ? "" : training.said[0].c_str());
        }
    }

    /// Eight processes on two processors: whoever has to give way, for some milliseconds, works so
    /// much longer; now and then somebody has to for long.
    void whereAllShareTooFewProcessorsNobodyIsSlow() {
        for (unsigned seed = 1; seed <= 5; ++seed) {
            std::mt19937 random(seed);
            std::exponential_distribution<double> away(1 / 30.0);
            std::bernoulli_distribution isLong(0.001);
            Training training(8);
            training.train(1800, [&](std::uint32_t) {
                Work work = kUsual;
                work[1] += away(random);
                work[2] += away(random) + (isLong(random) ? 1500 : 0);
                return work;
            });
            QVERIFY2(training.said.empty(), training.said.empty() ? "" : training.said[0].c_str());
        }
    }

    void whereAllAreSlowAlikeNobodyIs() {
        Training training(4);
        training.train(20, everyone(kUsual));
        training.train(60, everyone(times(kUsual, 5)));
        QVERIFY(training.said.empty());
    }

    void whatHappensOnceNamesNobody() {
        Training training(4);
        training.train(30, everyone(kUsual));
        training.step(oneTakes(1, 200));  // 9 s
        training.train(30, everyone(kUsual));
        training.train(4, oneTakes(2, 3));
        training.train(60, everyone(kUsual));
        QVERIFY(training.said.empty());
    }

    void theFirstStepsNameNobody() {
        Training training(4);
        for (int i = 0; i < 5; ++i)
            training.step(oneTakes(0, 100));
        training.train(60, everyone(kUsual));
        QVERIFY(training.said.empty());
    }

    void largerSharesOfABatchAreNoSlowness() {
        const auto work = [](std::uint32_t replica) {
            return times(kUsual, replica == 0 ? 1.5 : 1);  // three samples instead of two
        };
        Training uneven(4);
        uneven.stragglers.setJob(1.5, "");
        uneven.train(60, work);
        QVERIFY(uneven.said.empty());
        Training even(4);
        even.stragglers.setJob(0, "");  // by one who does not tell
        even.train(60, work);
        QVERIFY(!even.said.empty());
        QVERIFY(even.notes.empty());
    }

    void whereNobodyCanBeJudgedThatIsSaidOnce() {
        Training training(4);
        for (int start = 0; start < 2; ++start) {
            training.stragglers.setJob(1, "some replicas have no samples in some steps");
            training.train(60, oneTakes(0, 9));
            training.stragglers.beginGeneration();
            for (std::uint32_t id = 0; id < 4; ++id)
                training.stragglers.addProcess(id, "host");
        }
        QVERIFY(training.said.empty());
        QCOMPARE(training.notes,
                 std::vector<std::string>{
                     "nobody can be called slow: some replicas have no samples in some steps"});
    }

    void aProgramThatReportsNoPhasesNamesNobodyAndThatIsSaid() {
        Training training(4);
        training.train(60, everyone({}));
        QVERIFY(training.said.empty());
        QCOMPARE(training.notes,
                 std::vector<std::string>{"nobody can be called slow: most of its replicas do not "
                                          "report how long they work in a step"});
    }

    void oneWhoTellsItsPhasesWhereTheOthersDoNotIsNotSlow() {
        const std::vector<double> costs = costsOf({{.work = {1, 12, 29, 3}, .step = 50},
                                                   {.work = {}, .step = 50},
                                                   {.work = {}, .step = 50}},
                                                  SlowRules());
        QCOMPARE(costs, std::vector<double>(3));
    }

    void timesThatAreNoTimesAreLeftOut() {
        Training training(2);
        training.spoil = [](wire::StepBatch& batch) {
            for (int i = 0; i < batch.forward_us_size(); ++i)
                if ((batch.first_step() + static_cast<std::uint64_t>(i)) % 2 == 0)
                    batch.set_forward_us(i, std::numeric_limits<float>::quiet_NaN());
        };
        training.train(60, oneTakes(1, 3));
        QVERIFY2(training.sentence().startsWith("process 1 (host1) costs the others 67 %: its "
                                                "backward pass takes 87 ms, the others' 29 ms"),
                 qPrintable(training.sentence()));
        QVERIFY(training.notes.empty());
    }

    void oneWhoseTimesAreNeverKnownIsSaidToBeInTheWay() {
        Training training(3);
        training.spoil = [](wire::StepBatch& batch) {
            if (batch.replica() != 1) return;
            for (float& time : *batch.mutable_update_us())
                time = -1;
        };
        training.train(200, oneTakes(2, 3));
        QVERIFY(training.said.empty());
        QCOMPARE(training.notes,
                 std::vector<std::string>{"nobody can be called slow: what replica 1 of process 1 "
                                          "(host1) reports of its steps are no times"});
        Training silent(2);
        silent.stragglers.addProcess(2, "host2");
        silent.train(200, oneTakes(1, 3));
        QCOMPARE(silent.notes,
                 std::vector<std::string>{
                     "nobody can be called slow: process 2 (host2) reports none of its steps"});
    }

    void whoHasLeftIsNotSlowAnyMoreButStaysTold() {
        Training training(4);
        training.train(30, oneTakes(1, 3));
        QVERIFY(!training.sentence().isEmpty());
        training.stragglers.removeProcess(1);
        QCOMPARE(training.sentence(), QString());
        QCOMPARE(training.stragglers.tally().told.size(), std::size_t(1));
        QVERIFY(!training.stragglers.tally().told[0].caughtUp);
        training.stragglers.beginGeneration();
        QCOMPARE(training.stragglers.tally().told.size(), std::size_t(1));
    }
};

QTEST_APPLESS_MAIN(StragglersTest)
#include "tst_stragglers.moc"
