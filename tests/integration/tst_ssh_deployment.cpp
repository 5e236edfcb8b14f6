// SPDX-License-Identifier: Apache-2.0
// How the build gets to a host, what a link to it carries, and what is said where it does not work.
#include <poll.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <QLocalServer>
#include <QLocalSocket>
#include <atomic>
#include <thread>

#include "core/base/thread.h"
#include "tests/integration/ssh_place.h"

namespace lockstep {

using namespace tests;

namespace {

/// What is below the account's folder of builds.
QStringList buildsOf(const QString& cache) {
    return QDir(cache + "/lockstep/builds")
        .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
}

/// A small file system of its own.
class SmallDisk {
public:
    SmallDisk(const QString& place, const char* options, unsigned long flags = 0)
        : place_(place.toUtf8()) {
        QDir().mkpath(place);
        mounted_ = ::mount("none", place_.constData(), "tmpfs", flags, options) == 0;
    }
    ~SmallDisk() {
        if (mounted_) ::umount2(place_.constData(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    [[nodiscard]] bool isThere() const { return mounted_; }

private:
    QByteArray place_;
    bool mounted_ = false;
};

}  // namespace

class TestSshDeployment : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        ignoreSigpipe();
        if (const QByteArray why = SshServer::missing(); !why.isEmpty()) QSKIP(why);
    }

    void anEmptyCacheGetsTheBuildAndThePresentOneIsUsed() {
        const SshServer server;
        QStringList said;
        auto link = open(server, &said);
        REQUIRE_LINK(link);
        QVERIFY(said.filter("copying Lockstep to box").size() >= 1);
        QCOMPARE(echoed(**link, "over there"), std::string("over there"));
        QCOMPARE((*link)->host(), std::string("box"));
        link->reset();

        said.clear();
        auto again = open(server, &said);
        REQUIRE_LINK(again);
        QCOMPARE(said, QStringList());
        QCOMPARE(echoed(**again, "again"), std::string("again"));
    }

    void framesOfEverySizePassBothWays() {
        const SshServer server;
        auto link = open(server);
        REQUIRE_LINK(link);
        for (const std::size_t size : {0UL, 1UL, 4096UL, 1UL << 20, (4UL << 20) - 64}) {
            const std::string bytes(size, 'x');
            QCOMPARE(echoed(**link, bytes) == bytes, true);
        }
        // Many at once: nothing is lost, nothing changes its order.
        for (std::uint64_t i = 1; i <= 500; ++i)
            QVERIFY((*link)->send(relayOf(std::to_string(i), i), kTimeout).has_value());
        for (std::uint64_t i = 1; i <= 500; ++i) {
            const auto answer = (*link)->receive(kTimeout);
            QVERIFY(answer && *answer);
            QCOMPARE((*answer)->request(), i);
        }
        const auto nothing = (*link)->receive(std::chrono::milliseconds(10));
        QVERIFY(nothing && !*nothing);
    }

    void aHostThatTakesNothingStopsTheSenderWithoutBreakingFrames() {
        LONG_TEST();
        const SshServer server;
        auto link = open(server);
        REQUIRE_LINK(link);
        wire::ToHost hello;
        hello.mutable_hello();
        QVERIFY((*link)->send(hello, kTimeout).has_value());
        const auto greeting = (*link)->receive(kTimeout);
        QVERIFY(greeting && *greeting);
        const auto there = static_cast<pid_t>((*greeting)->greeting().pid());
        ::kill(there, SIGSTOP);
        const std::string bytes(3 << 20, 'x');
        int accepted = 0;
        Result<void> sent;
        for (; accepted < 20 && sent; accepted += sent ? 1 : 0)
            sent = (*link)->send(relayOf(bytes, 1000), std::chrono::milliseconds(300));
        ::kill(there, SIGCONT);
        QVERIFY(!sent && sent.error().code == ErrorCode::Timeout);
        QVERIFY2(contains(sent.error().message, "box takes no messages"),
                 sent.error().message.c_str());
        for (int i = 0; i < accepted; ++i) {
            const auto answer = (*link)->receive(kTimeout);
            QVERIFY(answer && *answer && (*answer)->relay_data().bytes() == bytes);
        }
        QCOMPARE(echoed(**link, "in order again"), std::string("in order again"));
    }

