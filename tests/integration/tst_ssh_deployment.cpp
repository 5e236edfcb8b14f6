// SPDX-License-Identifier: Apache-2.0
// Links over the system's ssh to a real sshd on loopback: how the build gets to a host and what is
// said where it cannot.
#include <QTest>

#include "core/base/thread.h"
#include "core/launch/ssh/ssh_link.h"
#include "tests/support/ssh_server.h"

namespace lockstep {

namespace {

using launch::HostLink;
using launch::SshOptions;
using tests::SshServer;

constexpr std::chrono::seconds kTimeout{30};
const std::string kEcho = LOCKSTEP_BINARY_DIR "/tests/echo";

SshOptions optionsFor(const SshServer& server) {
    return {.configFile = server.config(), .bundles = kEcho, .connectSeconds = 5};
}

Result<std::unique_ptr<HostLink>> open(const SshServer& server, QStringList* said = nullptr) {
    return launch::openSsh("box", optionsFor(server), [said](const std::string& text) {
        if (said != nullptr) said->append(QString::fromStdString(text));
    });
}

wire::ToHost relayOf(const std::string& bytes, std::uint64_t request = 1) {
    wire::ToHost message;
    message.set_request(request);
    message.mutable_relay_data()->set_bytes(bytes);
    return message;
}

/// What the program at the other end gives back for these bytes; a description when it does not.
std::string echoed(HostLink& link, const std::string& bytes) {
    if (auto sent = link.send(relayOf(bytes), kTimeout); !sent) return sent.error().message;
    const auto answer = link.receive(kTimeout);
    if (!answer) return answer.error().message;
    return *answer ? (*answer)->relay_data().bytes() : "nothing";
}

#define REQUIRE_LINK(link) \
    QVERIFY2((link).has_value(), (link) ? "" : (link).error().message.c_str())

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
};

}  // namespace lockstep

QTEST_GUILESS_MAIN(lockstep::TestSshDeployment)
#include "tst_ssh_deployment.moc"
