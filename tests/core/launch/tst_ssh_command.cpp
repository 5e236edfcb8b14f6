// SPDX-License-Identifier: Apache-2.0
// What ssh is started with, as ssh itself understands it (`ssh -G`), and the texts that it answers.
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <thread>

#include "core/launch/ssh/opening_limit.h"
#include "core/launch/ssh/ssh_command.h"
#include "core/launch/ssh/ssh_errors.h"

namespace lockstep::launch {

namespace {

SshCommand commandFor(const std::string& destination) {
    auto parsed = config::parseSshDestination(destination);
    return {.destination = parsed ? *parsed : config::SshDestination{},
            .controlPath = "/run/user/1000/lockstep/ssh-0a1b2c/control"};
}

/// The settings that ssh takes from these arguments, each "key value"; empty when it refuses them.
QStringList settingsOf(const std::vector<std::string>& arguments) {
    QStringList list{"-G"};
    for (const std::string& argument : arguments)
        list.append(QString::fromStdString(argument));
    QProcess ssh;
    ssh.start("ssh", list);
    ssh.waitForFinished();
    return QString::fromUtf8(ssh.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
}

std::vector<std::string> linkArguments(const SshCommand& command, const SshPolicy& policy = {}) {
    return sshArguments(command, policy, "exec true");
}

SshEnd endWith(std::initializer_list<const char*> lines) {
    SshEnd end{.host = "gpu3"};
    for (const char* line : lines)
        end.words.emplace_back(line);
    return end;
}

}  // namespace

class TestSshCommand : public QObject {
    Q_OBJECT
private slots:
    void sshUnderstandsEveryArgumentAsItIsMeant() {
        if (QStandardPaths::findExecutable("ssh").isEmpty()) QSKIP("there is no ssh here");
        const QStringList settings = settingsOf(linkArguments(commandFor("me@[fe80::1]:2222")));
        for (const char* expected :
             {"user me", "hostname fe80::1", "port 2222", "batchmode yes", "requesttty false",
              "stricthostkeychecking true", "forwardagent no", "forwardx11 no",
              "permitlocalcommand no", "clearallforwardings yes", "controlmaster true",
              "controlpath /run/user/1000/lockstep/ssh-0a1b2c/control", "controlpersist no",
              "streamlocalbindunlink yes", "serveraliveinterval 5", "serveralivecountmax 3",
              "connecttimeout 10", "loglevel INFO", "tunnel false"})
            QVERIFY2(settings.contains(expected), expected);
    }

    void theUsersConfigurationCountsExceptWhereItGetsInTheWay() {
        if (QStandardPaths::findExecutable("ssh").isEmpty()) QSKIP("there is no ssh here");
        QTemporaryDir folder;
        QFile config(folder.filePath("config"));
        QVERIFY(config.open(QIODevice::WriteOnly));
        config.write(
            "Host gpu3\n HostName 10.0.0.3\n User trainer\n ProxyJump gate\n ForwardAgent yes\n"
            " ControlMaster auto\n ControlPath /tmp/theirs\n RemoteCommand tmux\n RequestTTY yes\n"
            " LocalForward 8080 localhost:80\n StrictHostKeyChecking no\n LogLevel QUIET\n");
        config.close();
        SshCommand command = commandFor("gpu3");
        command.configFile = config.fileName().toStdString();
        QStringList policyText = settingsOf({"-F", command.configFile, "--", "gpu3"});
        const SshPolicy policy = sshPolicyIn(policyText.join('\n').toStdString());
        QCOMPARE(policy.hostName, std::string("10.0.0.3"));
        QCOMPARE(policy.user, std::string("trainer"));
        QCOMPARE(policy.firstHop, std::string("gate"));
        QCOMPARE(policy.hostKeyChecking, std::string("no"));
        const QStringList settings = settingsOf(linkArguments(command, policy));
        for (const char* expected : {"hostname 10.0.0.3", "user trainer", "proxyjump gate",
                                     "forwardagent no", "controlmaster true", "requesttty false",
                                     "stricthostkeychecking true", "loglevel INFO"})
            QVERIFY2(settings.contains(expected), expected);
        QVERIFY(settings.filter("localforward").isEmpty());
        QVERIFY(settings.filter("remotecommand tmux").isEmpty());
    }

    void aHostKeyIsNeverAcceptedUnseen() {
        const auto checking = [](const std::string& policy, bool canAsk) {
            SshCommand command = commandFor("gpu3");
            command.canAsk = canAsk;
            for (const std::string& argument : linkArguments(command, {.hostKeyChecking = policy}))
                if (argument.starts_with("StrictHostKeyChecking=")) return argument.substr(22);
            return std::string();
        };
        QCOMPARE(checking("yes", true), std::string("yes"));
        QCOMPARE(checking("ask", true), std::string("ask"));
        QCOMPARE(checking("ask", false), std::string("yes"));
        QCOMPARE(checking("no", true), std::string("ask"));
        QCOMPARE(checking("no", false), std::string("yes"));
        QCOMPARE(checking("", false), std::string("yes"));
        QCOMPARE(checking("accept-new", false), std::string("accept-new"));
    }

