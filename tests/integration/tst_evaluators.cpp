// SPDX-License-Identifier: Apache-2.0
// That every checkpoint is scored or named, on real processes, however slow evaluations are beside
// the steps. LOCKSTEP_EVALUATIONS sets how many seeds are played (3 in `./dev check`).
#include <QtTest>
#include <algorithm>
#include <csignal>
#include <cstdio>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

constexpr int kSteps = 30;
constexpr double kSlowness = 10;              // steps that an evaluation takes, at least
constexpr std::chrono::minutes kPatience{4};  // evaluators are of low priority

/// A checkpoint every step, of which retention keeps one; an evaluation takes many times as long.
QByteArray slowlyEvaluated(int seed, const QByteArray& keys) {
    QByteArray job = kSmallJob;
    job.replace("evaluator = false", "evaluator = true");
    job.replace("validation_samples = 10000", "validation_samples = 30000");
    job.replace("units = 32", "units = 64");
    job.replace("global_batch_size = 512", "global_batch_size = 16");
    job.replace("epochs = 1", "steps = " + QByteArray::number(kSteps));
    job.replace("seed = 1", "seed = " + QByteArray::number(seed));
    job.replace("every_steps = 20", "every_steps = 1\nkeep = 1\n" + keys);
    return job;
}

int campaignSeeds() {
    return qEnvironmentVariableIntValue("LOCKSTEP_EVALUATIONS");
}

void addSeeds(int few) {
    const int wanted = campaignSeeds();
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= (wanted > 0 ? wanted : few); ++seed)
        QTest::newRow(qPrintable(QString::number(seed))) << seed;
}

/// The middle one of the times from one to the next.
double gapOf(QList<double> times) {
    std::ranges::sort(times);
    QList<double> gaps;
    for (qsizetype i = 1; i < times.size(); ++i)
        gaps.append(times[i] - times[i - 1]);
    std::ranges::sort(gaps);
    return gaps.isEmpty() ? 0 : gaps[gaps.size() / 2];
}

QSet<int> allSteps() {
    QSet<int> steps;
    for (int step = 1; step <= kSteps; ++step)
        steps.insert(step);
    return steps;
}

}  // namespace

class EvaluatorsTest : public QObject {
    Q_OBJECT

    Workplace place_;

    QStringList job(const QString& run, int seed, const QByteArray& keys) {
        place_.write("job.toml", slowlyEvaluated(seed, keys));
        return {"run", "job.toml", "--run-dir", run};
    }
    struct Figures {
        QMap<int, int> scores;  ///< How often each checkpoint was scored.
        double slowness = 0;    ///< Steps that pass in the time that an evaluation takes.
    };
    Figures figuresOf(const QString& run) const {
        Figures figures;
        QList<double> evaluated;
        QList<double> trained;
        for (const QByteArray& line :
             place_.run({"export", run, "--format", "csv"}).output.split('\n')) {
            const QList<QByteArray> cells = line.split(',');
            if (cells.size() != 6) continue;
            if (cells[4] == "train/loss" && !cells[3].isEmpty())
                trained.append(cells[0].toDouble());
            if (cells[4] != "evaluator/loss") continue;
            ++figures.scores[cells[1].toInt()];
            evaluated.append(cells[0].toDouble());
        }
        figures.slowness = gapOf(evaluated) / std::max(gapOf(trained), 1e-6);
        return figures;
    }
    /// The checkpoints that were named as not scored, with the reason.
    static QMap<int, QString> named(const Ended& ended) {
        QMap<int, QString> named;
        static const QRegularExpression kLine("evaluator: step (\\d+) was not scored: (.*)");
        for (const QByteArray& line : ended.errors.split('\n'))
            if (const auto match = kLine.match(QString::fromUtf8(line)); match.hasMatch())
                named[match.captured(1).toInt()] = match.captured(2);
        return named;
    }
    /// Checks that the summary says what the journal and the terminal say; gives the reasons.
    QMap<int, QString> whatIsNotScored(const QString& run, const Ended& ended) {
        const Figures figures = figuresOf(run);
        const QMap<int, int>& scored = figures.scores;
        const QMap<int, QString> left = named(ended);
        const QJsonObject evaluation = place_.summary(run)["evaluation"].toObject();
        QSet<int> all;
        for (auto score = scored.cbegin(); score != scored.cend(); ++score) {
            if (score.value() != 1 || left.contains(score.key()))
                qWarning("step %d: scored %d times, named: %s", score.key(), score.value(),
                         qPrintable(left.value(score.key(), "no")));
            all.insert(score.key());
            consistent_ &= score.value() == 1 && !left.contains(score.key());
        }
        QJsonArray steps;
        for (const int step : left.keys()) {
            all.insert(step);
            steps.append(step);
        }
        consistent_ &= all == allSteps() && evaluation["not_scored"].toArray() == steps &&
                       evaluation["scored"].toInt() == scored.size() &&
                       evaluation["checkpoints"].toInt() == kSteps;
        std::printf(
            "%s: of %d checkpoints %d scored, %d named as not scored; an evaluation takes as "
            "long as %.0f steps\n",
            qPrintable(run), kSteps, int(scored.size()), int(left.size()), figures.slowness);
        // In the suite other tests may slow down the steps.
        isSlow_ = campaignSeeds() == 0 || figures.slowness >= kSlowness;
        if (!consistent_)
            qWarning("%s\n%s", QJsonDocument(evaluation).toJson().constData(),
                     ended.errors.constData());
        return left;
    }
    bool consistent_ = true;
    bool isSlow_ = false;  ///< Evaluations, beside steps.

private slots:
    void init() { consistent_ = true; }
    void cleanup() { QVERIFY2(place_.nothingRunsSoon(), "a process of a job is left running"); }