    void theDescriptorTellsWhenThereIsSomethingToTake() {
        const SshServer server;
        auto link = open(server);
        REQUIRE_LINK(link);
        const auto isReadable = [&](int millis) {
            pollfd entry{(*link)->fd(), POLLIN, 0};
            return ::poll(&entry, 1, millis) > 0;
        };
        QVERIFY(!isReadable(50));
        for (std::uint64_t i = 1; i <= 3; ++i)
            QVERIFY((*link)->send(relayOf("x", i), kTimeout).has_value());
        int taken = 0;
        while (taken < 3 && isReadable(10'000)) {
            const auto message = (*link)->receive(Nanos::zero());
            QVERIFY(message.has_value());
            if (*message) ++taken;
        }
        QCOMPARE(taken, 3);  // also those that came with the first one
        QVERIFY(!isReadable(50));
        wire::ToHost last;
        last.mutable_relay_end();
        QVERIFY((*link)->send(last, kTimeout).has_value());
        QVERIFY(isReadable(10'000));  // its end is something to tell, too
    }

    void whatCannotBeReachedIsToldApart() {
        SshServer server;
        server.stop();
        REQUIRE_REFUSAL(refusalOf(open(server)), "box refuses connections", "ssh box true");
        const auto unknown = launch::openSsh("no-such-host.invalid", optionsFor(server), {});
        REQUIRE_REFUSAL(refusalOf(unknown), "the name of no-such-host.invalid does not resolve",
                        "~/.ssh/config");
        SshOptions options = optionsFor(server);
        options.configFile = server.path("absent").toStdString();
        REQUIRE_REFUSAL(refusalOf(launch::openSsh("box", options, {})),
                        "ssh cannot read the configuration file", "launch.ssh_config");
        options = optionsFor(server);
        options.bundles = server.path("empty").toStdString();
        REQUIRE_REFUSAL(refusalOf(launch::openSsh("box", options, {})),
                        "there is no packed Lockstep", "./dev build");
    }

    void aSilentHostIsGivenUpAndCancelled() {
        LONG_TEST();
        const SshServer server;
        QTcpServer silent;
        QVERIFY(silent.listen(QHostAddress::LocalHost));
        server.write("config", "Host box\n HostName 127.0.0.1\n Port " +
                                   QByteArray::number(silent.serverPort()) + "\n");
        SshOptions options = optionsFor(server);
        options.connectSeconds = 1;
        REQUIRE_REFUSAL(refusalOf(launch::openSsh("box", options, {})),
                        "something answers for box that does not speak ssh in time", "");
        options.connectSeconds = 30;
        while (silent.waitForNewConnection(0))
            delete silent.nextPendingConnection();
        std::stop_source cancel;
        std::jthread canceller([&] {
            pollfd connected{static_cast<int>(silent.socketDescriptor()), POLLIN, 0};
            (void)::poll(&connected, 1, 10'000);
            cancel.request_stop();
        });
        const Nanos began = SteadyClock::read();
        QCOMPARE(refusalOf(launch::openSsh("box", options, {}, cancel.get_token())).code,
                 ErrorCode::Cancelled);
        QVERIFY(SteadyClock::read() - began < std::chrono::seconds(10));
    }

    void whatTheAccountsStartFilesPrintIsSkippedUpToALimit() {
        LONG_TEST();
        SshServer server(
            "ForceCommand echo Welcome; printf 'no newline'; eval \"$SSH_ORIGINAL_COMMAND\"");
        auto link = open(server);
        REQUIRE_LINK(link);
        QCOMPARE(echoed(**link, "x"), std::string("x"));
        link->reset();
        server.restart("ForceCommand head -c 3000000 /dev/zero | tr '\\0' 'x'; sleep 20");
        REQUIRE_REFUSAL(refusalOf(open(server)), "did not run Lockstep's command", "ssh box echo");
        server.restart("ForceCommand echo This account is currently not available.; exit 1");
        REQUIRE_REFUSAL(refusalOf(open(server)), "it printed 'This account is currently not",
                        "ssh box echo");
    }

    void aSocketOfTheHostIsReachedOverTheSameConnection() {
        const SshServer server;
        auto link = open(server);
        REQUIRE_LINK(link);
        QLocalServer there;
        QVERIFY(there.listen(server.path("there")));
        const auto local = (*link)->forwardSocket(server.path("there").toStdString());
        QVERIFY2(local.has_value(), local ? "" : local.error().message.c_str());
        QVERIFY(local->size() < 100);
        QLocalSocket here;
        here.connectToServer(QString::fromStdString(*local));
        QVERIFY(here.waitForConnected(5000));
        here.write("ping");
        QVERIFY(here.waitForBytesWritten(5000));
        // The probe of forwardSocket has connected once before.
        QLocalSocket* accepted = nullptr;
        QVERIFY(tests::waitUntil([&] {
            there.waitForNewConnection(100);
            while (QLocalSocket* next = there.nextPendingConnection())
                accepted = next;
            return accepted != nullptr &&
                   (accepted->bytesAvailable() > 0 || accepted->waitForReadyRead(100));
        }));
        QCOMPARE(accepted->readAll(), QByteArray("ping"));
        accepted->write("pong");
        accepted->flush();
        QVERIFY(here.waitForReadyRead(5000));
        QCOMPARE(here.readAll(), QByteArray("pong"));
        QCOMPARE(echoed(**link, "frames go on"), std::string("frames go on"));
        here.abort();
        link->reset();
        QVERIFY(!QFile::exists(QString::fromStdString(*local)));
    }

    void aHostThatForbidsForwardingSaysSo() {
        LONG_TEST();
        const SshServer server("AllowStreamLocalForwarding no");
        auto link = open(server);
        REQUIRE_LINK(link);
        QLocalServer there;
        QVERIFY(there.listen(server.path("there")));
        const auto local = (*link)->forwardSocket(server.path("there").toStdString());
        QVERIFY(!local.has_value());
        QCOMPARE(local.error().code, ErrorCode::Unavailable);
        QVERIFY2(contains(local.error().message, "its sshd forbids it"),
                 local.error().message.c_str());
        QCOMPARE(echoed(**link, "frames go on"), std::string("frames go on"));
    }

    void twoAtOnceLeaveOneWholeBuild() {
        LONG_TEST();
        const SshServer server;
        std::atomic<int> opened{0};
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 4; ++i)
                threads.emplace_back([&] {
                    auto link = open(server);
                    if (link && echoed(**link, "x") == "x") ++opened;
                });
        }
        QCOMPARE(opened.load(), 4);
        QCOMPARE(buildsOf(server.cache()).size(), 2);  // the build and the lock
    }

    void aFullDiskLeavesNothingHalfDone() {
        LONG_TEST();
        if (::geteuid() != 0) QSKIP("only root can make a small disk");
        const SshServer server;
        for (const char* size : {"size=256k", "size=2m"}) {  // too small to copy to, to unpack on
            const SmallDisk disk(server.cache(), size);
            if (!disk.isThere()) QSKIP("this system mounts no tmpfs for a test");
            REQUIRE_REFUSAL(refusalOf(open(server)), "box has no room for Lockstep", "Free about");
            QCOMPARE(buildsOf(server.cache()), QStringList());
        }
    }

    void aFolderThatRunsNoProgramsAndOneThatIsReadOnlyAreToldApart() {
        LONG_TEST();
        if (::geteuid() != 0) QSKIP("only root can mount");
        const SshServer server;
        {
            const SmallDisk disk(server.cache(), "size=64m", MS_NOEXEC);
            if (!disk.isThere()) QSKIP("this system mounts no tmpfs for a test");
            REQUIRE_REFUSAL(refusalOf(open(server)), "mounted noexec", "XDG_CACHE_HOME");
        }
        const SmallDisk disk(server.cache(), "size=64m", MS_RDONLY);
        REQUIRE_REFUSAL(refusalOf(open(server)), "cannot keep Lockstep in its cache folder",
                        "XDG_CACHE_HOME");
    }

    void whenTheProgramThereEndsItsLastWordsAreTold() {
        LONG_TEST();
        const SshServer server;
        auto link = open(server);
        REQUIRE_LINK(link);
        wire::ToHost last;
        last.mutable_relay_end()->set_error("out of patience");
        QVERIFY((*link)->send(last, kTimeout).has_value());
        const auto end = (*link)->receive(kTimeout);
        QVERIFY(!end.has_value());
        QCOMPARE(end.error().code, ErrorCode::PeerLost);
        QVERIFY2(contains(end.error().message, "out of patience"), end.error().message.c_str());
        QVERIFY(!(*link)->send(relayOf("x"), kTimeout).has_value());
    }

    void theProgramThereEndsWithTheLink() {
        const SshServer server;
        auto link = open(server);
        REQUIRE_LINK(link);
        wire::ToHost hello;
        hello.mutable_hello();
        QVERIFY((*link)->send(hello, kTimeout).has_value());
        const auto greeting = (*link)->receive(kTimeout);
        QVERIFY(greeting && *greeting);
        const tests::ProcessIdentity there{
            static_cast<pid_t>((*greeting)->greeting().pid()),
            tests::runningSince(static_cast<pid_t>((*greeting)->greeting().pid()))};
        QVERIFY(there.startTime != 0);
        link->reset();
        QVERIFY(tests::waitUntil([&] { return !tests::isRunning(there); }, kTimeout));
    }
};

}  // namespace lockstep

int main(int argc, char** argv) {
    return lockstep::tests::runSshTest<lockstep::TestSshDeployment>(argc, argv);
}
#include "tst_ssh_deployment.moc"
