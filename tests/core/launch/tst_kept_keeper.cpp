// SPDX-License-Identifier: Apache-2.0
// Who holds the steps in memory beside an agent: for how long, and for whom.
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <cstring>
#include <memory>

#include "core/base/ids.h"
#include "core/base/runtime_folder.h"
#include "core/config/document/job_file.h"
#include "core/launch/agent/kept_keeper.h"
#include "core/launch/agent/next_start.h"
#include "core/launch/process/local_launcher.h"
#include "core/run/run_files.h"
#include "tests/core/config/job_texts.h"

using namespace lockstep;
using namespace lockstep::launch;
using namespace std::chrono_literals;

namespace fs = std::filesystem;

namespace {

constexpr Nanos kLong = 20s;
constexpr const char* kWorker = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";

/// A keeper in a process of its own, which has less patience than those of agents.
class KeeperHere {
public:
    KeeperHere(const std::string& name, Nanos patience) {
        const fs::path path = *makeSharedRuntimeFolder("keepers") / name;
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.c_str(), path.native().size() + 1);
        const UniqueFd listening(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        const auto* any = reinterpret_cast<const sockaddr*>(&address);
        if (::bind(listening.get(), any, sizeof address) != 0 || ::listen(listening.get(), 4) != 0)
            qFatal("no socket for a keeper");
        began_ = SteadyClock::read();
        pid_ = ::fork();
        if (pid_ == 0) ::_exit(runKeeper(listening.get(), patience));
    }
    ~KeeperHere() {
        if (hasEnded()) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    KeeperHere(const KeeperHere&) = delete;
    KeeperHere& operator=(const KeeperHere&) = delete;

    [[nodiscard]] bool hasEnded() {
        if (!lasted_ && ::waitpid(pid_, nullptr, WNOHANG) == pid_)
            lasted_ = SteadyClock::read() - began_;
        return lasted_.has_value();
    }
    [[nodiscard]] bool endsSoon() {
        return QTest::qWaitFor([this] { return hasEnded(); }, 10'000);
    }
    [[nodiscard]] Nanos lasted() const { return lasted_.value_or(Nanos{}); }

private:
    pid_t pid_ = -1;
    Nanos began_{};
    std::optional<Nanos> lasted_;
};

UniqueFd pieceOf(const std::string& content) {
    UniqueFd piece(::memfd_create("piece", MFD_CLOEXEC));
    if (::write(piece.get(), content.data(), content.size()) < 0) qFatal("no memory");
    return piece;
}
std::string contentOf(const UniqueFd& piece) {
    std::string content(100, '\0');
    const ssize_t got = ::pread(piece.get(), content.data(), content.size(), 0);
    content.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return content;
}

}  // namespace

class KeptKeeperTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> dir_;

    [[nodiscard]] fs::path folder() const { return dir_->path().toStdString(); }
    [[nodiscard]] Result<KeeperLine> reach(const std::string& name, KeptPieces& pieces,
                                           std::chrono::seconds patience) const {
        return KeeperLine::open(name, kWorker, {patience, folder() / "run"}, pieces);
    }
    /// The names of keepers that are there, or were killed.
    [[nodiscard]] static QStringList keepers() {
        const fs::path folder = *makeSharedRuntimeFolder("keepers");
        return QDir(QString::fromStdString(folder.string()))
            .entryList(QDir::System | QDir::Files | QDir::NoDotAndDotDot);
    }
    /// Of a run that regroups, on this host alone.
    [[nodiscard]] wire::AgentConfig agentConfig(bool beginsAgain) const {
        auto job =
            config::JobDocument::parse(
                config::test::kMinimalJob + "[launch]\non_failure = \"regroup\"\n", "job.toml")
                ->checked()
                .value();
        wire::AgentConfig config;
        config.set_run_id(randomHex(6));
        config.set_run_dir((folder() / "run").string());
        config.set_created_folder(config.run_dir());
        config.set_job_toml(config::resolvedToml(job));
        config.set_worker_program(kWorker);
        config.set_tied(true);
        config.set_host_coordinator(true);
        config.add_process_ids(0);
        config.set_begins_again(beginsAgain);
        return config;
    }

private slots:
    void init() {
        dir_ = std::make_unique<QTemporaryDir>();
        for (const char* variable : {"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME"})
            qputenv(variable, dir_->path().toUtf8());
        fs::create_directories(folder() / "run");
    }

