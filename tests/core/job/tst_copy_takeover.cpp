// SPDX-License-Identifier: Apache-2.0
// A tied launch over ssh that has lost process 0's host and the run's folder with it: a spare goes
// on from the copy that another host has, or the reason why none does.
#include <QtTest>

#include "core/checkpoint/manifest.h"
#include "core/job/source/remote_record.h"
#include "tests/core/job/records.h"
#include "tests/core/job/restarting_run.h"

using namespace lockstep;
using namespace lockstep::job;
using namespace lockstep::job::test;

namespace {

std::string manifestWithoutFiles() {
    checkpoint::Manifest manifest;
    manifest.step = 10;
    return checkpoint::encodeManifest(manifest);
}

/// A run of 13 steps, whose checkpoint of step 10 has a copy on a host: no other folder holds any
/// checkpoint.
void keepCopy(RestartingRun& place, const std::string& host, const QString& state = "") {
    wire::Record steps;
    steps.mutable_steps()->set_first_step(11);
    for (int i = 0; i < 3; ++i)
        steps.mutable_steps()->add_loss(1);
    serveJournal(place, {runInfo(0), copyOn(host), steps});
    showRun(place, false);
    place.hosts.on(wire::ToHost::kStorePiece, [](const wire::ToHost&) {
        wire::FromHost answer;
        answer.mutable_done();
        return answer;
    });
    place.hosts.on(wire::ToHost::kReadCheckpoint, [](const wire::ToHost&) {
        wire::FromHost answer;
        answer.mutable_run_file()->set_bytes(manifestWithoutFiles());
        return answer;
    });
    place.hosts.on(wire::ToHost::kSurveyRun, [&place, state](const wire::ToHost& message) {
        wire::FromHost answer;
        wire::RunSurvey& survey = *answer.mutable_survey();
        survey.set_good(-1);
        if (message.survey_run().run_dir() != place.dir.path().toStdString() + "/there/run")
            return answer;
        survey.add_steps(10);
        if (state != "damaged") survey.set_good(10);
        survey.set_has_journal(true);
        survey.set_is_copy(state != "gone on");
        survey.set_in_use(state == "held");
        const auto starts = place.starts();
        survey.set_run_id(state == "another's" || starts.empty()
                              ? "somebody"
                              : starts.front().start_agent().run_id());
        return answer;
    });
}

}  // namespace

