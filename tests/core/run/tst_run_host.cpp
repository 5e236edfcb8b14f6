// SPDX-License-Identifier: Apache-2.0
// A hosted run from its beginning to its end: what lies in its folder, who may join, how it ends.
#include <sys/stat.h>

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/exit_status.h"
#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/summary_limit.h"
#include "core/checkpoint/suspect_mark.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/coordination/monitor/monitor_key.h"
#include "core/coordination/ticket/job_keys.h"
#include "core/coordination/ticket/start_ticket.h"
#include "core/run/run_host.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"

using namespace lockstep;
using namespace lockstep::run;
using coordination::Outcome;
using coordination::OutcomeKind;

namespace fs = std::filesystem;

namespace {

/// Nobody watches these runs.
constexpr EndPatience kAtOnce{std::chrono::seconds(10), std::chrono::seconds(10), Nanos{}, Nanos{}};
constexpr const char* kCompleted = R"({"status": "completed", "trained_steps": 8, "steps": 8})";
constexpr const char* kNothingLeft = R"({"status": "completed", "trained_steps": 0, "steps": 8})";

RunPlan planOf(const fs::path& folder) {
    RunPlan plan;
    plan.runId = randomHex(6);
    plan.folder = folder;
    plan.job = config::withLocalProcesses({}, 2);
    plan.job.cluster.evaluator = false;
    plan.jobToml = config::resolvedToml(plan.job);
    plan.listen = {"127.0.0.1", 0};
    return plan;
}

Outcome outcomeOf(OutcomeKind kind, const std::string& text) {
    Outcome outcome;
    outcome.kind = kind;
    if (kind == OutcomeKind::Failed || kind == OutcomeKind::BadInput) {
        outcome.failure.set_process_id(1);
        outcome.failure.set_host("host-b");
        outcome.failure.set_cause(text);
    } else {
        outcome.summaryJson = text;
    }
    return outcome;
}

nlohmann::json summaryIn(const fs::path& folder) {
    return nlohmann::json::parse(readFile(RunPaths{folder}.summary(), 1 << 20).value());
}

std::vector<wire::Record> recordsIn(const fs::path& folder) {
    const std::string journal = readFile(RunPaths{folder}.journal(), 64 << 20).value();
    telemetry::FrameCursor cursor(journal);
    std::vector<wire::Record> records;
    while (const auto bytes = cursor.next())
        records.push_back(wire::decode<wire::Record>(*bytes).value());
    return records;
}

/// The thread of the event files waits in it for as long as nobody reads this pipe: as with a disk
/// that hangs.
void makeEventsHang(const fs::path& folder) {
    fs::create_directories(RunPaths{folder}.events());
    QCOMPARE(::mkfifo((RunPaths{folder}.events() / ".position").c_str(), 0600), 0);
}

/// What the journal says of the run's end; empty where it says nothing.
wire::RunEnd endIn(const fs::path& folder) {
    wire::RunEnd end;
    for (const wire::Record& record : recordsIn(folder))
        if (record.has_run_end()) end = record.run_end();
    return end;
}

}  // namespace

class RunHostTest : public QObject {
    Q_OBJECT

    QTemporaryDir temporary_;
    fs::path base_;
    int count_ = 0;

private slots:
    void initTestCase() { qputenv("XDG_RUNTIME_DIR", temporary_.path().toUtf8()); }
    void init() {
        base_ = fs::path(temporary_.path().toStdString()) / std::to_string(count_++);
        fs::create_directories(base_);
    }

