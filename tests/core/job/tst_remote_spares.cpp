// SPDX-License-Identifier: Apache-2.0
// A tied launch over ssh that does not reach a lost host again: a spare takes its place, or the
// reason why none does.
#include <QtTest>

#include "core/job/source/remote_record.h"
#include "tests/core/job/restarting_run.h"

using namespace lockstep;
using namespace lockstep::job;
using namespace lockstep::job::test;

namespace {

using Facts = std::function<void(wire::HostFacts&)>;

/// What every host that is examined tells.
void tell(RestartingRun& place, const Facts& change) {
    place.hosts.on(wire::ToHost::kExamine, [change](const wire::ToHost&) {
        wire::FromHost answer;
        answer.mutable_host_facts()->set_build("of the test");
        change(*answer.mutable_host_facts());
        return answer;
    });
}

std::vector<std::string> allWarnings(RemoteSource& source) {
    std::vector<std::string> all;
    for (;;) {
        all.push_back(source.takeWarning());
        if (all.back().empty()) return all;
    }
}

constexpr Nanos kSecond = std::chrono::seconds(1);

}  // namespace

class RemoteSparesTest : public QObject {
    Q_OBJECT

private slots:
    void aStartIsTriedForAWhileAndAsLongAgainOnceASpareIsThere() {
        const StartPatience patience{5 * kSecond, 120 * kSecond, 3 * kSecond};
        NextStart next("lost", 100 * kSecond, 10 * kSecond, patience, 60 * kSecond);
        QVERIFY(!next.isDue(114 * kSecond) && next.isDue(115 * kSecond));
        QVERIFY(next.triesAgain(270 * kSecond));  // the spares are waited for, too
        QVERIFY(!next.triesAgain(279 * kSecond));
        next.replaced(200 * kSecond);
        QVERIFY(next.isDue(200 * kSecond));
        QVERIFY(next.triesAgain(376 * kSecond) && !next.triesAgain(378 * kSecond));
        NextStart without("lost", 100 * kSecond, 10 * kSecond, patience, Nanos{});
        QVERIFY(without.triesAgain(231 * kSecond) && !without.triesAgain(233 * kSecond));
    }
    void noSpareBeginsBeforeWhatWasCutOffHasEndedByItsLease() {
        RestartingRun place;
        place.spares = {"host2"};
        place.spareAfterSeconds = 0;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        const Nanos lost = SteadyClock::read();
        place.hosts.lose("host1");
        QVERIFY(follows(place, *source, 2));
        QVERIFY(SteadyClock::read() - lost >= Millis(700));  // the lease, and what ends with it
    }
    void aHostThatIsLostLaterIsWaitedForFromThenOn() {
        RestartingRun place;
        place.spares = {"host2", "host3"};
        place.spareAfterSeconds = 1.5;
        place.patience.attempts = kPatience;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        const Nanos lost = SteadyClock::read();
        QVERIFY(pull(*source, [&] { return SteadyClock::read() - lost > Millis(1200); }));
        showRun(place, true);
        const Nanos later = SteadyClock::read();
        place.hosts.lose("host0");
        place.hosts.comeBack("host1");
        QVERIFY(follows(place, *source, 2));
        QVERIFY(SteadyClock::read() - later >= Millis(1500));
        QCOMPARE(place.starts().back().start_agent().replaced_hosts(0).host(),
                 std::string("host0"));
    }