    void whatIsSaidToBeScoredIsScoredAndTheRestIsNamed_data() { addSeeds(3); }
    void whatIsSaidToBeScoredIsScoredAndTheRestIsNamed() {
        QFETCH(int, seed);
        const QString run = QString("short-%1").arg(seed);
        const Ended ended = place_.run(job(run, seed, "keep_unscored = 2\n"));
        REQUIRE_EXIT(ended, 0);
        const QMap<int, QString> left = whatIsNotScored(run, ended);
        QVERIFY(consistent_ && isSlow_);
        QVERIFY(!left.isEmpty());
        static const QRegularExpression kBoth(
            "^(evaluation takes|the first evaluation has taken|no evaluator has asked) .*, "
            "checkpoints come every \\d+\\.\\d s$");
        for (const QString& why : left)
            QVERIFY2(kBoth.match(why).hasMatch(), qPrintable(why));
        QVERIFY2((ended.output + ended.errors)
                     .contains(QString("%1 of %2 checkpoints scored")
                                   .arg(kSteps - left.size())
                                   .arg(kSteps)
                                   .toUtf8()),
                 ended.words());
    }
    void withRoomEnoughEveryCheckpointIsScored_data() { addSeeds(1); }
    void withRoomEnoughEveryCheckpointIsScored() {
        QFETCH(int, seed);
        const QString name = QString("long-%1").arg(seed);
        const auto run = place_.start(job(name, seed, "keep_unscored = 1000\n"));
        const Ended ended = run->waitForEnd(kPatience);
        REQUIRE_EXIT(ended, 0);
        QVERIFY(whatIsNotScored(name, ended).isEmpty());
        QVERIFY(consistent_ && isSlow_);
        // What stayed for the evaluator alone is gone with it: the agent removes it as the last.
        QVERIFY(place_.nothingRunsSoon());
        QCOMPARE(QDir(place_.path(name + "/checkpoints")).entryList({"step-*"}),
                 QStringList{QString("step-%1").arg(kSteps)});
    }
    void theLatestPolicyPassesOverOlderOnesAndScoresTheLast() {
        const Ended ended = place_.run(job("latest", 1, "[evaluator]\npolicy = \"latest\"\n"));
        REQUIRE_EXIT(ended, 0);
        const QMap<int, QString> left = whatIsNotScored("latest", ended);
        QVERIFY(consistent_ && !left.isEmpty() && !left.contains(kSteps));
        for (const QString& why : left)
            QVERIFY2(why.startsWith("evaluator.policy is \"latest\""), qPrintable(why));
    }
    void twoEvaluatorsShareTheWorkAndOneTakesOverFromTheOther() {
        const auto run =
            place_.start(job("two", 1, "keep_unscored = 1000\n[evaluator]\nprocesses = 2\n"));
        const auto lines = [this](const char* log) {
            return place_.read(QString("two/logs/") + log).count(": validation loss");
        };
        QVERIFY(
            waitUntil([&] { return lines("evaluator.log") > 0 && lines("evaluator-1.log") > 0; }));
        const auto evaluators = place_.processes("two", "evaluator");
        QCOMPARE(evaluators.size(), 2);
        QCOMPARE(::kill(evaluators[1].pid, SIGKILL), 0);
        const Ended ended = run->waitForEnd(kPatience);
        REQUIRE_EXIT(ended, 0);
        QVERIFY(whatIsNotScored("two", ended).isEmpty());
        QVERIFY(consistent_);
        QVERIFY2(ended.errors.contains("was killed by signal 9 (SIGKILL)"), ended.words());
    }
    void withoutItsEvaluatorTheRestIsNamedByItsEnd() {
        const auto run = place_.start(job("lost", 1, "keep_unscored = 1000\n"));
        QVERIFY(waitUntil(
            [&] { return place_.read("lost/logs/evaluator.log").contains("validation loss"); }));
        const auto evaluators = place_.processes("lost", "evaluator");
        QCOMPARE(evaluators.size(), 1);
        QCOMPARE(::kill(evaluators[0].pid, SIGKILL), 0);
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        const QMap<int, QString> left = whatIsNotScored("lost", ended);
        QVERIFY(consistent_ && left.size() > 1);
        for (const QString& why : left)
            QCOMPARE(why, QString("the evaluator was killed by signal 9 (SIGKILL)"));
    }
};

QTEST_GUILESS_MAIN(EvaluatorsTest)
#include "tst_evaluators.moc"
