// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <mutex>

#include "core/base/file.h"
#include "core/base/summary_limit.h"
#include "core/job/folding_session.h"
#include "core/job/journal_session.h"
#include "core/job/source/launch_source.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "tests/core/job/records.h"

using namespace lockstep;
using namespace lockstep::job;
using namespace lockstep::job::test;

namespace {

std::string frameOf(const wire::Record& record) {
    std::string frame;
    telemetry::appendFrame(wire::encode(record).value(), frame);
    return frame;
}

/// A coordinator's journal that the test writes while the session follows it.
class ScriptedSource final : public JournalSource {
public:
    struct Script {
        std::mutex mutex;
        std::string frames;
        Status status;
        std::atomic<int> stops{0};
        std::atomic<int> kills{0};
        std::atomic<int> waits{0};
        std::atomic<int> pulls{0};

        void write(const wire::Record& record) {
            const std::lock_guard lock(mutex);
            frames += frameOf(record);
        }
        void finish() {
            const std::lock_guard lock(mutex);
            status.exhausted = true;
        }
    };
    explicit ScriptedSource(std::shared_ptr<Script> script) : script_(std::move(script)) {}

    Result<std::optional<Piece>> next(Nanos timeout) override {
        ++script_->pulls;
        {
            const std::lock_guard lock(script_->mutex);
            if (offset_ < script_->frames.size()) {
                const std::size_t offset = std::exchange(offset_, script_->frames.size());
                return Piece{offset, script_->frames.substr(offset)};
            }
        }
        // a pause: a source waits for news as long as it may
        std::this_thread::sleep_for(std::min<Nanos>(timeout, Millis(2)));
        return std::nullopt;
    }
    Status status() const override {
        const std::lock_guard lock(script_->mutex);
        Status status = script_->status;
        status.exhausted = status.exhausted && offset_ == script_->frames.size();
        return status;
    }
    void requestStop() override { ++script_->stops; }
    void kill() override { ++script_->kills; }
    void waitLonger() override { ++script_->waits; }

private:
    std::shared_ptr<Script> script_;
    std::size_t offset_ = 0;
};

}  // namespace

class JournalSessionTest : public QObject {
    Q_OBJECT
    static constexpr int kPatience = 20'000;  // ms

    static void write(const QTemporaryDir& folder, const std::vector<wire::Record>& records) {
        const auto writer =
            telemetry::JournalWriter::open(folder.filePath("journal").toStdString()).value();
        for (const wire::Record& record : records)
            QVERIFY(writer->append(wire::encode(record).value()).has_value());
    }
    static std::vector<wire::Record> finishedRun() {
        return {runInfo(0),
                replicaInfo(1, 0, 0),
                runState(1, wire::RUN_STATE_TRAINING, "training on 1 replica"),
                steps(2, 0, 1, 100),
                heartbeat(3, 0, 0, 100, wire::PHASE_DONE),
                runEnd(4, "completed", R"({"status":"completed"})")};
    }

private slots:
    void aFinishedRunIsReadFromItsFolder() {
        const QTemporaryDir folder;
        write(folder, finishedRun());
        const auto session = openJournalSession(folder.path().toStdString()).value();
        QVERIFY(session->view() != nullptr);
        QTRY_COMPARE_WITH_TIMEOUT(session->view()->state, RunState::Completed, kPatience);
        const auto view = session->view();
        QCOMPARE(view->exitStatus, 0);
        QCOMPARE(view->step, 100);
        QVERIFY(view->caughtUp && !view->connected && view->isOver);
        QCOMPARE(view->replicas[0].liveness, Liveness::Left);
        QCOMPARE(view->runDir.string(), folder.path().toStdString());
        const auto columns = session->takeSteps();
        QCOMPARE(columns.size(), std::size_t{1});
        QCOMPARE(columns[0].loss.size(), std::size_t{100});
        QCOMPARE(session->takeHeartbeats().size(), std::size_t{1});
        QVERIFY(session->takeLogs().empty());
        QVERIFY(session->takeSteps().empty());
        session->requestStop();  // nothing to stop, nothing happens
        session->kill();
    }

    void aRunWithoutAnEndWasCutOff() {
        const QTemporaryDir folder;
        std::vector<wire::Record> records = finishedRun();
        records.pop_back();
        write(folder, records);
        const auto session = openJournalSession(folder.path().toStdString()).value();
        QTRY_COMPARE_WITH_TIMEOUT(session->view()->state, RunState::Failed, kPatience);
        QVERIFY(session->view()->sentence.find("cut off") != std::string::npos);
    }

