// SPDX-License-Identifier: Apache-2.0
// A tied launch over ssh that loses a host: another start on all of them, or the reason why not.
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>

#include "core/base/ids.h"
#include "core/config/document/job_file.h"
#include "core/job/source/remote_record.h"
#include "core/job/source/remote_source.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "tests/core/config/job_texts.h"
#include "tests/core/job/records.h"
#include "tests/core/job/scripted_host.h"

using namespace lockstep;
using namespace lockstep::job;
using namespace lockstep::job::test;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kPatience{20};
constexpr Millis kLook{10};

std::string journalOf(const std::vector<wire::Record>& records) {
    std::string frames;
    for (const wire::Record& record : records)
        telemetry::appendFrame(wire::encode(record).value(), frames);
    return frames;
}

std::string words(const std::optional<Ending>& ending) {
    return ending ? ending->error : "no ending";
}

}  // namespace

class RemoteRestartTest : public QObject {
    Q_OBJECT

    struct Place {
        QTemporaryDir dir;
        fs::path folder = fs::path(dir.path().toStdString()) / "runs" / "run";
        run::RunPaths paths{folder};
        ScriptedHosts hosts{dir.path().toStdString()};
        StartPatience patience{Millis(200), Millis(400), Millis(100)};
        bool tied = true;
        int restarts = 2;

        Place() { fs::create_directories(folder); }

        std::unique_ptr<RemoteSource> launch() {
            launch::RemoteOrder order;
            for (std::uint32_t i = 0; i < 2; ++i)
                order.plan.push_back({"host" + std::to_string(i), "", {i}, false});
            auto job = config::JobDocument::parse(config::test::kMinimalJob, "job.toml")
                           ->checked()
                           .value();
            job.launch.maxRestarts = restarts;
            order.config.set_run_id(randomHex(6));
            order.config.set_run_dir(folder.string());
            order.config.set_job_toml(config::resolvedToml(job));
            order.folderName = "run";
            order.tied = tied;
            order.leaseSeconds = 0.5;
            return std::make_unique<RemoteSource>(RemoteSource::Options{
                paths, {}, std::move(order), hosts.makeLinks(), "", patience});
        }
        std::vector<wire::ToHost> starts() const { return hosts.heard(wire::ToHost::kStartAgent); }
        std::size_t attached() const { return hosts.heard(wire::ToHost::kAttach).size(); }
    };

