// SPDX-License-Identifier: Apache-2.0
// Whose keys open a host, whose key a host shows, and who is asked about both.
#include <QDirIterator>
#include <atomic>
#include <thread>

#include "core/base/thread.h"
#include "tests/integration/ssh_place.h"

namespace lockstep {

using namespace tests;

namespace {

/// Answers questions as told, and remembers them.
struct Answers {
    std::atomic<int> asked{0};
    bool trusts = true;
    std::string passphrase{};
    launch::AskQuestion last{};

    std::shared_ptr<launch::AskServer> server() {
        auto started = launch::AskServer::start(
            [this](const launch::AskQuestion& question,
                   const std::stop_token&) -> std::optional<launch::AskAnswer> {
                ++asked;
                last = question;
                if (question.kind == launch::AskQuestion::Kind::HostKey && !trusts)
                    return std::nullopt;
                if (question.kind == launch::AskQuestion::Kind::Passphrase && passphrase.empty())
                    return std::nullopt;
                return launch::AskAnswer{.accepted = true, .secret = passphrase};
            });
        return started ? *started : nullptr;
    }
};

Result<std::unique_ptr<HostLink>> openAsking(const SshServer& server, Answers& answers) {
    SshOptions options = optionsFor(server);
    options.asker = answers.server();
    return launch::openSsh("box", options, {});
}

}  // namespace

class TestSshLogin : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        ignoreSigpipe();
        if (const QByteArray why = SshServer::missing(); !why.isEmpty()) QSKIP(why);
    }

    void aUserKeyThatIsNotKnownThereIsRefusedInASentence() {
        const SshServer server;
        server.makeKey("userkey");  // another one than the authorized one
        REQUIRE_REFUSAL(refusalOf(open(server)), "none of this user's keys is accepted",
                        "ssh-copy-id box");
    }

    void aKeyWithAPassphraseIsNamedAndOpenedByWhoeverIsAsked() {
        LONG_TEST();
        const SshServer server;
        server.makeKey("userkey", "open sesame");
        QFile::remove(server.path("authorized_keys"));
        QFile::copy(server.path("userkey.pub"), server.path("authorized_keys"));
        REQUIRE_REFUSAL(refusalOf(open(server)), "needs its passphrase, and nobody can be asked",
                        "ssh-add " + server.path("userkey"));

        Answers answers{.passphrase = "open sesame"};
        auto link = openAsking(server, answers);
        REQUIRE_LINK(link);
        QCOMPARE(answers.asked.load(), 1);
        QCOMPARE(answers.last.kind, launch::AskQuestion::Kind::Passphrase);
        QCOMPARE(answers.last.keyFile, server.path("userkey").toStdString());
        QCOMPARE(answers.last.destination, std::string("box"));

        Answers wrong{.passphrase = "open barley"};
        REQUIRE_REFUSAL(refusalOf(openAsking(server, wrong)), "which was not given or is another",
                        "ssh-add");
        QCOMPARE(wrong.asked.load(), 3);  // ssh's own limit; a wrong answer is not given again

        Answers declines;
        REQUIRE_REFUSAL(refusalOf(openAsking(server, declines)),
                        "which was not given or is another", "ssh-add");
    }

    void anUnknownHostKeyIsShownAndTrustedOnlyWhenAccepted() {
        const SshServer server;
        server.write("known_hosts", "");
        REQUIRE_REFUSAL(refusalOf(open(server)), "is not known here, and nobody can be asked",
                        "ssh box true");

        Answers declines{.trusts = false};
        REQUIRE_REFUSAL(refusalOf(openAsking(server, declines)), "was not accepted", "");
        QCOMPARE(server.read("known_hosts"), QByteArray());

        Answers trusts;
        auto link = openAsking(server, trusts);
        REQUIRE_LINK(link);
        QProcess keygen;
        keygen.start("ssh-keygen", {"-l", "-f", server.path("hostkey.pub")});
        keygen.waitForFinished();
        const QList<QByteArray> words = keygen.readAllStandardOutput().split(' ');
        QCOMPARE(QByteArray::fromStdString(trusts.last.fingerprint), words.value(1));
        QCOMPARE(trusts.last.keyType, std::string("ED25519"));
        QCOMPARE(trusts.last.host, "[127.0.0.1]:" + std::to_string(server.port()));
        QVERIFY(server.read("known_hosts").contains("ssh-ed25519"));
        REQUIRE_LINK(open(server));  // known from now on
    }

    void aUsersPolicyOfNoCheckingDoesNotCount() {
        LONG_TEST();
        const SshServer server;
        server.write("known_hosts", "");
        server.writeClientConfig("StrictHostKeyChecking no");
        REQUIRE_REFUSAL(refusalOf(open(server)), "is not known here", "ssh box true");
        QCOMPARE(server.read("known_hosts"), QByteArray());
    }

    void aChangedHostKeyIsRefusedWhateverTheUserWouldAnswer() {
        SshServer server;
        server.stop();
        server.makeKey("hostkey");
        server.restart("");
        Answers trusts;
        const QString place = server.path("known_hosts") + ":1";
        for (const char* policy : {"", "StrictHostKeyChecking no"}) {
            server.writeClientConfig(policy);
            REQUIRE_REFUSAL(refusalOf(openAsking(server, trusts)), place, "ssh-keygen -f");
            REQUIRE_REFUSAL(refusalOf(open(server)), "is not the one that is known from earlier",
                            "-R '[127.0.0.1]:" + QString::number(server.port()) + "'");
        }
        QCOMPARE(trusts.asked.load(), 0);
    }

    void oneQuestionIsAskedForManyConnections() {
        LONG_TEST();
        const SshServer server;
        server.write("known_hosts", "");
        Answers answers;
        SshOptions options = optionsFor(server);
        options.asker = answers.server();
        std::vector<std::jthread> threads;
        std::atomic<int> opened{0};
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                if (launch::openSsh("box", options, {})) ++opened;
            });
        threads.clear();
        QCOMPARE(opened.load(), 4);
        QCOMPARE(answers.asked.load(), 1);
    }

    void nothingSecretIsInArgumentsOrEnvironment() {
        LONG_TEST();
        const SshServer server;
        const std::string passphrase = "a-passphrase-that-nobody-may-see";
        server.makeKey("userkey", QString::fromStdString(passphrase));
        QFile::remove(server.path("authorized_keys"));
        QFile::copy(server.path("userkey.pub"), server.path("authorized_keys"));
        const std::string secret = "a-key-that-goes-in-a-frame";
        std::atomic<bool> done{false};
        std::atomic<int> seen{0};
        std::atomic<int> scans{0};
        std::jthread scanner([&] {
            while (!done) {
                QDirIterator processes("/proc", QDir::Dirs);
                while (processes.hasNext()) {
                    const QString place = processes.next();
                    for (const char* name : {"/cmdline", "/environ"}) {
                        QFile file(place + name);
                        if (!file.open(QIODevice::ReadOnly)) continue;
                        const QByteArray text = file.readAll();
                        if (text.contains(passphrase.c_str()) || text.contains(secret.c_str()))
                            ++seen;
                    }
                }
                ++scans;
            }
        });
        for (int i = 0; i < 5; ++i) {
            Answers answers{.passphrase = passphrase};
            auto link = openAsking(server, answers);
            REQUIRE_LINK(link);
            QCOMPARE(echoed(**link, secret), secret);
        }
        done = true;
        scanner.join();
        QCOMPARE(seen.load(), 0);
        QVERIFY(scans > 3);
        QVERIFY(!server.log().contains(secret.c_str()));
    }
};

}  // namespace lockstep

int main(int argc, char** argv) {
    return lockstep::tests::runSshTest<lockstep::TestSshLogin>(argc, argv);
}
#include "tst_ssh_login.moc"