    void aSpareTakesThePlaceOfAHostThatDoesNotComeBack() {
        RestartingRun place;
        place.spares = {"me@host2:22", "host3"};
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        QVERIFY(follows(place, *source, 2));
        const wire::AgentConfig again = place.starts().back().start_agent();
        QCOMPARE(again.failures_before_size(), 1);
        QCOMPARE(again.failures_before(0).host(), std::string("host1"));
        QCOMPARE(again.replaced_hosts_size(), 1);
        QCOMPARE(again.replaced_hosts(0).host(), std::string("host1"));
        QCOMPARE(again.replaced_hosts(0).spare(), std::string("me@host2:22"));
        QCOMPARE(again.replaced_hosts(0).process_ids(0), 1U);
        QCOMPARE(again.replaced_hosts(0).restart(), 1U);
        const config::JobSpec job = place.job();
        QCOMPARE(job.cluster.jobAddresses[1].host, std::string("host2"));
        QCOMPARE(job.launch.spares, (std::vector<std::string>{"host3", "host1"}));
        const auto joined = place.hosts.heard(wire::ToHost::kJoinAgent);
        QCOMPARE(joined.back().join_agent().own_address(), std::string("host2"));
        QCOMPARE(joined.back().join_agent().processes().process_ids(0), 1U);
        const auto opened = place.hosts.openedHosts();
        QCOMPARE(opened.back() == "me@host2:22" || opened[opened.size() - 2] == "me@host2:22",
                 true);
        QCOMPARE(std::ranges::count(opened, std::string("host3")), 0);
    }
    void aSpareThatCannotJoinIsFollowedByTheNext() {
        RestartingRun place;
        place.spares = {"host2", "host3"};
        place.patience.attempts = kPatience;
        place.hosts.on(wire::ToHost::kJoinAgent, [](const wire::ToHost& message) {
            wire::FromHost answer;
            answer.mutable_agent_ready();
            if (message.join_agent().own_address() == "host2")
                answer.mutable_agent_ready()->set_error("its disk is full");
            return answer;
        });
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        QVERIFY2(follows(place, *source, 2), words(source->status().ending).c_str());
        const wire::AgentConfig again = place.starts().back().start_agent();
        QCOMPARE(again.failures_before_size(), 1);
        QCOMPARE(again.replaced_hosts_size(), 1);  // host2 has taken no place
        QCOMPARE(again.replaced_hosts(0).host(), std::string("host1"));
        QCOMPARE(again.replaced_hosts(0).spare(), std::string("host3"));
        QCOMPARE(std::ranges::count(allWarnings(*source),
                                    "spare host2 could not join: its disk is full"),
                 1);
    }
    void aHostThatComesBackInTimeKeepsItsPlace() {
        RestartingRun place;
        place.spares = {"host2"};
        place.spareAfterSeconds = 20;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        QVERIFY(pull(*source, [&] {
            return source->status().link.sentence.find("nobody is there") != std::string::npos;
        }));
        place.hosts.comeBack("host1");
        QVERIFY(follows(place, *source, 2));
        QCOMPARE(place.starts().back().start_agent().replaced_hosts_size(), 0);
        QCOMPARE(place.job().cluster.jobAddresses[1].host, std::string("host1"));
    }
    void aHostThatWasReplacedIsTheLastSpareAndTakesAPlaceAgain() {
        RestartingRun place;
        place.spares = {"host2"};
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        QVERIFY(follows(place, *source, 2));
        place.hosts.comeBack("host1");
        place.hosts.lose("host2");
        QVERIFY(follows(place, *source, 3));
        const wire::AgentConfig again = place.starts().back().start_agent();
        QCOMPARE(again.replaced_hosts_size(), 2);
        QCOMPARE(again.replaced_hosts(1).spare(), std::string("host1"));
        QCOMPARE(again.replaced_hosts(1).restart(), 2U);
    }
    void theHostOfProcessZeroIsReplacedBySuchAsSeeTheRun() {
        RestartingRun place;
        place.spares = {"host2"};
        showRun(place, true);
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host0");
        QVERIFY(follows(place, *source, 2));
        const wire::AgentConfig again = place.starts().back().start_agent();
        QCOMPARE(again.replaced_hosts(0).host(), std::string("host0"));
        QCOMPARE(place.job().cluster.jobAddresses[0].host, std::string("host2"));
        QCOMPARE(again.run_dir(), place.starts().front().start_agent().run_dir());
        QVERIFY(pull(*source, [&] {
            const auto record = readRemoteRecord(place.folder);
            return record && record->place.host == "host2";
        }));
    }
    void whatOnlyTheLostHostHadIsNotBegunAnew() {
        RestartingRun place;
        place.spares = {"host2"};
        place.patience.attempts = Millis(700);
        showRun(place, false);
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host0");
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(place.starts().size(), std::size_t{1});
        QCOMPARE(source->status().ending->exitStatus, 1);
        const std::string error = words(source->status().ending);
        QVERIFY2(error.find("and no other start was possible: process 0 (host0): nobody is there; "
                            "spare host2: it does not see the run's folder ") != std::string::npos,
                 error.c_str());
    }
    void aMemberIsReplacedBySuchAsDoNotSeeTheRun() {
        RestartingRun place;
        place.spares = {"host2"};
        showRun(place, false);
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        QVERIFY(follows(place, *source, 2));
        QCOMPARE(place.starts().back().start_agent().replaced_hosts_size(), 1);
    }
    void aSpareThatLacksWhatItNeedsIsNamedWithWhatItLacks_data() {
        QTest::addColumn<QString>("lacks");
        QTest::newRow("data") << "it does not have train.csv";
        QTest::newRow("unreadable data")
            << "the job's data cannot be read there: permission denied";
        QTest::newRow("a worker") << "lockstep-worker does not run there";
    }
    void aSpareThatLacksWhatItNeedsIsNamedWithWhatItLacks() {
        QFETCH(const QString, lacks);
        RestartingRun place;
        place.spares = {"host2"};
        tell(place, [&](wire::HostFacts& facts) {
            facts.mutable_data()->set_needed(true);
            if (lacks.startsWith("it does not")) facts.mutable_data()->add_missing("train.csv");
            if (lacks.startsWith("the job")) facts.mutable_data()->set_error("permission denied");
            if (lacks.startsWith("lockstep")) facts.clear_build();
        });
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        QVERIFY(pullToTheEnd(*source));
        const QString error = QString::fromStdString(words(source->status().ending));
        QVERIFY2(error.contains("nobody is there; spare host2: " + lacks), qPrintable(error));
        const auto warnings = allWarnings(*source);
        QCOMPARE(std::ranges::count(warnings,
                                    "no spare can take the place of host1 now: spare "
                                    "host2: " +
                                        lacks.toStdString()),
                 1);
    }
    void withoutSparesTheKeyIsNamedThatWouldHaveHelped() {
        RestartingRun place;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        QVERIFY(pullToTheEnd(*source));
        const std::string remedy = source->status().ending->remedy;
        QVERIFY2(remedy.find("launch.spares names hosts") != std::string::npos, remedy.c_str());
    }
    void aDetachedRunSaysThatItUsesNoSpares() {
        RestartingRun place;
        place.spares = {"host2"};
        place.tied = false;
        auto source = place.launch();
        QVERIFY(source->takeWarning().starts_with(
            "this run is detached: no host of launch.spares takes the place of a lost one"));
    }
    void whoIsAskedToStopWhileASpareIsLookedAtStops() {
        RestartingRun place;
        place.spares = {"host2"};
        place.hosts.on(wire::ToHost::kExamine,
                       [](const wire::ToHost&) { return wire::FromHost(); });  // it says nothing
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.lose("host1");
        QVERIFY(pull(*source, [&] {
            return source->status().link.sentence.ends_with("looking at spare host2");
        }));
        source->requestStop();
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(source->status().ending->exitStatus, 3);
    }
};

QTEST_GUILESS_MAIN(RemoteSparesTest)
#include "tst_remote_spares.moc"
