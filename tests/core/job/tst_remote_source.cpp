// SPDX-License-Identifier: Apache-2.0
// Runs on other hosts, followed over connections and with folders that fail at chosen moments.
#include <sys/resource.h>

#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <csignal>
#include <tuple>

#include "core/base/exit_status.h"
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
using launch::RemoteRun;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kPatience{20};
constexpr Millis kLook{10};

template <typename Condition>
bool comesTrue(Condition condition) {
    const Nanos deadline = SteadyClock::read() + kPatience;
    while (!condition()) {
        if (SteadyClock::read() > deadline) return false;
        std::this_thread::sleep_for(kLook);  // a pause: between two looks
    }
    return true;
}

std::string journalOf(const std::vector<wire::Record>& records) {
    std::string frames;
    for (const wire::Record& record : records)
        telemetry::appendFrame(wire::encode(record).value(), frames);
    return frames;
}

wire::Record runEnd(std::uint32_t exitStatus) {
    wire::Record record = at(9);
    record.mutable_run_end()->set_status(exitStatus == 0 ? "completed" : "failed");
    record.mutable_run_end()->set_summary_json("{}\n");
    record.mutable_run_end()->set_exit_status(exitStatus);
    return record;
}

/// Frames of about `bytes` altogether, with a run's end.
std::string longJournal(std::size_t bytes) {
    std::vector<wire::Record> records{runInfo(0)};
    for (std::size_t written = 0; written < bytes; written += 1000)
        records.push_back(runState(1, wire::RUN_STATE_TRAINING, std::string(1000, 'x')));
    records.push_back(runEnd(0));
    return journalOf(records);
}

}  // namespace

class RemoteSourceTest : public QObject {
    Q_OBJECT

    struct Place {
        QTemporaryDir dir;
        fs::path folder = fs::path(dir.path().toStdString()) / "runs" / "run";
        run::RunPaths paths{folder};
        ScriptedHosts hosts{dir.path().toStdString()};

        Place() { fs::create_directories(folder); }

        launch::RemoteOrder order(bool tied, int hostCount = 1) const {
            launch::RemoteOrder order;
            for (int i = 0; i < hostCount; ++i)
                order.plan.push_back({"host" + std::to_string(i), "", {std::uint32_t(i)}, false});
            order.config.set_run_id(randomHex(6));
            order.config.set_run_dir(folder.string());
            order.config.set_job_toml(config::resolvedToml(
                config::JobDocument::parse(config::test::kMinimalJob, "job.toml")
                    ->checked()
                    .value()));
            order.config.set_created_folder(folder.string());
            order.folderName = "run";
            order.tied = tied;
            return order;
        }
        std::unique_ptr<RemoteSource> source(
            std::variant<launch::RemoteOrder, RemoteRun::Comeback> what) {
            return std::make_unique<RemoteSource>(
                RemoteSource::Options{paths, folder, std::move(what), hosts.makeLinks(), ""});
        }
        RemoteRun::Comeback comeback() const {
            return {{"host0", "abc123", "/there/run", false}, 10};
        }
        std::string copy() const { return readFile(paths.journal(), 64 << 20).value_or(""); }
        /// The host's folder is this machine's.
        void share() {
            hosts.on(wire::ToHost::kSeeFolder, [](const wire::ToHost&) {
                wire::FromHost answer;
                answer.mutable_folder_seen()->set_seen(true);
                return answer;
            });
        }
        /// What the host has of the run's journal.
        void serveJournal(const std::string& journal) {
            hosts.on(wire::ToHost::kReadRunFile, [journal](const wire::ToHost& message) {
                return pieceOf(journal, message.read_run_file());
            });
        }
    };