    void theHostStandsBehindTheEndOfTheOptions() {
        for (const auto& arguments :
             {linkArguments(commandFor("gpu3")), sshPolicyArguments(commandFor("gpu3")),
              sshForwardArguments(commandFor("gpu3"), "/run/a", "/run/b")}) {
            const auto end = std::find(arguments.begin(), arguments.end(), "--");
            QVERIFY(end != arguments.end() && *(end + 1) == "gpu3");
        }
    }

    void colonsInThePathsOfSocketsDoNotSeparate() {
        const auto arguments = sshForwardArguments(commandFor("gpu3"), "/run/a:b", "/tmp/x\\y:z");
        QVERIFY(std::find(arguments.begin(), arguments.end(), "/run/a\\:b:/tmp/x\\\\y\\:z") !=
                arguments.end());
    }

    void whatSshSaysBecomesASentenceWithAWayOut_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("sentence");
        QTest::addColumn<QString>("remedy");
        const auto row = [](const char* name, const QStringList& words, const QString& sentence,
                            const QString& remedy) {
            QTest::newRow(name) << words << sentence << remedy;
        };
        row("name", {"ssh: Could not resolve hostname gpu3: Name or service not known"},
            "the name of gpu3 does not resolve", "~/.ssh/config");
        row("refused", {"ssh: connect to host 10.0.0.3 port 22: Connection refused"},
            "gpu3 refuses connections", "ssh gpu3 true");
        row("timed out", {"ssh: connect to host 10.0.0.3 port 22: Connection timed out"},
            "gpu3 does not answer", "ssh gpu3 true");
        row("no route", {"ssh: connect to host 10.0.0.3 port 22: No route to host"},
            "there is no way to gpu3", "");
        row("denied", {"me@gpu3: Permission denied (publickey,password)."},
            "gpu3 does not let me@gpu3 in: none of this user's keys is accepted (it takes "
            "publickey,password)",
            "ssh-copy-id gpu3");
        row("unknown key",
            {"No ED25519 host key is known for [127.0.0.1]:22422 and you have requested strict "
             "checking.",
             "Host key verification failed."},
            "the host key of [127.0.0.1]:22422 is not known here", "ssh gpu3 true");
        row("changed key",
            {"@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@",
             "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @",
             "The fingerprint for the ED25519 key sent by the remote host is",
             "SHA256:r3HnT2mYgTLxwN5QwXyXZ5nXyqj8hJc0mUKaXIIYG0c.",
             "Please contact your system administrator.",
             "Add correct host key in /u/me/.ssh/known_hosts to get rid of this message.",
             "Offending ED25519 key in /u/me/.ssh/known_hosts:17",
             "Host key for gpu3.lan has changed and you have requested strict checking.",
             "Host key verification failed."},
            "(it shows SHA256:r3HnT2mYgTLxwN5QwXyXZ5nXyqj8hJc0mUKaXIIYG0c)",
            "ssh-keygen -f '/u/me/.ssh/known_hosts' -R 'gpu3.lan'");
        row("changed key's place",
            {"@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @",
             "Offending RSA key in /u/me/.ssh/known_hosts:17"},
            "the known key is /u/me/.ssh/known_hosts:17", "");
        row("changed key, by a greeting that would end the quotes",
            {"WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!", "Offending RSA key in x'; evil '",
             "Host key for a'; evil ' has changed and you have requested strict checking."},
            "gpu3 is not the one that is known", "ssh-keygen -f 'known_hosts' -R 'gpu3'");
        row("busy",
            {"kex_exchange_identification: read: Connection reset by peer",
             "Connection reset by 10.0.0.3 port 22"},
            "gpu3 took the connection and ended it before the login", "MaxStartups");
        row("banner",
            {"Connection timed out during banner exchange",
             "Connection to 10.0.0.3 port 22 timed out"},
            "does not speak ssh in time", "");
        row("methods",
            {"Unable to negotiate with 10.0.0.3 port 22: no matching host key type found. Their "
             "offer: ssh-rsa"},
            "have no method in common", "");
        row("too many keys",
            {"Received disconnect from 10.0.0.3 port 22:2: Too many authentication failures",
             "Disconnected from 10.0.0.3 port 22"},
            "too many keys", "IdentitiesOnly");
        row("jump cannot reach",
            {"channel 0: open failed: connect failed: No route to host", "stdio forwarding failed",
             "kex_exchange_identification: Connection closed by remote host",
             "Connection closed by UNKNOWN port 65535"},
            "the jump host cannot reach gpu3", "");
        row("jump is refused",
            {"ssh: connect to host gate port 22: Connection refused",
             "kex_exchange_identification: Connection closed by remote host"},
            "ssh: connect to host gate port 22: Connection refused", "");
        row("jump forbids",
            {"channel 0: open failed: administratively prohibited: open failed",
             "stdio forwarding failed"},
            "does not let connections through", "AllowTcpForwarding");
        row("configuration",
            {"/u/me/job/ssh_config: line 3: Bad configuration option: hostnam",
             "/u/me/job/ssh_config: terminating, 1 bad configuration options"},
            "ssh_config: line 3: Bad configuration option: hostnam", "Correct that line");
        row("anything else", {"something new in a later version"},
            "ssh cannot reach gpu3: something new in a later version", "ssh gpu3 true");
    }
    void whatSshSaysBecomesASentenceWithAWayOut() {
        QFETCH(QStringList, words);
        QFETCH(QString, sentence);
        QFETCH(QString, remedy);
        SshEnd end{.host = "gpu3"};
        for (const QString& line : words)
            end.words.push_back(line.toStdString());
        const Error error = sshError(end);
        QVERIFY2(QString::fromStdString(error.message).contains(sentence), error.message.c_str());
        QVERIFY2(QString::fromStdString(error.remedy).contains(remedy), error.remedy.c_str());
        QCOMPARE(error.code, ErrorCode::Unavailable);
    }

