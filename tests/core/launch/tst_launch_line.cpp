// SPDX-License-Identifier: Apache-2.0
// What waits for a launcher or a host, and how it ends when nobody comes, or nobody waits.
#include <netinet/in.h>
#include <sys/socket.h>

#include <QTemporaryDir>
#include <QtTest>
#include <condition_variable>
#include <mutex>

#include "core/base/process_start_time.h"
#include "core/config/document/job_file.h"
#include "core/launch/host/lease.h"
#include "core/launch/host/link_opener.h"
#include "core/launch/host/run_requests.h"
#include "core/launch/process/child_process.h"
#include "core/run/agent_registry.h"
#include "core/run/run_folder.h"
#include "core/run/run_id.h"
#include "core/wire/framed_stream.h"
#include "core/wire/keys.h"
#include "tests/core/config/job_texts.h"

using namespace lockstep;
using namespace lockstep::launch;
using namespace lockstep::run;
namespace fs = std::filesystem;

namespace {

/// Opens nothing until it is told to give up.
MakeLinks neverOpening() {
    return [](std::stop_token cancel) -> OpenLink {
        return [cancel](const std::string&, const std::function<void(const std::string&)>&)
                   -> Result<std::unique_ptr<HostLink>> {
            std::mutex mutex;
            std::condition_variable_any never;
            std::unique_lock lock(mutex);
            never.wait_for(lock, cancel, std::chrono::seconds(30), [] { return false; });
            return fail(ErrorCode::Cancelled, "given up");
        };
    };
}

/// A port of this machine where connections are taken and nothing is ever said.
struct SilentPort {
    UniqueFd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    std::uint16_t port = 0;

    SilentPort() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        auto* any = reinterpret_cast<sockaddr*>(&address);
        if (::bind(socket.get(), any, size) != 0 || ::listen(socket.get(), 8) != 0) return;
        if (::getsockname(socket.get(), any, &size) == 0) port = ntohs(address.sin_port);
    }
};

wire::JoinConfig joinConfig(const fs::path& folder, const std::string& runId, std::uint16_t port) {
    const wire::KeyPair keys = wire::newKeyPair().value();
    config::JobSpec job =
        config::JobDocument::parse(config::test::kMinimalJob, "job.toml")->checked().value();
    wire::JoinConfig config;
    wire::StartTicket& ticket = *config.mutable_ticket();
    ticket.set_run_id(runId);
    ticket.set_run_dir(folder.string());
    ticket.set_job_toml(config::resolvedToml(job));
    ticket.set_coordinator_address("127.0.0.1:" + std::to_string(port));
    ticket.set_server_public(keys.publicKey);
    for (const char* user : {"agent-0", "worker-0", "agent-1"}) {
        wire::MemberKeys& member = *ticket.add_members();
        member.set_user(user);
        member.set_own_public(keys.publicKey);
        member.set_own_secret(keys.secretKey);
    }
    config.mutable_processes()->add_process_ids(0);
    config.set_run_dir((folder / "own").string());
    config.set_tied(true);
    config.set_worker_program(LOCKSTEP_BINARY_DIR "/bin/lockstep-worker");
    return config;
}

}  // namespace

class LaunchLineTest : public QObject {
    Q_OBJECT

    static std::unique_ptr<ChildProcess> startJoining(const wire::JoinConfig& config) {
        ChildOptions options;
        options.program = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
        options.arguments = {"--agent", "--join"};
        options.captureOutput = false;
        options.separateOutput = true;
        auto agent = ChildProcess::start(options);
        if (!agent) return nullptr;
        if (!wire::writeMessage((*agent)->inputFd(), config, std::chrono::seconds(5)))
            return nullptr;
        return std::move(*agent);
    }
    static Result<wire::FromHost> attach(const fs::path& folder, const std::string& runId) {
        HostRequests requests;
        addRunRequests(requests);
        wire::ToHost message;
        message.mutable_attach()->set_run_dir(folder.string());
        message.mutable_attach()->set_run_id(runId);
        return requests.at(wire::ToHost::kAttach)(message, std::stop_token());
    }

private slots:
    void whoLetsGoOfLinksThatAreBeingOpenedDoesNotWaitForThem() {
        const Nanos before = SteadyClock::read();
        { const LinkOpener opener({"a", "b"}, neverOpening()); }
        QVERIFY(SteadyClock::read() - before < std::chrono::seconds(10));
    }