    static wire::FromHost pieceOf(const std::string& journal, const wire::ReadRunFile& read) {
        wire::FromHost answer;
        telemetry::FrameCursor cursor(std::string_view(journal).substr(read.offset()));
        std::uint64_t end = 0;
        while (cursor.next() && cursor.offset() <= read.max_bytes())
            end = cursor.offset();
        answer.mutable_run_file()->set_bytes(journal.substr(read.offset(), end));
        answer.mutable_run_file()->set_size(journal.size());
        return answer;
    }
    /// Pulls until `condition` or the source's end; false when neither came.
    template <typename Condition>
    static bool pull(RemoteSource& source, Condition condition) {
        return comesTrue(
            [&] { return !source.next(kLook) || source.status().exhausted || condition(); });
    }
    static bool pullToTheEnd(RemoteSource& source) {
        return pull(source, [] { return false; }) && source.status().exhausted;
    }

private slots:
    void initTestCase() { std::signal(SIGXFSZ, SIG_IGN); }

    void aLaunchThatFailsAfterItsRunBeganLeavesTheRunItsFiles() {
        Place place;
        place.share();
        place.hosts.on(wire::ToHost::kStartAgent, [&](const wire::ToHost&) {
            std::ignore = replaceFileDurably(place.paths.journal(), journalOf({runInfo(0)}));
            wire::FromHost answer;
            answer.mutable_agent_ready();
            return answer;
        });
        place.hosts.on(wire::ToHost::kAttach, [](const wire::ToHost&) {
            return ScriptedHosts::refusal(ErrorCode::BadInput, "there is no such run");
        });
        auto source = place.source(place.order(false));
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(source->status().ending->exitStatus, 2);
        QCOMPARE(place.copy(), journalOf({runInfo(0)}));
        QVERIFY(readRemoteRecord(place.folder).has_value());
    }
    void aStartFromScratchThatIsNeverReachedLeavesTheRunAsItWas() {
        Place place;
        QVERIFY(replaceFileDurably(place.paths.journal(), journalOf({runInfo(0), runEnd(0)})));
        QVERIFY(writeRemoteRecord(place.folder, {place.comeback().place, ""}));
        place.hosts.on(wire::ToHost::kAttach, [](const wire::ToHost&) {
            return ScriptedHosts::refusal(ErrorCode::BadInput, "there is no such run");
        });
        launch::RemoteOrder order = place.order(true);
        order.config.set_from_scratch(true);
        QVERIFY(pullToTheEnd(*place.source(std::move(order))));
        QCOMPARE(readRemoteRecord(place.folder)->place.runId, std::string("abc123"));
    }
    void aLaunchThatNeverBeganLeavesNothing() {
        Place place;
        place.share();
        place.hosts.on(wire::ToHost::kStartAgent, [&](const wire::ToHost&) {
            return ScriptedHosts::refusal(ErrorCode::Io, "no");
        });
        auto source = place.source(place.order(false));
        QVERIFY(pullToTheEnd(*source));
        QVERIFY(!fs::exists(place.folder));
    }
    void aRunThatIsGoneOnItsHostKeepsItsCopy() {
        Place place;
        const std::string journal =
            journalOf({runInfo(0), runState(1, wire::RUN_STATE_TRAINING, "")});
        place.hosts.on(wire::ToHost::kReadRunFile, [&](const wire::ToHost& message) {
            if (message.read_run_file().offset() == 0)
                return pieceOf(journal, message.read_run_file());
            return ScriptedHosts::refusal(ErrorCode::NotFound, "there is no run");
        });
        auto source = place.source(place.order(true));
        QVERIFY(pull(*source, [&] { return !place.hosts.heard(wire::ToHost::kAttach).empty(); }));
        place.hosts.endAgent();
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(place.copy(), journal);
    }