    void anOpenConnectionIsLostAndItsJumpHostIsNamedOnlyBefore() {
        SshEnd end = endWith({"Timeout, server 10.0.0.3 not responding."});
        end.wasOpen = true;
        end.jump = "gate";
        QCOMPARE(sshError(end).code, ErrorCode::PeerLost);
        QCOMPARE(sshError(end).message,
                 std::string("the connection to gpu3 was lost: it has not answered for 15 s"));
        end = endWith({"ssh: connect to host gate port 22: Connection refused"});
        end.jump = "gate";
        QVERIFY(sshError(end).message.ends_with("(by way of gate)"));
    }

    void aJumpHostThatRefusesIsTheOneThatIsNamed() {
        SshEnd end = endWith({"me@gate: Permission denied (publickey).",
                              "kex_exchange_identification: Connection closed by remote host",
                              "Connection closed by UNKNOWN port 65535"});
        end.jump = "me@gate:2222";
        QVERIFY(sshError(end).message.starts_with("me@gate:2222 does not let me@gate in"));
        QCOMPARE(sshError(end).remedy,
                 std::string("Install a key there: ssh-copy-id me@gate:2222"));
    }

    void loginsAtOneServerTakeTurns() {
        const auto limit = std::make_shared<OpeningLimit>(2);
        std::atomic<int> inside{0};
        std::atomic<int> most{0};
        std::atomic<int> done{0};
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 8; ++i)
                threads.emplace_back([&] {
                    const auto turn = limit->take("gate", std::chrono::seconds(20), {});
                    if (!turn) return;
                    const int now = ++inside;
                    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
                    }
                    // a pause: turns would overlap if they could
                    // a pause: turns would overlap if they could
                    std::this_thread::sleep_for(std::chrono::milliseconds(5));
                    --inside;
                    ++done;
                });
        }
        QCOMPARE(done.load(), 8);
        QCOMPARE(most.load(), 2);
        const auto first = limit->take("gate", std::chrono::seconds(1), {});
        auto second = limit->take("gate", std::chrono::seconds(1), {});
        QVERIFY(first && second);
        QVERIFY(limit->take("elsewhere", Nanos::zero(), {}).has_value());
        QCOMPARE(limit->take("gate", std::chrono::milliseconds(20), {}).error().code,
                 ErrorCode::Timeout);
        std::stop_source cancel;
        cancel.request_stop();
        QCOMPARE(limit->take("gate", std::chrono::minutes(1), cancel.get_token()).error().code,
                 ErrorCode::Cancelled);
        second->giveBack();
        QVERIFY(limit->take("gate", Nanos::zero(), {}).has_value());
    }

    void whatAProgramOfOursSaysIsPassedOnWithItsRemedy() {
        SshEnd end = endWith({"motd", "error: the run folder is locked", "  Stop the other run.",
                              "  Or choose another folder."});
        end.wasOpen = true;
        QCOMPARE(sshError(end).message,
                 std::string("the service on gpu3 has ended: the run folder is locked"));
        QCOMPARE(sshError(end).remedy,
                 std::string("Stop the other run.\nOr choose another folder."));
    }

    void aLockedKeyIsNamedWithTheCommandThatOpensIt() {
        SshEnd end = endWith({"me@gpu3: Permission denied (publickey)."});
        end.lockedKeys = {"/u/me/.ssh/id_ed25519"};
        QCOMPARE(sshError(end).remedy,
                 std::string("Give it to the agent first: ssh-add /u/me/.ssh/id_ed25519"));
        QVERIFY(sshError(end).message.find("needs its passphrase") != std::string::npos);
    }
};

}  // namespace lockstep::launch

QTEST_GUILESS_MAIN(lockstep::launch::TestSshCommand)
#include "tst_ssh_command.moc"
