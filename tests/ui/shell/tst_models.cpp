// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>
#include <cmath>

#include "tests/ui/support/scripted_session.h"
#include "ui/bridge/session_bridge.h"
#include "ui/models/compared_runs_model.h"
#include "ui/models/evaluation_model.h"
#include "ui/models/replica_outliers.h"
#include "ui/models/replica_table_model.h"
#include "ui/models/resume_point.h"
#include "ui/models/runs_model.h"
#include "ui/models/words.h"
#include "ui/style/units.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;

namespace {

constexpr auto kMode = QAbstractItemModelTester::FailureReportingMode::QtTest;

Evaluation evaluation(std::int64_t step, const std::string& split, double accuracy,
                      double loss = 1) {
    job::EvaluationView view;
    view.step = step;
    view.split = split;
    view.accuracy = accuracy;
    view.loss = loss;
    return std::make_shared<const job::EvaluationView>(view);
}

/// A session with a long history, of which its reader holds a part at a time.
class LongSession final : public job::Session {
public:
    static constexpr int kPieces = 30;
    static constexpr std::size_t kSteps = 100'000;

    std::shared_ptr<const job::RunView> view() const override {
        return std::make_shared<const job::RunView>();
    }
    std::vector<job::StepColumns> takeSteps() override {
        if (taken_ == kPieces) return {};
        job::StepColumns columns;
        columns.firstStep = 1 + std::int64_t(kSteps) * taken_++;
        columns.loss.assign(kSteps, 1);
        return {columns};
    }
    std::vector<job::ScalarColumns> takeScalars() override { return {}; }
    std::vector<job::HeartbeatMark> takeHeartbeats() override { return {}; }
    std::vector<job::LoadMark> takeLoads() override { return {}; }
    std::vector<job::LogEntry> takeLogs() override { return {}; }
    std::shared_ptr<const job::LogBook> logBook() override { return nullptr; }
    void requestStop() override {}
    void kill() override {}
    void waitLonger() override {}
    void drill(const job::DrillOrder&) override {}

private:
    int taken_ = 0;
};

}  // namespace

