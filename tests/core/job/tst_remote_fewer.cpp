// SPDX-License-Identifier: Apache-2.0
// A tied launch over ssh that has lost a host for good, and no spare: it goes on with those that
// are left, where the job says that they are enough.
#include <QtTest>

#include "core/job/source/remote_record.h"
#include "tests/core/job/records.h"
#include "tests/core/job/restarting_run.h"

using namespace lockstep;
using namespace lockstep::job;
using namespace lockstep::job::test;

namespace {

bool warnsOf(RemoteSource& source, const std::string& sentence) {
    for (;;) {
        const std::string warning = source.takeWarning();
        if (warning.find(sentence) != std::string::npos) return true;
        if (warning.empty()) return false;
    }
}

}  // namespace

class RemoteFewerTest : public QObject {
    Q_OBJECT

private slots:
    void aHostThatStaysLostIsLeftBehind() {
        RestartingRun place;
        place.leastProcesses = 1;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        QVERIFY2(follows(place, *source, 2), words(source->status().ending).c_str());
        const wire::AgentConfig again = place.starts().back().start_agent();
        QCOMPARE(again.failures_before_size(), 1);
        QVERIFY(again.resume());
        QCOMPARE(again.other_agents_size(), 0);
        QCOMPARE(again.left_hosts_size(), 1);
        QCOMPARE(again.left_hosts(0).host(), std::string("host1"));
        QCOMPARE(again.left_hosts(0).process_ids(0), 1U);
        QCOMPARE(again.left_hosts(0).processes_left(), 1U);
        QCOMPARE(again.left_hosts(0).processes_launched(), 2U);
        QCOMPARE(place.job().cluster.numProcesses, 1);
    }
    void aHostThatComesBackInTimeIsNotLeftBehind() {
        RestartingRun place;
        place.leastProcesses = 1;
        place.patience.attempts = kPatience;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        QVERIFY(pull(*source, [&] {
            return source->status().link.sentence.find("nobody is there") != std::string::npos;
        }));
        place.hosts.comeBack("host1");
        QVERIFY(follows(place, *source, 2));
        QCOMPARE(place.starts().back().start_agent().left_hosts_size(), 0);
        QCOMPARE(place.job().cluster.numProcesses, 2);
    }
    void aSpareComesFirst() {
        RestartingRun place;
        place.leastProcesses = 1;
        place.spares = {"host2"};
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        QVERIFY(follows(place, *source, 2));
        QCOMPARE(place.starts().back().start_agent().replaced_hosts_size(), 1);
        QCOMPARE(place.starts().back().start_agent().left_hosts_size(), 0);
        place.hosts.lose("host2");  // and host1 is still lost
        QVERIFY2(follows(place, *source, 3), words(source->status().ending).c_str());
        const wire::AgentConfig again = place.starts().back().start_agent();
        QCOMPARE(again.replaced_hosts_size(), 1);
        QCOMPARE(again.left_hosts_size(), 1);
        QCOMPARE(again.left_hosts(0).host(), std::string("host2"));
        QCOMPARE(again.left_hosts(0).restart(), 2U);
    }
    void whereEveryProcessIsNeededTheLaunchEndsAndTheKeyIsNamed() {
        RestartingRun place;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        QVERIFY(pullToTheEnd(*source));
        const std::string remedy = source->status().ending->remedy;
        QVERIFY2(remedy.find("launch.least_processes says how many processes are enough") !=
                     std::string::npos,
                 remedy.c_str());
    }
    void whereTooFewWouldBeLeftTheEndSaysSo() {
        RestartingRun place;
        place.leastProcesses = 2;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(place.starts().size(), std::size_t{1});
        const std::string error = words(source->status().ending);
        QVERIFY2(error.ends_with("and no other start was possible: process 1 (host1): nobody is "
                                 "there; the run does not go on without host1: 1 process would be "
                                 "left, and launch.least_processes is 2"),
                 error.c_str());
    }
    void processZerosPlaceGoesToAHostThatSeesTheRunsFolder() {
        RestartingRun place;
        place.leastProcesses = 1;
        showRun(place, true);
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host0");
        QVERIFY2(follows(place, *source, 2), words(source->status().ending).c_str());
        const wire::AgentConfig again = place.starts().back().start_agent();
        QCOMPARE(again.left_hosts(0).host(), std::string("host0"));
        QCOMPARE(again.run_dir(), place.starts().front().start_agent().run_dir());
        QCOMPARE(again.process_ids(0), 0U);
        QCOMPARE(place.job().cluster.jobAddresses.front().host, std::string("host1"));
        QVERIFY(pull(*source, [&] {
            const auto record = readRemoteRecord(place.folder);
            return record && record->place.host == "host1";
        }));
    }
    void whatLayOnTheLostHostAloneIsNotGoneOnWith() {
        RestartingRun place;
        place.leastProcesses = 1;
        showRun(place, false);
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host0");
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(place.starts().size(), std::size_t{1});
        const std::string error = words(source->status().ending);
        QVERIFY2(error.find("; the run does not go on without host0: host1 cannot take the place "
                            "of process 0's host: it does not see the run's folder ") !=
                     std::string::npos,
                 error.c_str());
    }
    void processZerosPlaceGoesToTheHostThatHasTheCopy() {
        RestartingRun place;
        place.leastProcesses = 1;
        showRun(place, false);
        serveJournal(place, {runInfo(0), copyOn("host1")});
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.killAgent("host0");  // then the journal is read to its end
        QVERIFY(isDue(*source));
        place.hosts.lose("host0");
        QVERIFY2(follows(place, *source, 2), words(source->status().ending).c_str());
        const wire::AgentConfig again = place.starts().back().start_agent();
        QCOMPARE(again.run_dir(), std::string("/copy"));
        QCOMPARE(again.left_hosts(0).host(), std::string("host0"));
        QVERIFY(warnsOf(*source,
                        "the run goes on in the copy that host1 has, in /copy, which had the "
                        "checkpoint of step 10; the logs and event files of host0 stay there"));
    }
    void whoShallBeTheNextHomeIsLookedAtAgain() {
        RestartingRun place;
        place.leastProcesses = 1;
        showRun(place, true);
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.on(wire::ToHost::kExamine, [&place](const wire::ToHost&) {
            wire::FromHost answer;
            if (place.hosts.heard(wire::ToHost::kExamine).size() == 1)
                return ScriptedHosts::refusal(ErrorCode::Timeout, "it is busy");
            answer.mutable_host_facts()->set_build("of the test");
            return answer;
        });
        place.hosts.lose("host0");
        QVERIFY2(follows(place, *source, 2), words(source->status().ending).c_str());
        QCOMPARE(place.hosts.heard(wire::ToHost::kExamine).size(), std::size_t{2});
        QCOMPARE(place.starts().back().start_agent().left_hosts(0).host(), std::string("host0"));
    }
    void aDetachedRunSaysThatItDoesNotGoOnWithoutALostHost() {
        RestartingRun place;
        place.leastProcesses = 1;
        place.tied = false;
        auto source = place.launch();
        QVERIFY(warnsOf(*source, "this run is detached: it does not go on without a lost host"));
    }
    void whoIsAskedToStopWhileTheNextHomeIsLookedAtStops() {
        RestartingRun place;
        place.leastProcesses = 1;
        place.hosts.on(wire::ToHost::kExamine,
                       [](const wire::ToHost&) { return wire::FromHost(); });  // it says nothing
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        showRun(place, true);
        place.hosts.lose("host0");
        QVERIFY(pull(*source, [&] {
            return source->status().link.sentence.ends_with(
                "looking whether host1 sees the run's folder");
        }));
        source->requestStop();
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(source->status().ending->exitStatus, 3);
    }
};

QTEST_GUILESS_MAIN(RemoteFewerTest)
#include "tst_remote_fewer.moc"