class CopyTakeoverTest : public QObject {
    Q_OBJECT

private slots:
    void aSpareThatDoesNotSeeTheRunGoesOnFromTheCopyInAFolderOfItsOwn() {
        RestartingRun place;
        place.spares = {"host2"};
        keepCopy(place, "host1");
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        const std::string former = place.starts().front().start_agent().run_dir();
        place.hosts.killAgent("host0");
        QVERIFY(isDue(*source));
        place.hosts.lose("host0");
        QVERIFY2(follows(place, *source, 2), words(source->status().ending).c_str());
        const wire::AgentConfig again = place.starts().back().start_agent();
        QCOMPARE(again.failures_before_size(), 1);
        QCOMPARE(again.replaced_hosts(0).host(), std::string("host0"));
        QCOMPARE(again.replaced_hosts(0).spare(), std::string("host2"));
        QVERIFY(again.run_dir().starts_with(former + "-"));
        QVERIFY2(again.restored().find("the run goes on from the copy that host1 has, in " +
                                       again.run_dir() +
                                       " on host2: from the checkpoint of step "
                                       "10; steps 11 to 13 are trained again") == 0,
                 again.restored().c_str());
        QVERIFY(pull(*source, [&] {
            const auto record = readRemoteRecord(place.folder);
            return record && record->place.host == "host2" &&
                   record->place.runDir == again.run_dir() && record->folderName == "run";
        }));
    }
    void aCopyThatIsHeldOrNoneAnyMoreIsNotGoneOnFrom_data() {
        QTest::addColumn<QString>("state");
        QTest::addColumn<QString>("reason");
        QTest::newRow("held") << "held"
                              << "process 1 (host1): a program still holds the copy";
        QTest::newRow("gone on") << "gone on"
                                 << "the run has been gone on with from its copy";
        QTest::newRow("another's") << "another's"
                                   << "is no copy of this run";
        QTest::newRow("damaged") << "damaged"
                                 << "holds no checkpoint that is whole";
    }
    void aCopyThatIsHeldOrNoneAnyMoreIsNotGoneOnFrom() {
        QFETCH(const QString, state);
        QFETCH(const QString, reason);
        RestartingRun place;
        place.spares = {"host2"};
        place.patience.attempts = Millis(700);
        keepCopy(place, "host1", state);
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.killAgent("host0");
        QVERIFY(isDue(*source));
        place.hosts.lose("host0");
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(place.starts().size(), std::size_t{1});
        const std::string error = words(source->status().ending);
        QVERIFY2(error.find(reason.toStdString()) != std::string::npos, error.c_str());
        QVERIFY(source->status().ending->remedy.find("host1 has a copy up to step 10") !=
                std::string::npos);
    }
    // A spare has taken process 0's place, and the run is resumed with the job file of before.
    void aResumeAsksTheHostThatHadTheRunLast() {
        RestartingRun place;
        place.resume = true;
        place.resumedHost = "host1";
        place.resumedDir = "/former";
        keepCopy(place, "host1");
        auto source = place.launch();
        QVERIFY(pull(*source, [&] { return !place.starts().empty(); }));
        std::map<std::string, int> surveyed;
        for (const wire::ToHost& message : place.hosts.heard(wire::ToHost::kSurveyRun))
            if (message.survey_run().list_only()) ++surveyed[message.survey_run().run_dir()];
        QCOMPARE(surveyed["/former"], 2);  // of host0 and of host1
        QCOMPARE(surveyed[place.dir.path().toStdString() + "/there/run"], 1);
    }
    void aResumeOnHostsThatLackTheNewestCheckpointIsRefusedAndSaysWhoHasIt() {
        RestartingRun place;
        place.resume = true;
        place.resumedHost = "host7";
        place.resumedDir = "/former";
        keepCopy(place, "host1");
        wire::Record committed;
        committed.mutable_checkpoint()->set_step(40);
        std::string journal;
        telemetry::appendFrame(wire::encode(committed).value(), journal);
        QVERIFY(replaceFileDurably(place.paths.journal(), journal));
        auto source = place.launch();
        QVERIFY(pullToTheEnd(*source));
        QVERIFY(place.starts().empty());
        const std::string error = words(source->status().ending);
        QVERIFY2(error.find("of step 40, lies on host7, in /former, which is none of the job's") !=
                     std::string::npos,
                 error.c_str());
        QCOMPARE(source->status().ending->exitStatus, 2);
    }
    void whereTheCopysHostIsLostTooNobodyIsPutInItsPlace() {
        RestartingRun place;
        place.spares = {"host2", "host3"};
        place.patience.attempts = Millis(1500);
        keepCopy(place, "host1");
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.killAgent("host0");
        QVERIFY(isDue(*source));
        place.hosts.lose("host0");
        place.hosts.lose("host1");
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(place.starts().size(), std::size_t{1});
        const std::string error = words(source->status().ending);
        QVERIFY2(error.ends_with("process 1 (host1): nobody is there"), error.c_str());
    }
    void aFolderThatThisMachineSeesIsNotGivenUpForItsCopy() {
        RestartingRun place;
        place.spares = {"host2"};
        place.patience.attempts = Millis(700);
        keepCopy(place, "host1");
        place.hosts.on(wire::ToHost::kSeeFolder, [](const wire::ToHost&) {
            wire::FromHost answer;
            answer.mutable_folder_seen()->set_seen(true);
            return answer;
        });
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.killAgent("host0");
        QVERIFY(isDue(*source));
        place.hosts.lose("host0");
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(place.starts().size(), std::size_t{1});
    }
};

QTEST_GUILESS_MAIN(CopyTakeoverTest)
#include "tst_copy_takeover.moc"