class ModelsTest : public QObject {
    Q_OBJECT
private slots:
    void aLongHistoryIsTakenWithoutWaitingForTheNextBeat() {
        JobServices services;
        services.attach = [](const auto&, const auto&) -> JobServices::OpenedSession {
            return std::make_unique<LongSession>();
        };
        SessionBridge bridge(services);
        bridge.setHidden(true);  // then it looks twice a second
        std::size_t steps = 0;
        connect(&bridge, &SessionBridge::stepsArrived, this, [&steps](const auto& pieces) {
            for (const job::StepColumns& piece : pieces)
                steps += piece.loss.size();
        });
        QElapsedTimer timer;
        timer.start();
        bridge.attach("/nowhere");
        QTRY_COMPARE(steps, LongSession::kPieces * LongSession::kSteps);
        QVERIFY(timer.elapsed() < 500 * LongSession::kPieces / 4);
    }
    void aPortThatWasNeverChosenIsNotShown() {
        job::ReplicaView replica;
        replica.host = "node-a";
        replica.address = "127.0.0.1:0";
        QCOMPARE(addressText(replica), QStringLiteral("node-a"));
        replica.address = "127.0.0.1:40000";
        QCOMPARE(addressText(replica), QStringLiteral("node-a  127.0.0.1:40000"));
        replica.host.clear();
        replica.address = "127.0.0.1:0";
        QCOMPARE(addressText(replica), QStringLiteral("127.0.0.1"));
    }
    void anEndedRunIsToldAsASentenceWithItsTestScore() {
        job::RunView view;
        view.state = job::RunState::Completed;
        view.step = 3126;
        view.startedWallTime = 100;
        view.endedWallTime = 203.5;
        view.ranSeconds = 3.5;  // it was stopped and resumed
        for (const auto& [split, accuracy] :
             {std::pair("test", 0.98), std::pair("validation", 0.97)}) {
            auto evaluation = std::make_shared<job::EvaluationView>();
            evaluation->split = split;
            evaluation->accuracy = accuracy;
            view.evaluations.push_back(evaluation);
        }
        const auto sentence = [&view] {
            return statusSentence(view).replace(QChar(0x202f), QLatin1Char(' '));
        };
        QCOMPARE(sentence(),
                 QStringLiteral("Completed: test accuracy 98.00 %, 3 126 steps in 3.50 s"));
        // Without an evaluator, or before it has come so far, the replicas' own test counts.
        view.evaluations.erase(view.evaluations.begin());
        view.summaryJson = R"({"test_accuracy": 0.96, "test_loss": 0.1})";
        QCOMPARE(sentence(),
                 QStringLiteral("Completed: test accuracy 96.00 %, 3 126 steps in 3.50 s"));
        view.evaluations.clear();
        view.summaryJson = R"({"test_accuracy": null, "test_root_mean_squared_error": 51234})";
        QCOMPARE(sentence(), QStringLiteral("Completed: test RMSE 51 234, 3 126 steps in 3.50 s"));
        view.state = job::RunState::Training;
        view.sentence = "all replicas advance";
        QCOMPARE(statusSentence(view), QStringLiteral("All replicas advance"));
    }
    void theStatusOfAFailedRunNamesItsProcessAsTheCardDoes() {
        job::RunView view;
        view.state = job::RunState::Failed;
        view.step = 1485;
        view.error = "process 1 (vm): was killed by signal 9 (SIGKILL)";
        job::FailureView failure;
        failure.role = job::Role::Worker;
        failure.processId = 1;
        failure.host = "vm";
        failure.cause = "was killed by signal 9 (SIGKILL)";
        view.failures = {failure};
        const auto sentence = [&view] {
            return statusSentence(view).replace(QChar(0x202f), QLatin1Char(' '));
        };
        QCOMPARE(sentence(), QStringLiteral("Failed after step 1 485: process 1 on vm was killed "
                                            "by signal 9 (SIGKILL)"));
        job::FailureView evaluator = failure;
        evaluator.role = job::Role::Evaluator;
        evaluator.processId = 0;
        evaluator.cause = "sent no heartbeat for 10 s";
        view.failures = {evaluator, failure};  // the run went on without it
        QVERIFY2(sentence().contains(QStringLiteral(": process 1 on vm was")),
                 qPrintable(sentence()));
        view.failures = {failure};
        view.failures[0].cause = "no space left on device";
        QCOMPARE(sentence(), QStringLiteral("Failed after step 1 485: process 1 on vm: no space "
                                            "left on device"));
        view.formerFailures = 1;  // that was another start
        QCOMPARE(sentence(), QStringLiteral("Failed after step 1 485: process 1 (vm): was killed "
                                            "by signal 9 (SIGKILL)"));
    }
    void replicasAreAnnouncedCellByCell() {
        ReplicaTableModel model;
        const QAbstractItemModelTester tester(&model, kMode);
        auto replicas = ExampleRun::view(100).replicas;
        model.update(replicas);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);

        replicas[1].step = 101;
        replicas[1].loss = 0.5F;
        model.update(replicas);