    void whileItRunsItIsFoundAndWatched() {
        auto plan = planOf(base_ / "run");
        const std::string id = plan.runId;
        auto host = RunHost::open(std::move(plan)).value();
        const RunPaths paths{base_ / "run"};
        QVERIFY(isLocked(paths));
        QCOMPARE(readRunId(paths), id);
        QVERIFY(fs::exists(paths.job()) && fs::exists(paths.journal()));
        const Contact contact = readContact(paths).value();
        QCOMPARE(contact.runId, id);
        QCOMPARE(contact.endpoint, host->coordinator()->monitorEndpoint());
        QVERIFY(coordination::readMonitorKey(contact.keyFile));
        const fs::perms mode = fs::status(contact.keyFile).permissions();
        QVERIFY((mode & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
        std::ignore = host->conclude(outcomeOf(OutcomeKind::Completed, kCompleted), kAtOnce);
        QVERIFY(!fs::exists(paths.contact()));
        QVERIFY(!fs::exists(contact.keyFile.parent_path()));
    }
    void theEndIsWrittenAndReturned() {
        auto host = RunHost::open(planOf(base_ / "run")).value();
        host->beginGeneration(outcomeOf(OutcomeKind::Failed, "was killed"));
        const wire::RunEnd end =
            host->conclude(outcomeOf(OutcomeKind::Failed, "was killed again"), kAtOnce);
        QCOMPARE(end.exit_status(), std::uint32_t{kExitFailed});
        QCOMPARE(end.error(), std::string("process 1 (host-b): was killed again"));
        const nlohmann::json summary = summaryIn(base_ / "run");
        QCOMPARE(summary.dump(), nlohmann::json::parse(end.summary_json()).dump());
        QCOMPARE(summary["status"].get<std::string>(), std::string("failed"));
        QCOMPARE(summary["restarts"].get<int>(), 1);
        QCOMPARE(summary["world_size"].get<int>(), 2);
        QCOMPARE(summary["failures"].size(), std::size_t{2});
        QCOMPARE(summary["failures"][0]["cause"].get<std::string>(), std::string("was killed"));
    }
    void theSummaryCountsTheRecordsThatWereWrittenAndFindsTheDamagedOnes() {
        constexpr std::uint64_t kLines = 50;
        const RunPaths paths{base_ / "run"};
        auto host = RunHost::open(planOf(paths.folder)).value();
        for (std::uint64_t i = 0; i < kLines; ++i) {
            wire::Record line;
            line.mutable_log()->set_text("a line");
            host->append(std::move(line));
        }
        QTRY_VERIFY_WITH_TIMEOUT(recordsIn(paths.folder).size() >= kLines, 10'000);
        std::ignore = host->conclude(outcomeOf(OutcomeKind::Failed, "was killed"), kAtOnce);
        const auto written = recordsIn(paths.folder).size();
        const nlohmann::json records = summaryIn(paths.folder)["records"];
        QVERIFY2(records["written"] >= kLines && records["written"] <= written,
                 records.dump().c_str());
        QVERIFY(records["dropped"] == 0 && records["damaged"] == 0);
        host.reset();

        std::string journal = readFile(paths.journal(), 64 << 20).value();
        journal[journal.find("a line")] ^= 1;
        QVERIFY(replaceFileDurably(paths.journal(), journal));
        auto plan = planOf(paths.folder);
        plan.resume = true;
        host = RunHost::open(std::move(plan)).value();
        std::ignore = host->conclude(outcomeOf(OutcomeKind::Failed, "was killed"), kAtOnce);
        const nlohmann::json again = summaryIn(paths.folder)["records"];
        QVERIFY2(again["damaged"] == 1 && again["written"] < kLines, again.dump().c_str());
        QVERIFY(again["damage"].get<std::string>().starts_with("the journal is damaged at byte "));
    }
    void aCheckpointBehindWhichTheLossSoonBecameNanIsMarked() {
        auto host = RunHost::open(planOf(base_ / "run")).value();
        const RunPaths paths{base_ / "run"};
        fs::create_directories(paths.checkpoints() / "step-100");
        Outcome outcome = outcomeOf(OutcomeKind::Failed, "the loss became nan at step 103");
        outcome.failure.set_step(102);
        outcome.failure.set_suspect_checkpoint(100);
        host->beginGeneration(outcome);
        QCOMPARE(checkpoint::suspicionOf(paths.checkpoints(), 100),
                 std::optional(checkpoint::Suspicion{100, 103, "the loss became nan at step 103"}));
        outcome.remedy = "Lower it.\nThose before are good: --resume continues from the newest.";
        const wire::RunEnd end = host->conclude(outcome, kAtOnce);
        QCOMPARE(end.remedy(),
                 std::string("Lower it.\nThe checkpoint of step 100 is marked as suspect: --resume "
                             "goes on from one before it, if there is one.\nTo have it taken, "
                             "delete the file checkpoints/step-100/suspect."));
        QCOMPARE(end.suspect_checkpoint(), 100U);
        QCOMPARE(end.suspect_failed_at(), 103U);
        const auto records = recordsIn(base_ / "run");
        QVERIFY(std::ranges::any_of(records, [](const wire::Record& record) {
            return record.notice().sentence() ==
                   "the checkpoint of step 100 is marked as suspect: its loss became NaN within 3 "
                   "steps of it";
        }));
    }
    void anEndThatNoRecordHoldsIsJournalledWithoutItsLists() {
        auto host = RunHost::open(planOf(base_ / "run")).value();
        Outcome outcome = outcomeOf(OutcomeKind::Completed, kCompleted);
        outcome.drills.resize(1000);
        for (wire::Drill& drill : outcome.drills)
            drill.set_sentence(std::string(200, 'x'));
        const wire::RunEnd end = host->conclude(outcome, kAtOnce);
        QVERIFY(end.summary_json().size() > telemetry::kMaxJournalRecordBytes);
        QCOMPARE(readFile(base_ / "run" / "summary.json", kMostSummaryBytes).value(),
                 end.summary_json());
        const wire::RunEnd told = endIn(base_ / "run");
        QCOMPARE(told.status(), std::string("completed"));
        const auto summary = nlohmann::json::parse(told.summary_json());
        QVERIFY(summary["drills"].is_null());
        QVERIFY(summary["left_out"].get<std::string>().starts_with("drills: "));
        QCOMPARE(summary["steps"].get<int>(), 8);
        QVERIFY(summary["missing_records"].is_null());
    }
    void ofManyLinesAtOnceEachIsJournalledOrCountedAndANoticeIsNeverLost() {
        constexpr int kLines = 100'000;
        constexpr int kNotices = 10;
        auto host = RunHost::open(planOf(base_ / "run")).value();
        for (int i = 0; i < kLines; ++i) {
            wire::Record line;
            line.mutable_log()->set_role(wire::ROLE_WORKER);
            line.mutable_log()->set_process_id(1);
            line.mutable_log()->set_text("a line");
            host->append(std::move(line));
            if (i % (kLines / kNotices) != 0) continue;
            wire::Record notice;
            notice.mutable_notice()->set_sentence("a notice");
            host->append(std::move(notice));
        }
        std::ignore = host->conclude(outcomeOf(OutcomeKind::Completed, kCompleted), kAtOnce);
        int lines = 0;
        int notices = 0;
        for (const wire::Record& record : recordsIn(base_ / "run")) {
            const QString text = QString::fromStdString(record.log().text());
            if (text == "a line") ++lines;
            if (text.contains("log line")) lines += text.section(' ', 0, 0).toInt();
            if (record.has_notice()) ++notices;
        }
        QCOMPARE(lines, kLines);
        QCOMPARE(notices, kNotices);
    }
    void aRunThatIsRefusedBeforeTheFirstStepLeavesNothing() {
        auto host = RunHost::open(planOf(base_ / "a" / "run")).value();
        const wire::RunEnd end =
            host->conclude(outcomeOf(OutcomeKind::BadInput, "no such data"), kAtOnce);
        QCOMPARE(end.exit_status(), std::uint32_t{kExitBadInput});
        QCOMPARE(end.error(), std::string("process 1 (host-b): no such data"));
        QVERIFY(!fs::exists(base_ / "a"));
    }
    void whatWasTrainedIsNeverGivenUp() {
        auto host = RunHost::open(planOf(base_ / "run")).value();
        fs::create_directories(host->paths().checkpoints());
        QVERIFY(replaceFileDurably(host->paths().checkpoints() / "LATEST", "8\n"));
        std::ignore = host->conclude(outcomeOf(OutcomeKind::BadInput, "no such data"), kAtOnce);
        QVERIFY(fs::exists(base_ / "run" / "checkpoints" / "LATEST"));
        QCOMPARE(summaryIn(base_ / "run")["status"].get<std::string>(), std::string("failed"));
    }
    void aStartThatCameToNothingLeavesNothing() {
        auto host = RunHost::open(planOf(base_ / "a" / "run")).value();
        const fs::path runtime = host->coordinator().monitorKeyFile().parent_path();
        host->takeBack();
        QVERIFY(!fs::exists(base_ / "a"));
        QVERIFY(!fs::exists(runtime));
    }
    void theFolderIsNotTakenBackFromUnderAThreadThatMayGoOnWriting() {
        for (const char* name : {"ended", "given-up"}) {
            makeEventsHang(base_ / name);
            auto host = RunHost::open(planOf(base_ / name)).value();
            EndPatience patience = kAtOnce;
            patience.eventFiles = patience.lastEvents = std::chrono::seconds(1);
            if (std::string_view(name) == "ended")
                std::ignore =
                    host->conclude(outcomeOf(OutcomeKind::BadInput, "no such data"), patience);
            else
                host->takeBack(patience.lastEvents);
            QVERIFY(fs::exists(RunPaths{base_ / name}.job()));
            QVERIFY(!fs::exists(RunPaths{base_ / name}.contact()));
        }
    }
    void aResumeThatTrainedNothingKeepsTheFormerRunsFiguresAndJob() {
        const RunPaths paths{base_ / "run"};
        {
            auto host = RunHost::open(planOf(paths.folder)).value();
            fs::create_directories(paths.checkpoints());
            std::ignore = host->conclude(outcomeOf(OutcomeKind::Completed, kCompleted), kAtOnce);
        }
        const std::string summary = readFile(paths.summary(), 1 << 20).value();
        const std::string job = readFile(paths.job(), 1 << 20).value();
        auto again = planOf(paths.folder);
        again.resume = true;
        again.jobToml += "# of another start\n";
        auto host = RunHost::open(std::move(again)).value();
        QVERIFY(readFile(paths.job(), 1 << 20).value() != job);
        const wire::RunEnd end =
            host->conclude(outcomeOf(OutcomeKind::Completed, kNothingLeft), kAtOnce);
        QCOMPARE(end.exit_status(), std::uint32_t{kExitDone});
        QCOMPARE(end.summary_json(), summary);
        QCOMPARE(readFile(paths.summary(), 1 << 20).value(), summary);
        QCOMPARE(readFile(paths.job(), 1 << 20).value(), job);
    }
    void whereTheRecordsOfAResumeBeginIsSaid() {
        const RunPaths paths{base_ / "run"};
        {
            auto host = RunHost::open(planOf(paths.folder)).value();
            QCOMPARE(readContact(paths)->journalStart, std::uint64_t{0});
            fs::create_directories(paths.checkpoints());
            std::ignore = host->conclude(outcomeOf(OutcomeKind::Completed, kCompleted), kAtOnce);
        }
        const auto bytes = fs::file_size(paths.journal());
        auto again = planOf(paths.folder);
        again.resume = true;
        auto host = RunHost::open(std::move(again)).value();
        QVERIFY(bytes > 0);
        QCOMPARE(readContact(paths)->journalStart, std::uint64_t{bytes});
        host->takeBack();
    }
    void processesAreAdmittedWithKeysOfTheirOwn() {
        auto host = RunHost::open(planOf(base_ / "run")).value();
        const wire::WorkerConfig own = host->configFor({wire::ROLE_WORKER, 0}).value();
        QCOMPARE(own.coordinator_address(), host->coordinator().addressHere());
        QCOMPARE(own.num_processes(), 2U);
        QCOMPARE(own.segment_fd(), -1);
        wire::StartTicket ticket = host->blankTicket();
        QVERIFY(host->admit({wire::ROLE_WORKER, 1}, ticket));
        const auto keys = coordination::keysOf(ticket, {wire::ROLE_WORKER, 1});
        QVERIFY(keys.has_value());
        QCOMPARE(keys->server_public(), own.keys().server_public());
        QVERIFY(keys->own_public() != own.keys().own_public());
        QVERIFY(!coordination::keysOf(ticket, {wire::ROLE_WORKER, 0}));
        host->takeBack();
    }
    void whoComesAfterTheEndReadsWhyThereIsNothingToJoin_data() {
        QTest::addColumn<bool>("namesStart");
        QTest::newRow("the ticket's name is of this start alone") << true;
        QTest::newRow("other starts use the name, too") << false;
    }
    void whoComesAfterTheEndReadsWhyThereIsNothingToJoin() {
        QFETCH(const bool, namesStart);
        const fs::path file = base_ / "start.key";
        auto host = RunHost::open(planOf(base_ / "run")).value();
        wire::StartTicket ticket = host->blankTicket();
        QVERIFY(host->admit({wire::ROLE_AGENT, 1}, ticket));
        QVERIFY(host->offerTicket(file, namesStart, ticket));
        QVERIFY(coordination::readTicket(file).value()->error().empty());
        std::ignore = host->conclude(outcomeOf(OutcomeKind::Failed, "was killed"), kAtOnce);
        QCOMPARE(fs::exists(file), namesStart);
        if (!namesStart) return;  // it was there for seconds
        const wire::StartTicket refusal = *coordination::readTicket(file).value();
        QVERIFY(QString::fromStdString(refusal.error())
                    .endsWith("was over before this process had "
                              "joined: process 1 (host-b): was "
                              "killed"));
        QCOMPARE(refusal.exit_status(), std::uint32_t{kExitFailed});
        QCOMPARE(refusal.members_size(), 0);
    }
    void nobodyIsRefusedWhereAllHaveCome() {
        const fs::path file = base_ / "start.key";
        auto host = RunHost::open(planOf(base_ / "run")).value();
        QVERIFY(host->offerTicket(file, true, host->blankTicket()));
        std::ignore = host->conclude(outcomeOf(OutcomeKind::Failed, "was killed"), kAtOnce);
        QVERIFY(!fs::exists(file));
    }
};

QTEST_GUILESS_MAIN(RunHostTest)
#include "tst_run_host.moc"