    void aLeaseHasOneBoundWhoeverCountsIt() {
        QCOMPARE(leaseWithinBounds(86400), Nanos(kLongestLease));
        QCOMPARE(leaseWithinBounds(0.001), Nanos(kShortestLease));
        QCOMPARE(leaseWithinBounds(10), Nanos(std::chrono::seconds(10)));
        const std::string launch = config::test::kMinimalJob + "[launch]\nlease_seconds = ";
        const auto checked = [&](const std::string& seconds) {
            return config::JobDocument::parse(launch + seconds, "job.toml")->checked();
        };
        QVERIFY(checked("3600").has_value());
        QCOMPARE(checked("3601").error().code, ErrorCode::BadInput);
    }

    void aRunInItsLastMomentsIsToBeAskedForAgain() {
        const QTemporaryDir dir;
        const fs::path path = fs::path(dir.path().toStdString()) / "run";
        {
            auto folder = RunFolder::open(path, false);
            QVERIFY(folder && folder->writeRunId("abc123"));
            auto answer = attach(path, "abc123");  // locked, without a contact
            QVERIFY(!answer);
            QCOMPARE(answer.error().code, ErrorCode::Unavailable);
            QVERIFY(writeContact(folder->paths(), {"abc123", "ipc:///nobody", path / "no.key"}));
            answer = attach(path, "abc123");  // its key is gone already
            QVERIFY(!answer);
            QCOMPARE(answer.error().code, ErrorCode::Unavailable);
            QCOMPARE(attach(path, "abc124").error().code, ErrorCode::NotFound);
            removeContact(folder->paths());
        }
        const auto answer = attach(path, "abc123");
        QVERIFY(answer && answer->attached().monitor_endpoint().empty());
    }

    void onlyWhatNamesARunBecomesAFileName() {
        QVERIFY(isRunId("0123456789ab"));
        for (const std::string text : {"", "../x", "ABC", "a b", "a/b", "a."})
            QVERIFY(!isRunId(text));
        QVERIFY(!isRunId(std::string(65, 'a')));
        const QTemporaryDir state;
        qputenv("XDG_STATE_HOME", state.path().toUtf8());
        const ProcessEntry own{"agent", 0, "", ::getpid(), processStartTime(::getpid()).value()};
        AgentRegistration listed({"abc123", "/r", "job", false, 1, {}});
        listed.update({own});
        AgentRegistration hostile({"../../x", "/r", "job", false, 1, {}});
        hostile.update({own});
        QCOMPARE(registeredAgents().size(), std::size_t{1});
        QVERIFY(!QFile::exists(state.path() + "/lockstep/x-1.json"));
    }

    void anAgentThatJoinsEndsWithItsLauncher() {
        const QTemporaryDir dir;
        qputenv("XDG_STATE_HOME", (dir.path() + "/state").toUtf8());
        const SilentPort silent;
        QVERIFY(silent.port != 0);
        auto agent = startJoining(joinConfig(dir.path().toStdString(), "abc123", silent.port));
        QVERIFY(agent);
        QVERIFY(!agent->wait(std::chrono::seconds(1)));  // it tries
        const Nanos before = SteadyClock::read();
        agent->closeInput();
        QVERIFY(agent->wait(std::chrono::seconds(10)).has_value());
        QVERIFY(SteadyClock::read() - before < std::chrono::seconds(5));
    }
    void aTicketWithoutARunIsRefused() {
        const QTemporaryDir dir;
        auto agent = startJoining(joinConfig(dir.path().toStdString(), "../x", 9));
        QVERIFY(agent);
        auto ready =
            wire::readMessage<wire::AgentReady>(agent->outputFd(), std::chrono::seconds(10));
        QVERIFY(ready);
        QVERIFY(ready->bad_input());
        QCOMPARE(ready->error(), std::string("the launcher named no run that could be joined"));
        QVERIFY(agent->wait(std::chrono::seconds(10)).has_value());
    }
};

QTEST_GUILESS_MAIN(LaunchLineTest)
#include "tst_launch_line.moc"