    void aCutOffRunWhoseAgentALauncherMayStartAgainSaysSo() {
        const QTemporaryDir folder;
        std::vector<wire::Record> records = finishedRun();
        records.pop_back();
        records[0].mutable_run_info()->set_job_toml("[launch]\nmax_restarts = 2\n");
        write(folder, records);
        const auto session = openJournalSession(folder.path().toStdString()).value();
        QTRY_COMPARE_WITH_TIMEOUT(session->view()->state, RunState::Failed, kPatience);
        const auto view = session->view();
        // The launcher of a tied run may be about to do so.
        QVERIFY2(view->error.ends_with("none has taken its place so far"), view->error.c_str());
        QVERIFY(view->remedy.find("launch.max_restarts") != std::string::npos);
        QVERIFY(view->remedy.find("--resume") != std::string::npos);
    }

    void aDamagedRecordIsSaidAndSkipped() {
        const QTemporaryDir folder;
        write(folder, finishedRun());
        QFile file(folder.filePath("journal"));
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.seek(static_cast<qint64>(frameOf(runInfo(0)).size()) + 20));
        QVERIFY(file.putChar('\x7f'));
        file.close();
        const auto session = openJournalSession(folder.path().toStdString()).value();
        QTRY_COMPARE_WITH_TIMEOUT(session->view()->state, RunState::Completed, kPatience);
        const auto logs = session->takeLogs();
        QCOMPARE(logs.size(), std::size_t{1});
        QVERIFY(logs[0].text.find("damaged at byte") != std::string::npos);
        QCOMPARE(session->takeSteps().size(), std::size_t{1});
    }

    /// The run of `records`, in whose journal the byte at `offset` has a bit flipped.
    static void writeDamaged(const QTemporaryDir& folder, qint64 offset) {
        write(folder, finishedRun());
        QFile file(folder.filePath("journal"));
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.seek(offset));
        char byte = 0;
        QVERIFY(file.getChar(&byte));
        QVERIFY(file.seek(offset));
        QVERIFY(file.putChar(static_cast<char>(byte ^ 2)));
    }

    void aDamagedLengthHidesNothingBehindIt() {
        for (const qint64 byte : {0, 1, 2, 3}) {
            const QTemporaryDir folder;
            writeDamaged(folder, static_cast<qint64>(frameOf(runInfo(0)).size()) + byte);
            const auto session = openJournalSession(folder.path().toStdString()).value();
            QTRY_COMPARE_WITH_TIMEOUT(session->view()->state, RunState::Completed, kPatience);
            QCOMPARE(session->view()->exitStatus, 0);
            QCOMPARE(session->view()->step, 100);
            QVERIFY(session->view()->missing.find("damaged at byte") != std::string::npos);
            QCOMPARE(session->takeLogs().size(), std::size_t{1});
        }
    }

    void aRunWhoseEndIsDamagedEndedAsItsSummarySays() {
        const QTemporaryDir folder;
        std::size_t beforeEnd = 0;
        const auto records = finishedRun();
        for (std::size_t i = 0; i + 1 < records.size(); ++i)
            beforeEnd += frameOf(records[i]).size();
        writeDamaged(folder, static_cast<qint64>(beforeEnd) + 10);
        QFile summary(folder.filePath("summary.json"));
        QVERIFY(summary.open(QIODevice::WriteOnly));
        summary.write(R"({"status":"completed","test_accuracy":0.5})");
        summary.close();
        const auto session = openJournalSession(folder.path().toStdString()).value();
        QTRY_COMPARE_WITH_TIMEOUT(session->view()->state, RunState::Completed, kPatience);
        QVERIFY(session->view()->summaryJson.find("test_accuracy") != std::string::npos);
        QVERIFY(session->view()->missing.find("end of the journal is missing") !=
                std::string::npos);
        const auto logs = session->takeLogs();
        QCOMPARE(logs.size(), std::size_t{1});
        QVERIFY(logs[0].text.find("no whole record") != std::string::npos);
    }

    void whatTheJournalHadNoRoomForIsReadFromTheSummary() {
        const std::string kept = R"({"status":"completed","wall_seconds":2.5,"drills":null,)"
                                 R"("left_out":"drills: too long for the journal"})";
        const std::string whole = R"({"status":"completed","wall_seconds":2.5,"drills":[{}]})";
        const std::string other = R"({"status":"completed","wall_seconds":3.5,"drills":[]})";
        for (const std::string& file : {whole, other}) {
            const QTemporaryDir folder;
            auto records = finishedRun();
            records.back() = runEnd(4, "completed", kept);
            write(folder, records);
            QVERIFY(replaceFileDurably(folder.filePath("summary.json").toStdString(), file));
            const auto session = openJournalSession(folder.path().toStdString()).value();
            QTRY_COMPARE_WITH_TIMEOUT(session->view()->state, RunState::Completed, kPatience);
            // That of another start says nothing of this end.
            QCOMPARE(session->view()->summaryJson, file == whole ? whole : kept);
        }
    }

    void aRunWithoutAnEndWhoseSummaryCannotBeReadIsNotCalledCutOff() {
        const QTemporaryDir folder;
        auto records = finishedRun();
        records.pop_back();
        write(folder, records);
        QFile summary(folder.filePath("summary.json"));
        QVERIFY(summary.open(QIODevice::WriteOnly));
        QVERIFY(summary.resize(qint64{kMostSummaryBytes} + 1));  // a hole: it takes no room
        const auto session = openJournalSession(folder.path().toStdString()).value();
        QTRY_COMPARE_WITH_TIMEOUT(session->view()->state, RunState::Failed, kPatience);
        QVERIFY2(session->view()->error.starts_with("how the run ended is not known"),
                 session->view()->error.c_str());
    }

    void aFolderWithoutAJournalIsNotFound() {
        const QTemporaryDir folder;
        const auto session = openJournalSession(folder.path().toStdString());
        QVERIFY(!session);
        QCOMPARE(session.error().code, ErrorCode::NotFound);
    }

    void aReaderThatDoesNotTakeSlowsOnlyItsReplay() {
        const QTemporaryDir folder;
        {
            const auto writer =
                telemetry::JournalWriter::open(folder.filePath("journal").toStdString()).value();
            QVERIFY(writer->append(wire::encode(runInfo(0)).value()).has_value());
            for (std::uint64_t first = 1; first < 4'000'000; first += 4000) {
                QVERIFY(writer
                            ->append(wire::encode(
                                         steps(0.01 * static_cast<double>(first), 0, first, 4000))
                                         .value())
                            .has_value());
                QVERIFY(writer->flush());
            }
            QVERIFY(writer->append(wire::encode(runEnd(40'001, "completed")).value()).has_value());
        }
        const Nanos start = SteadyClock::read();
        const auto session = openJournalSession(folder.path().toStdString()).value();
        QTRY_VERIFY_WITH_TIMEOUT(session->view()->step >= 1'000'000, kPatience);
        QTest::qWait(150);  // a pause: by then it has stopped reading
        const std::int64_t stopped = session->view()->step;
        QVERIFY(stopped < 3'000'000);
        QTest::qWait(100);  // a pause: it must not go on meanwhile
        QCOMPARE(session->view()->step, stopped);
        std::size_t taken = 0;
        QTRY_VERIFY_WITH_TIMEOUT(
            [&] {
                for (const StepColumns& columns : session->takeSteps())
                    taken += columns.loss.size();
                return taken == 4'000'000;
            }(),
            kPatience);
        qInfo("%.2f s, a quarter of a second of it on purpose",
              Seconds(SteadyClock::read() - start).count());
        QTRY_COMPARE_WITH_TIMEOUT(session->view()->state, RunState::Completed, kPatience);
    }

    void whoeverShowsNoCurvesDiscardsThemAndReadsOn() {
        const QTemporaryDir folder;
        {
            const auto writer =
                telemetry::JournalWriter::open(folder.filePath("journal").toStdString()).value();
            const auto append = [&](const wire::Record& record) {
                QVERIFY(writer->append(wire::encode(record).value()) && writer->flush());
            };
            append(runInfo(0));
            wire::Record series = at(0);
            series.mutable_scalar_series()->set_id(1);
            series.mutable_scalar_series()->set_name("train/f1");
            append(series);
            constexpr int kValues = 8192;
            wire::Record figures = at(1);
            wire::ScalarColumn& column = *figures.mutable_scalars()->add_columns();
            column.set_id(1);
            column.set_first_wall_time(kStart);
            for (int i = 0; i < kValues; ++i) {
                column.add_steps(static_cast<std::uint64_t>(i));
                column.add_after_seconds(0);
                column.add_values(1);
            }
            for (int count = 0; count < 1'500'000; count += kValues)  // more than may wait
                append(figures);
            append(steps(2, 0, 1, 10));
            append(runEnd(3, "completed"));
        }
        const auto session = openJournalSession(folder.path().toStdString()).value();
        QTRY_VERIFY_WITH_TIMEOUT(
            [&] {
                session->discardSamples();
                return session->view()->state == RunState::Completed;
            }(),
            kPatience);
        QCOMPARE(session->view()->step, std::int64_t{10});
    }

    void aStopThatIsWishedBeforeTheRunIsThereIsHeard() {
        const QTemporaryDir folder;
        const std::string runDir = folder.filePath("run").toStdString();
        wire::AgentConfig config;
        config.set_run_id("0123456789ab");
        config.set_run_dir(runDir);
        config.set_job_dir(folder.path().toStdString());
        config.set_job_toml(
            "[job]\nname = \"early\"\n[data]\ndataset = \"digits\"\n[model]\nlayers = "
            "[{ type = \"dense\", units = 10 }]\n[training]\nglobal_batch_size = 512\n"
            "epochs = 100000\n");
        config.set_worker_program(LOCKSTEP_BINARY_DIR "/bin/lockstep-worker");
        config.set_tied(true);
        config.set_host_coordinator(true);
        config.add_process_ids(0);
        // Directly, since a session's thread may ask for the first piece before the wish comes.
        LaunchSource source(config);
        source.requestStop();
        std::string frames;
        for (const Nanos end = SteadyClock::read() + Millis(kPatience);
             !source.status().exhausted && SteadyClock::read() < end;) {
            const auto piece = source.next(Millis(20));
            QVERIFY2(piece, "the source goes on");
            if (*piece) frames += (*piece)->frames;
        }
        QVERIFY2(source.status().exhausted, "the run goes on and on");
        QFile summary(folder.filePath("run/summary.json"));
        QVERIFY(summary.open(QIODevice::ReadOnly));
        QVERIFY(summary.readAll().contains("\"stopped\""));
    }

    void aLiveSourceIsFollowedAndAsked() {
        const auto script = std::make_shared<ScriptedSource::Script>();
        script->status.link = {true, true, "connected"};
        FoldingSession session("/runs/r1", std::make_unique<ScriptedSource>(script));
        QVERIFY(session.view()->connected);
        script->write(runInfo(0));
        script->write(runState(1, wire::RUN_STATE_TRAINING, "training on 1 replica"));
        QTRY_COMPARE_WITH_TIMEOUT(session.view()->state, RunState::Training, kPatience);
        wire::Record stuck;
        stuck.mutable_verdict()->set_sentence(
            "process 0 (here) has been in data for 12 s at step 3");
        stuck.mutable_verdict()->set_severity(2);
        stuck.mutable_verdict()->set_ends_at(31);
        stuck.mutable_verdict()->set_restarts(true);
        script->write(stuck);
        QTRY_COMPARE_WITH_TIMEOUT(session.view()->stuckEnd.wallTime, 31.0, kPatience);
        QVERIFY(session.view()->stuckEnd.restarts);
        session.waitLonger();
        QTRY_COMPARE_WITH_TIMEOUT(script->waits.load(), 1, kPatience);
        stuck.mutable_verdict()->Clear();
        script->write(stuck);
        QTRY_COMPARE_WITH_TIMEOUT(session.view()->stuckEnd.wallTime, 0.0, kPatience);
        session.requestStop();
        QTRY_COMPARE_WITH_TIMEOUT(script->stops.load(), 1, kPatience);
        session.kill();
        QTRY_COMPARE_WITH_TIMEOUT(script->kills.load(), 1, kPatience);
        script->write(runEnd(4, "stopped"));
        script->finish();
        QTRY_COMPARE_WITH_TIMEOUT(session.view()->exitStatus, 3, kPatience);
        QTest::qWait(20);  // a pause: by then its thread has ended
        const int pulls = script->pulls;
        QTest::qWait(60);  // a pause: nobody may pull meanwhile
        QCOMPARE(script->pulls.load(), pulls);
    }

    void aLaunchThatFailedEndsTheSession() {
        const auto script = std::make_shared<ScriptedSource::Script>();
        script->status.ending = Ending{2, "data/mnist: no such folder", "Download it."};
        script->status.exhausted = true;
        const FoldingSession session("/runs/r1", std::make_unique<ScriptedSource>(script));
        QTRY_COMPARE_WITH_TIMEOUT(session.view()->exitStatus, 2, kPatience);
        QCOMPARE(session.view()->error, std::string("data/mnist: no such folder"));
    }

    void aSessionEndsAtOnceEvenWithAFullMailbox() {
        const auto script = std::make_shared<ScriptedSource::Script>();
        for (std::uint64_t first = 1; first < 1'200'000; first += 4000)
            script->write(steps(0, 0, first, 4000));
        auto session =
            std::make_unique<FoldingSession>("/runs/r1", std::make_unique<ScriptedSource>(script));
        QTRY_VERIFY_WITH_TIMEOUT(session->view()->step > 1'000'000, kPatience);
        const Nanos start = SteadyClock::read();
        session.reset();
        QVERIFY(SteadyClock::read() - start < std::chrono::seconds(10));
    }
};

QTEST_GUILESS_MAIN(JournalSessionTest)
#include "tst_journal_session.moc"