    template <typename Condition>
    static bool pull(RemoteSource& source, Condition condition) {
        const Nanos deadline = SteadyClock::read() + kPatience;
        while (SteadyClock::read() < deadline) {
            if (!source.next(kLook)) return false;
            if (condition()) return true;
            if (source.status().exhausted) return false;
        }
        return false;
    }
    /// Until the start of this number is followed.
    static bool follows(const Place& place, RemoteSource& source, std::size_t start) {
        return pull(source, [&] {
            return place.attached() == start &&
                   source.status().link.sentence == "connecting to the run";
        });
    }
    static bool pullToTheEnd(RemoteSource& source) {
        return pull(source, [&] { return source.status().exhausted; });
    }

private slots:
    void theAgentOfAnotherHostIsKilledAndAllBeginAgain() {
        Place place;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.killAgent("host1");
        QVERIFY(follows(place, *source, 2));
        QCOMPARE(place.hosts.closed(), 2);
        const auto starts = place.starts();
        QCOMPARE(starts.size(), std::size_t{2});
        const wire::AgentConfig& again = starts[1].start_agent();
        QVERIFY(again.resume());
        QVERIFY(again.seconds_before() > 0);
        QVERIFY(again.run_id() != starts[0].start_agent().run_id());
        QCOMPARE(again.run_dir(), starts[0].start_agent().run_dir());
        QCOMPARE(again.lost_agents_size(), 1);
        QCOMPARE(again.lost_agents(0),
                 std::string("process 1 (host1): its agent was killed by signal 9 (SIGKILL)"));
        QCOMPARE(source->takeWarning(),
                 again.lost_agents(0) + ": the run begins again on all hosts, restart 1 of 2");
        QVERIFY(pull(*source, [&] {
            const auto record = readRemoteRecord(place.folder);
            return record && record->place.runId == again.run_id();
        }));
    }
    void whatIsTiedToALostConnectionIsWaitedForForItsLease() {
        Place place;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        const Nanos lost = SteadyClock::read();
        place.hosts.breakLinks();
        QVERIFY(follows(place, *source, 2));
        QVERIFY(SteadyClock::read() - lost >= Millis(700));  // the lease, and what ends with it
    }
    void whatNeverCameToTheDiskIsCutFromTheCopy() {
        Place place;
        const std::string kept = journalOf({runInfo(0)});
        const std::string sent = kept + journalOf({runState(1, wire::RUN_STATE_TRAINING, "")});
        const wire::KeyPair keys = wire::newKeyPair().value();
        std::atomic<bool> again{false};
        place.hosts.on(wire::ToHost::kReadRunFile, [&](const wire::ToHost& message) {
            wire::FromHost answer;
            const auto offset = message.read_run_file().offset();
            if (offset < sent.size()) answer.mutable_run_file()->set_bytes(sent.substr(offset));
            answer.mutable_run_file();
            return answer;
        });
        place.hosts.on(wire::ToHost::kAttach, [&](const wire::ToHost&) {
            wire::FromHost answer;
            answer.mutable_attached()->set_monitor_endpoint("ipc:///nobody");
            answer.mutable_attached()->set_server_public(keys.publicKey);
            if (again) answer.mutable_attached()->set_journal_start(kept.size());
            return answer;
        });
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        again = true;
        place.hosts.killAgent("host0");
        QVERIFY(follows(place, *source, 2));
        QVERIFY(pull(*source, [&] {
            return readFile(place.paths.journal(), 1 << 20).value_or("") == kept;
        }));
        QCOMPARE(place.starts()[1].start_agent().lost_agents(0),
                 std::string("process 0 (host0): its agent was killed by signal 9 (SIGKILL)"));
    }
    void aHostThatStaysAwayIsTriedForAWhileAndBothAreSaid() {
        Place place;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.setReachable(false);
        place.hosts.breakLinks();
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(source->status().ending->exitStatus, 1);
        const std::string error = words(source->status().ending);
        QVERIFY2(error.starts_with("process ") &&
                     error.find("the line is cut, and no other start was possible: process ") !=
                         std::string::npos &&
                     error.find("nobody is there") != std::string::npos,
                 error.c_str());
    }
    void aHostThatComesBackInTimeIsUsed() {
        Place place;
        place.patience.attempts = kPatience;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.setReachable(false);
        place.hosts.breakLinks();
        QVERIFY(pull(*source, [&] {
            return source->status().link.sentence.find("nobody is there") != std::string::npos;
        }));
        place.hosts.setReachable(true);
        QVERIFY(follows(place, *source, 2));
        QCOMPARE(place.starts().back().start_agent().lost_agents_size(), 1);
    }
    void aFolderThatIsNotLetGoOfYetIsAskedForAgain() {
        Place place;
        place.patience.attempts = kPatience;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        std::atomic<int> refusals{0};
        place.hosts.on(wire::ToHost::kStartAgent, [&](const wire::ToHost&) {
            wire::FromHost answer;
            wire::AgentReady& ready = *answer.mutable_agent_ready();
            ready.add_tickets();
            if (++refusals > 2) return answer;
            ready.set_error("another program is running in /there/run");
            ready.set_bad_input(true);
            return answer;
        });
        place.hosts.killAgent("host1");
        QVERIFY(follows(place, *source, 2));
        QCOMPARE(refusals.load(), 3);
    }
    void startsAreCounted() {
        Place place;
        auto source = place.launch();
        for (std::size_t start = 1; start <= 3; ++start) {
            QVERIFY(follows(place, *source, start));
            place.hosts.breakLinks();
        }
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(place.starts().size(), std::size_t{3});
        QVERIFY2(words(source->status().ending).ends_with("the line is cut"),
                 words(source->status().ending).c_str());
    }
    void whoIsAskedToStopDoesNotBeginAgain() {
        Place place;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.killAgent("host1");
        QVERIFY(pull(*source, [&] { return !source->takeWarning().empty(); }));
        source->requestStop();
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(source->status().ending->exitStatus, 3);
        QCOMPARE(place.starts().size(), std::size_t{1});
    }
    void aDetachedRunIsLeftAlone() {
        Place place;
        place.tied = false;
        auto source = place.launch();
        QVERIFY(follows(place, *source, 1));
        place.hosts.killAgent("host1");
        const Nanos later = SteadyClock::read() + Millis(600);
        QVERIFY(pull(*source, [&] { return SteadyClock::read() > later; }));
        QCOMPARE(place.starts().size(), std::size_t{1});
    }
};

QTEST_GUILESS_MAIN(RemoteRestartTest)
#include "tst_remote_restart.moc"