    void aStopBeforeTheAgentsAreLetGoEndsTheLaunch() {
        Place place;
        std::atomic<RemoteRun*> run{nullptr};
        place.hosts.on(wire::ToHost::kAttach, [&](const wire::ToHost&) {
            if (!comesTrue([&] { return run.load() != nullptr; })) return wire::FromHost();
            run.load()->cancel();
            wire::FromHost answer;
            answer.mutable_attached()->set_monitor_endpoint("ipc:///nobody");
            return answer;
        });
        RemoteRun launched(place.order(false), place.hosts.makeLinks());
        run = &launched;
        QVERIFY(comesTrue([&] { return launched.state().phase == RemoteRun::Phase::Failed; }));
        QCOMPARE(launched.state().failure->error.code, ErrorCode::Cancelled);
        QVERIFY(place.hosts.heard(wire::ToHost::kDetach).empty());
        QVERIFY(comesTrue([&] { return place.hosts.closed() == 1; }));
    }
    void aStopWhileTheAgentsAreLetGoIsTheRunsAffair() {
        Place place;
        std::atomic<RemoteRun*> run{nullptr};
        std::atomic<int> detached{0};
        place.hosts.on(wire::ToHost::kDetach, [&](const wire::ToHost&) {
            if (comesTrue([&] { return run.load() != nullptr; })) run.load()->cancel();
            ++detached;
            wire::FromHost answer;
            answer.mutable_done();
            return answer;
        });
        RemoteRun launched(place.order(false, 3), place.hosts.makeLinks());
        run = &launched;
        QVERIFY(comesTrue([&] { return detached == 3; }));
        std::this_thread::sleep_for(Millis(300));  // a pause: nothing may happen meanwhile
        QCOMPARE(launched.state().phase, RemoteRun::Phase::Connected);
        QCOMPARE(place.hosts.closed(), 0);
    }