        QCOMPARE(inserted.count(), 0);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(changed[0][0].toModelIndex(),
                 model.index(1, int(ReplicaTableModel::Column::Step)));
        QCOMPARE(changed[0][1].toModelIndex(),
                 model.index(1, int(ReplicaTableModel::Column::Loss)));
    }
    void theSameViewAnnouncesNothing() {
        ReplicaTableModel model;
        const auto replicas = ExampleRun::view(100).replicas;  // the evaluator's loss is NaN
        model.update(replicas);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);

        model.update(replicas);

        QCOMPARE(changed.count(), 0);
    }
    void replicasThatComeAndGoKeepTheOthersInPlace() {
        ReplicaTableModel model;
        const QAbstractItemModelTester tester(&model, kMode);
        auto replicas = ExampleRun::view(100).replicas;
        model.update(replicas);
        QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);

        replicas.pop_back();
        model.update(replicas);
        model.update({});

        QCOMPARE(removed.count(), 2);
        QCOMPARE(removed[0][1].toInt(), 2);
        QCOMPARE(model.rowCount(), 0);
    }
    void theListNamesTheBestTheKeptAndTheDeletedCheckpoints() {
        EvaluationModel model;
        const QAbstractItemModelTester tester(&model, kMode);
        model.update({evaluation(1, "validation", 0.7), evaluation(2, "validation", 0.9),
                      evaluation(3, "validation", 0.8), evaluation(4, "validation", 0.6)});
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.setStored({1, 2}, {3});
        QCOMPARE(changed.count(), 1);
        model.setStored({1, 2}, {3});  // no news
        QCOMPARE(changed.count(), 1);
        QStringList words;
        for (int row = 0; row < model.rowCount(); ++row)
            words << model.index(row, int(EvaluationModel::Column::Checkpoint)).data().toString();
        QCOMPARE(words.join(QLatin1Char('|')), QStringLiteral("deleted|best, deleted|kept|"));
    }
    void whatWasNotScoredTookNoTime() {
        job::EvaluationView failed = *evaluation(2, "validation", 0);
        failed.error = "the checkpoint is gone";
        EvaluationModel model;
        model.update({std::make_shared<const job::EvaluationView>(failed)});
        const auto said = [&model](EvaluationModel::Column column) {
            return model.index(0, int(column)).data().toString();
        };
        QCOMPARE(said(EvaluationModel::Column::Score), QStringLiteral("not scored"));
        QCOMPARE(said(EvaluationModel::Column::Seconds), QStringLiteral("–"));
        failed.seconds = 2;  // it was tried
        model.update({std::make_shared<const job::EvaluationView>(failed)});
        QCOMPARE(said(EvaluationModel::Column::Seconds), units::milliseconds(2000));
    }
    void oneCheckpointIsSaidAsOne() {
        job::RunView view;
        view.checkpoints = {{.step = 100, .path = {}, .error = {}}};
        QCOMPARE(scoredText(view), QStringLiteral("0 of 1 checkpoint scored"));
        view.checkpoints.push_back({.step = 200, .path = {}, .error = {}});
        QCOMPARE(scoredText(view), QStringLiteral("0 of 2 checkpoints scored"));
    }
    void theBestCheckpointIsNotChosenByTheTestSet() {
        EvaluationModel model;
        const QAbstractItemModelTester tester(&model, kMode);
        model.update({evaluation(1, "validation", 0.9, 0.3), evaluation(2, "validation", 0.9, 0.2),
                      evaluation(3, "validation", 0.8), evaluation(4, "test", 0.99)});
        QCOMPARE(model.bestRow(), 1);
        QCOMPARE(model.latestRow(), 3);
    }
    void aContinuedListOfEvaluationsIsAppended() {
        EvaluationModel model;
        const QAbstractItemModelTester tester(&model, kMode);
        std::vector<Evaluation> evaluations{evaluation(1, "validation", 0.5)};
        model.update(evaluations);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);

        evaluations.push_back(evaluation(2, "validation", 0.6));
        model.update(evaluations);
        QCOMPARE(inserted.count(), 1);
        QCOMPARE(reset.count(), 0);
        model.update({evaluation(1, "validation", 0.1)});
        QCOMPARE(reset.count(), 1);
        QCOMPARE(model.rowCount(), 1);
    }
    void runsAreSortedByRawValues() {
        RunsModel model;
        const QAbstractItemModelTester tester(&model, kMode);
        model.setRuns(ExampleRun::entries("/runs"));
        const QModelIndex started = model.index(0, int(RunsModel::Column::Started));
        QCOMPARE(started.data(RunsModel::SortRole).toDouble(), ExampleRun::kStartWallTime);
        QVERIFY(model.index(0, 0).data(RunsModel::RunningRole).toBool());
    }
    void runsAreComparedByTheFigureOfTheirTask() {
        RunsModel model;
        const auto run = [](const char* folder, const char* name,
                            const std::optional<job::Score>& score) {
            job::RunEntry entry;
            entry.runDir = folder;
            entry.name = name;
            entry.status = "completed";
            entry.testScore = score;
            return entry;
        };
        model.setRuns({run("/a", "houses", job::Score{"root_mean_squared_error", 51234, false}),
                       run("/b", "houses", job::Score{"root_mean_squared_error", 60000, false}),
                       run("/c", "houses", std::nullopt),
                       run("/d", "digits", job::Score{"accuracy", 0.981, true}),
                       run("/e", "gpt", job::Score{"accuracy", 0.4, true}),
                       run("/f", "gpt", job::Score{"accuracy", 0.5, true})});
        const auto score = [&model](int row, int role = Qt::DisplayRole) {
            return model.index(row, int(RunsModel::Column::Score)).data(role);
        };
        const auto words = [&score](int row, int role = Qt::DisplayRole) {
            return score(row, role).toString().replace(QChar(0x202f), QLatin1Char(' '));
        };
        QCOMPARE(words(0), QStringLiteral("RMSE  51 234"));
        QCOMPARE(words(2), QStringLiteral("–"));
        QCOMPARE(words(3), QStringLiteral("accuracy  98.10 %"));
        // Lower errors and higher shares are better; a run alone is the best of nothing.
        const QVector<bool> best{true, false, false, false, false, true};
        for (int row = 0; row < best.size(); ++row)
            QCOMPARE(score(row, RunsModel::BestRole).toBool(), best[row]);
        QVERIFY(score(0, RunsModel::SortRole).toDouble() >
                score(1, RunsModel::SortRole).toDouble());
        QVERIFY(score(2, RunsModel::SortRole).isNull());
        QCOMPARE(words(0, Qt::ToolTipRole),
                 QStringLiteral("Root mean squared error of the test data; lower is better. The "
                                "best of 2 runs of houses."));
    }
    void aRunThatWasNeverValidatedIsNotSaidToHaveABest() {
        RunsModel model;
        job::RunEntry entry;
        model.setRuns({entry});
        const auto tip = [&model] {
            const QModelIndex cell = model.index(0, int(RunsModel::Column::Validation));
            return cell.data(Qt::ToolTipRole).toString();
        };
        QCOMPARE(tip(), QStringLiteral("Nothing was validated"));
        entry.validationScore = job::Score{"loss", 0.5, false};
        model.setRuns({entry});
        QVERIFY2(tip().startsWith(QStringLiteral("The best after an epoch")), qPrintable(tip()));
    }
    /// Its column is never wide.
    void whatALegendOfComparedRunsCutsOffIsInItsTip() {
        RunsModel runs;
        job::RunEntry entry;
        entry.runDir = "/runs/digits-20261120-140512";
        job::RunEntry called = entry;
        called.about.name = "with twice the layers and half of the learning rate";
        runs.setRuns({entry, called});
        ComparedRunsModel model([](int) { return QColor(); });
        model.setSourceModel(&runs);
        const auto tip = [&model](int row) {
            const QModelIndex cell = model.index(row, int(RunsModel::Column::Folder));
            return cell.data(Qt::ToolTipRole).toString();
        };
        QVERIFY2(tip(0).startsWith(QStringLiteral("digits-20261120-140512\n/runs/digits-2026")),
                 qPrintable(tip(0)));
        QVERIFY(tip(0).contains(QStringLiteral("shows or hides")));
        QVERIFY2(tip(1).startsWith(QString::fromStdString(called.about.name) +
                                   QStringLiteral("\n/runs/")),
                 qPrintable(tip(1)));
        model.setProblem(1, QStringLiteral("there is no journal"));
        QVERIFY2(tip(1).startsWith(QString::fromStdString(called.about.name) +
                                   QStringLiteral(": there is no journal\n/runs/")),
                 qPrintable(tip(1)));
    }
    void whatWasNotTestedIsHeldAgainstTheBestByItsValidation() {
        using Score = std::optional<job::Score>;
        const auto run = [](Score test, Score validation) {
            job::RunEntry entry;
            entry.name = "digits";
            entry.testScore = std::move(test);
            entry.validationScore = std::move(validation);
            return entry;
        };
        const auto loss = [](double value) { return job::Score{"loss", value, false}; };
        const auto accuracy = [](double value) { return job::Score{"accuracy", value, true}; };
        RunsModel model;
        model.setRuns({run({}, loss(0.5)), run({}, loss(0.2)), run({}, accuracy(0.99)),
                       run({}, loss(0.1)), run({}, {})});
        QCOMPARE(model.rivalOf(0), 3);
        QCOMPARE(model.rivalOf(3), 1);
        QCOMPARE(model.rivalOf(2), -1);  // the only one of its figure
        QCOMPARE(model.rivalOf(4), 3);   // by the figure of the newest one
        model.setRuns({run({}, loss(0.5)), run({}, loss(0.1)), run(loss(0.4), loss(0.3))});
        QCOMPARE(model.rivalOf(0), 2);  // tested before all
    }
    void aResumeGoesOnFromTheNewestCheckpointThatIsStillThere() {
        job::RunView view;
        QVERIFY(newestUsableCheckpoint(view) == nullptr);
        view.checkpoints = {{.step = 100, .path = {}, .error = {}},
                            {.step = 200, .path = {}, .error = {}},
                            {.step = 300, .path = {}, .error = "no space is left"},
                            {.step = 400, .path = {}, .error = {}, .deleted = true}};
        QVERIFY(newestUsableCheckpoint(view) == &view.checkpoints[1]);
        view.checkpoints[1].deleted = true;
        QVERIFY(newestUsableCheckpoint(view) == &view.checkpoints[0]);
        view.checkpoints[0].error = "no space is left";
        QVERIFY(newestUsableCheckpoint(view) == nullptr);
    }
    void onlyARunThatEndedBeforeItsTimeIsResumed() {
        job::RunView view;
        for (int state = 0; state <= int(job::RunState::Stopped); ++state) {
            view.state = job::RunState(state);
            const bool endedEarly =
                view.state == job::RunState::Failed || view.state == job::RunState::Stopped;
            view.checkpoints = {{.step = 100, .path = {}, .error = {}}};
            QCOMPARE(canResume(view), endedEarly);
            view.checkpoints.front().deleted = true;
            QVERIFY(!canResume(view));
            view.checkpoints.clear();
            QVERIFY(!canResume(view));
        }
    }
    void whoIsSlowOrLateStandsOutOfManyAndStaysForAWhile() {
        ReplicaOutliers outliers;
        job::RunView view;
        for (int replica = 0; replica < 16; ++replica) {
            view.replicas.emplace_back();
            view.replicas.back().replica = replica;
        }
        int next = 1;
        const auto train = [&](float factor) {
            for (int replica = 0; replica < 16; ++replica) {
                job::StepColumns columns;
                columns.replica = replica;
                columns.firstStep = next;
                const float work = replica == 5 ? 1000 * factor : 1000 + float(replica);
                columns.stepMicroseconds.assign(400, 3000);
                columns.loss.assign(400, 1 + 0.001F * float(replica));
                columns.phaseMicroseconds[std::size_t(job::Phase::AllReduce)].assign(400,
                                                                                     3000 - work);
                outliers.add(columns);
            }
            next += 400;
        };
        QVERIFY(outliers.find(view).empty());
        train(1.1F);
        QVERIFY(outliers.find(view).empty());
        train(1.5F);
        QCOMPARE(outliers.find(view), std::vector<int>{5});
        train(1.2F);
        QCOMPARE(outliers.find(view), std::vector<int>{5});  // not yet as the others
        train(1.0F);
        QVERIFY(outliers.find(view).empty());
        view.replicas[9].liveness = job::Liveness::Late;
        view.replicas[3].liveness = job::Liveness::Lost;
        QCOMPARE(outliers.find(view), (std::vector<int>{3, 9}));
    }
};

QTEST_MAIN(ModelsTest)
#include "tst_models.moc"