    void whomNobodyComesToEndsAfterItsPatience() {
        KeeperHere keeper("k", 300ms);
        QVERIFY(keeper.endsSoon());
        QVERIFY(keeper.lasted() >= 300ms);
        QVERIFY(keepers().isEmpty());
    }
    void whoseAgentDoesNotComeBackEndsAfterThePatienceThatItWasTold() {
        KeeperHere keeper("k", 2s);
        KeptPieces pieces;
        {
            const auto line = reach("k", pieces, 3s);
            QVERIFY(line.has_value());
            QTest::qWait(300);  // a pause: with its agent there, no patience is counted
            QVERIFY(!keeper.hasEnded());
        }
        QVERIFY(keeper.endsSoon());
        QVERIFY(keeper.lasted() >= 3300ms);
    }
    void noAgentMakesItLessPatientThanItIs() {
        KeeperHere keeper("k", 2s);
        KeptPieces pieces;
        QVERIFY(reach("k", pieces, 0s).has_value());
        QVERIFY(keeper.endsSoon());
        QVERIFY(keeper.lasted() >= 2s);
    }
    void theNextAgentGetsWhatTheLostOneHasHanded() {
        KeptPieces pieces;
        {
            auto line = reach("next", pieces, 180s);  // nobody listens there: one is started
            QVERIFY(line.has_value());
            QVERIFY(pieces.empty());
            QVERIFY(line->hand(3, pieceOf("step 7").get()).has_value());
        }
        auto line = reach("next", pieces, 180s);
        QVERIFY(line.has_value());
        QCOMPARE(pieces.size(), std::size_t{1});
        QCOMPARE(contentOf(pieces.at(3)), std::string("step 7"));
        line->letGo();
        QTRY_VERIFY(keepers().isEmpty());
    }
    void afterAUsersForceNobodyIsWaitedFor() {
        KeptPieces pieces;
        {
            const auto line = reach("forced", pieces, 180s);
            QVERIFY(line.has_value());
            QFile mark(QString::fromStdString(run::RunPaths{folder() / "run"}.forced().string()));
            QVERIFY(mark.open(QIODevice::WriteOnly));
        }
        QTRY_VERIFY(keepers().isEmpty());
    }

    void afterAFailureTheRunBeginsAgainWhereItsLauncherHasLostAnAgent() {
        coordination::Outcome failed;
        failed.kind = coordination::OutcomeKind::Failed;
        QVERIFY(!mayBeginAgain(failed, false));
        QVERIFY(mayBeginAgain(failed, true));
        failed.isFinal = true;  // as by launch.on_stuck = "stop"
        QVERIFY(!mayBeginAgain(failed, false));
        failed.failure.set_cause(coordination::kLostAgent);
        QVERIFY(mayBeginAgain(failed, false));
        failed.failure.clear_cause();
        failed.stopRequested = true;  // by another host's agent, whose launcher is lost
        QVERIFY(mayBeginAgain(failed, false));
        failed.isWanted = true;
        QVERIFY(!mayBeginAgain(failed, true));
        coordination::Outcome refused;
        refused.kind = coordination::OutcomeKind::BadInput;
        QVERIFY(!mayBeginAgain(refused, true));
    }

    void anAgentLeavesItsStepsToTheOneThatItsLauncherMayStart_data() {
        QTest::addColumn<bool>("beginsAgain");
        QTest::addColumn<bool>("isWanted");
        QTest::addColumn<bool>("stays");
        QTest::newRow("its launcher is lost, and may start another one") << true << false << true;
        QTest::newRow("nobody would start another one") << false << false << false;
        QTest::newRow("a user has ended it") << true << true << false;
    }
    void anAgentLeavesItsStepsToTheOneThatItsLauncherMayStart() {
        QFETCH(const bool, beginsAgain);
        QFETCH(const bool, isWanted);
        QFETCH(const bool, stays);
        fs::remove(folder() / "run");
        auto agent = launchLocalAgent(agentConfig(beginsAgain));
        QVERIFY2(agent.has_value(), agent ? "" : agent.error().message.c_str());
        QTRY_COMPARE_WITH_TIMEOUT(keepers().size(), 1, 10'000);
        if (isWanted)
            ::kill(agent->process->pid(), SIGTERM);
        else
            agent->process->closeInput();
        QVERIFY(agent->process->wait(kLong).has_value());
        if (!stays) {
            QTRY_VERIFY(keepers().isEmpty());
            return;
        }
        KeptPieces pieces;
        auto line = reach(keepers().front().toStdString(), pieces, 180s);
        QVERIFY(line.has_value());
        QCOMPARE(pieces.size(), std::size_t{1});
        line->letGo();
        QTRY_VERIFY(keepers().isEmpty());
    }
};

QTEST_GUILESS_MAIN(KeptKeeperTest)
#include "tst_kept_keeper.moc"