    void theRestOfAnEndedRunIsReadThroughFailuresToItsEnd() {
        Place place;
        const std::string journal = longJournal(600'000);
        std::atomic<int> asked{0};
        place.hosts.on(wire::ToHost::kReadRunFile, [&](const wire::ToHost& message) {
            const int number = ++asked;
            if (number == 2) return ScriptedHosts::refusal(ErrorCode::Io, "the disk is busy");
            if (number == 3) place.hosts.breakLinks();
            return pieceOf(journal, message.read_run_file());
        });
        auto source = place.source(place.order(true));
        QVERIFY(pull(*source, [&] { return !place.hosts.heard(wire::ToHost::kAttach).empty(); }));
        place.hosts.endAgent();
        QVERIFY(pullToTheEnd(*source));
        QVERIFY(!source->status().ending);
        QCOMPARE(place.copy(), journal);
        QVERIFY(readRemoteRecord(place.folder)->ended);
        QVERIFY(place.hosts.opened() > 1);
        for (const wire::ToHost& message : place.hosts.heard(wire::ToHost::kReadRunFile))
            QVERIFY(message.read_run_file().max_bytes() <= 128 << 10);
    }

    void aCoordinatorThatIsSlowCostsATiedRunNothing() {
        Place place;
        RemoteRun run(place.order(true), place.hosts.makeLinks());
        QVERIFY(comesTrue([&] { return run.state().phase == RemoteRun::Phase::Connected; }));
        for (const ErrorCode code : {ErrorCode::Unavailable, ErrorCode::BadInput}) {
            const std::size_t before = place.hosts.heard(wire::ToHost::kAttach).size();
            place.hosts.on(wire::ToHost::kAttach, [code](const wire::ToHost&) {
                return ScriptedHosts::refusal(code, "it does not answer");
            });
            run.askAgain();
            QVERIFY(comesTrue(
                [&] { return place.hosts.heard(wire::ToHost::kAttach).size() > before; }));
            std::this_thread::sleep_for(Millis(200));  // a pause: nothing may happen meanwhile
            QCOMPARE(run.state().phase, RemoteRun::Phase::Connected);
            QCOMPARE(place.hosts.closed(), 0);
        }
        place.hosts.on(wire::ToHost::kAttach, nullptr);
        run.askAgain();
        QVERIFY(comesTrue([&] { return run.state().connection == 2; }));
    }
    void aLaunchOutwaitsACoordinatorThatIsBusy() {
        Place place;
        std::atomic<int> asked{0};
        place.hosts.on(wire::ToHost::kAttach, [&](const wire::ToHost&) {
            if (++asked < 3)
                return ScriptedHosts::refusal(ErrorCode::Timeout, "it does not answer");
            wire::FromHost answer;
            answer.mutable_attached()->set_monitor_endpoint("ipc:///nobody");
            return answer;
        });
        RemoteRun run(place.order(true), place.hosts.makeLinks());
        QVERIFY(comesTrue([&] { return run.state().phase == RemoteRun::Phase::Connected; }));
        QCOMPARE(asked.load(), 3);
    }

    void aFullDiskEndsTheCopyAndNotTheRun() {
        Place place;
        const std::string journal = longJournal(600'000);
        auto source = place.source(place.order(true));
        QVERIFY(pull(*source, [&] { return !place.hosts.heard(wire::ToHost::kAttach).empty(); }));
        place.serveJournal(journal);
        struct rlimit former {};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &former), 0);
        struct rlimit small = former;
        small.rlim_cur = 300'000;
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        place.hosts.endAgent();
        std::vector<std::string> warnings;
        std::size_t pulled = 0;
        const bool ended = comesTrue([&] {
            auto piece = source->next(kLook);
            if (piece && *piece) pulled += (*piece)->frames.size();
            if (auto warning = source->takeWarning(); !warning.empty()) warnings.push_back(warning);
            return !piece || source->status().exhausted;
        });
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &former), 0);
        QVERIFY(ended && source->status().exhausted && !source->status().ending);
        QCOMPARE(pulled, journal.size());
        QCOMPARE(warnings.size(), std::size_t{1});
        const std::string copied = place.copy();
        QVERIFY(!copied.empty() && copied.size() < 300'000 && journal.starts_with(copied));
        QVERIFY(!readRemoteRecord(place.folder)->ended);
        source.reset();  // the folder's lock

        auto later = place.source(place.comeback());
        place.hosts.on(wire::ToHost::kAttach, [](const wire::ToHost&) {
            wire::FromHost answer;
            answer.mutable_attached();  // it has ended
            return answer;
        });
        QVERIFY(pullToTheEnd(*later));
        QCOMPARE(place.copy(), journal);
        QVERIFY(readRemoteRecord(place.folder)->ended);
    }

    void theOtherHostsHearFromTheLauncherWhatToDo() {
        Place place;
        place.hosts.on(wire::ToHost::kStartAgent, [](const wire::ToHost&) {
            wire::FromHost answer;
            wire::StartTicket& ticket = *answer.mutable_agent_ready()->add_tickets();
            ticket.set_run_id("../../x");
            ticket.set_run_dir("/elsewhere");
            ticket.set_job_toml("[launch]\ncommand = ['evil']\n");
            ticket.set_segment_path("/etc/passwd");
            ticket.set_host_identity("mine");
            ticket.set_coordinator_address("10.0.0.1:7");
            ticket.set_server_public("key");
            ticket.add_members()->set_user("worker-1");
            return answer;
        });
        const launch::RemoteOrder order = place.order(true, 2);
        RemoteRun run(order, place.hosts.makeLinks());
        QVERIFY(comesTrue([&] { return run.state().phase == RemoteRun::Phase::Connected; }));
        const auto started = place.hosts.heard(wire::ToHost::kStartAgent).front().start_agent();
        const auto ticket =
            place.hosts.heard(wire::ToHost::kJoinAgent).front().join_agent().ticket();
        QCOMPARE(ticket.run_id(), order.config.run_id());
        QCOMPARE(ticket.run_dir(), started.run_dir());
        QCOMPARE(ticket.job_toml(), started.job_toml());
        QVERIFY(ticket.segment_path().empty() && ticket.host_identity().empty());
        QCOMPARE(ticket.coordinator_address(), std::string("10.0.0.1:7"));
        QCOMPARE(ticket.server_public(), std::string("key"));
        QCOMPARE(ticket.members_size(), 1);
    }

    void anEndThatOnlyTheCopyTellsIsNotBelievedBeforeTheRunWasReached() {
        Place place;
        const std::string copied = journalOf({runInfo(0), runEnd(0)});
        const std::string journal =
            copied +
            journalOf({runInfo(10, 1), runState(11, wire::RUN_STATE_TRAINING, ""), runEnd(1)});
        QVERIFY(replaceFileDurably(place.paths.journal(), copied));
        const RemoteRun::Comeback comeback = place.comeback();
        QVERIFY(writeRemoteRecord(place.folder, {comeback.place, ""}));
        place.hosts.setReachable(false);
        place.serveJournal(journal);
        place.hosts.on(wire::ToHost::kAttach, [](const wire::ToHost&) {
            wire::FromHost answer;
            answer.mutable_attached();  // it has ended
            return answer;
        });
        auto source = place.source(comeback);
        const Nanos soon = SteadyClock::read() + Millis(500);
        QVERIFY(pull(*source, [&] { return SteadyClock::read() > soon; }));
        QVERIFY(!source->status().exhausted);
        place.hosts.setReachable(true);
        QVERIFY(pullToTheEnd(*source));
        QCOMPARE(place.copy(), journal);
    }
    void whoComesBackOnlyToEndTheRunHasItsHostKillAnAgentThatHearsNobody() {
        Place place;
        const RemoteRun::Comeback comeback = place.comeback();
        QVERIFY(writeRemoteRecord(place.folder, {comeback.place, ""}));
        place.serveJournal(journalOf({runInfo(0)}));
        place.hosts.on(wire::ToHost::kAttach, [](const wire::ToHost&) {
            return ScriptedHosts::refusal(ErrorCode::Unavailable, "its agent is stopped");
        });
        place.hosts.on(wire::ToHost::kKillAgent, [&](const wire::ToHost&) {
            place.hosts.on(wire::ToHost::kAttach, [](const wire::ToHost&) {
                wire::FromHost answer;
                answer.mutable_attached();  // it has ended
                return answer;
            });
            wire::FromHost answer;
            answer.mutable_done();
            return answer;
        });
        auto source = place.source(comeback);
        source->kill();
        const Nanos asked = SteadyClock::read();
        QVERIFY(pullToTheEnd(*source));
        QVERIFY(SteadyClock::read() - asked < std::chrono::seconds(10));
        QCOMPARE(place.hosts.heard(wire::ToHost::kKillAgent).size(), std::size_t{1});
        QCOMPARE(source->status().ending->error,
                 std::string("the run was ended by force on host0"));
        QCOMPARE(source->status().ending->exitStatus, kExitStopped);
        QVERIFY(readRemoteRecord(place.folder)->ended);
    }
    void whatIsOfTheRunBeforeItsResumeIsKnownLater() {
        Place place;
        const std::string former = journalOf({runInfo(0), runEnd(3)});
        QVERIFY(replaceFileDurably(place.paths.journal(), former));
        launch::RemoteOrder order = place.order(false);
        order.config.set_resume(true);
        auto source = place.source(order);
        QVERIFY(pull(*source, [&] {
            return !place.hosts.heard(wire::ToHost::kAttach).empty() &&
                   readRemoteRecord(place.folder).has_value();
        }));
        QCOMPARE(readRemoteRecord(place.folder)->former, std::uint64_t{former.size()});
        source.reset();
        auto later = place.source(place.comeback());
        QVERIFY(pull(*later, [&] { return place.hosts.heard(wire::ToHost::kAttach).size() > 1; }));
        place.hosts.setReachable(false);
        place.hosts.breakLinks();
        const Nanos soon = SteadyClock::read() + Millis(500);
        QVERIFY(pull(*later, [&] { return SteadyClock::read() > soon; }));
        QVERIFY(!later->status().exhausted);
        QCOMPARE(readRemoteRecord(place.folder)->former, std::uint64_t{former.size()});
    }
};

QTEST_GUILESS_MAIN(RemoteSourceTest)
#include "tst_remote_source.moc"
