// SPDX-License-Identifier: Apache-2.0
// Strings that want to become commands, wherever a user or a file can put a string on its way to
// ssh: each is refused in a sentence or stays data. What got through would create a file.
#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <functional>

#include "core/base/text.h"
#include "core/launch/ssh/ask_question.h"
#include "core/launch/ssh/ssh_command.h"
#include "tests/support/bootstrap_host.h"

namespace lockstep::launch {

namespace {

using Mutator = std::function<std::string(const std::string&)>;

/// What shells, ssh, its configuration or a terminal would do something with. CANARY stands for
/// the file that would appear.
const std::vector<std::string> kPayloads{
    "$(touch CANARY)",
    "`touch CANARY`",
    ";touch CANARY;",
    "|touch CANARY",
    "||touch CANARY",
    "&touch CANARY&",
    "&&touch CANARY",
    "\ntouch CANARY\n",
    "\r\ntouch CANARY\r\n",
    "';touch CANARY;'",
    "\";touch CANARY;\"",
    "'\"'\"';touch CANARY;'",
    "\\';touch CANARY;",
    "$(touch${IFS}CANARY)",
    ">CANARY",
    ">>CANARY",
    "<(touch CANARY)",
    "%{touch CANARY}",
    "-oProxyCommand=touch CANARY",
    "-oLocalCommand=touch CANARY",
    "-oPermitLocalCommand=yes -oLocalCommand=touch${IFS}CANARY",
    "-F/dev/stdin",
    "-w0:0",
    "--",
    "-",
    "~root",
    "*",
    "!!",
    "#",
    "%h%p%r%C",
    "\x1b]0;title\x07\x1b[2J",
    "\xe2\x80\xae evil",
    std::string("a\0b", 3),
    "\t",
    " ",
    "\xff\xfe",
    std::string(100'000, 'a'),
};

const std::vector<Mutator> kMutators{
    [](const std::string& p) { return p; },
    [](const std::string& p) { return "host" + p; },
    [](const std::string& p) { return p + "host"; },
    [](const std::string& p) { return p + "@host"; },
    [](const std::string& p) { return "user@" + p; },
    [](const std::string& p) { return "ssh://user@" + p; },
    [](const std::string& p) { return "host:" + p; },
    [](const std::string& p) { return "[::1" + p + "]:22"; },
    [](const std::string& p) { return "fe80::1%" + p; },
};

/// The payloads, aimed at a canary of this test.
class Canary {
public:
    [[nodiscard]] std::vector<std::string> payloads() const {
        std::vector<std::string> aimed;
        for (std::string payload : kPayloads) {
            if (const auto at = payload.find("CANARY"); at != std::string::npos)
                payload.replace(at, 6, path());
            aimed.push_back(std::move(payload));
        }
        return aimed;
    }
    /// Every payload in every disguise.
    [[nodiscard]] std::vector<std::string> strings() const {
        std::vector<std::string> all;
        for (const std::string& payload : payloads())
            for (const Mutator& mutator : kMutators)
                all.push_back(mutator(payload));
        return all;
    }
    [[nodiscard]] bool isAlive() const { return !QFile::exists(QString::fromStdString(path())); }
    [[nodiscard]] QString folder() const { return folder_.path(); }

private:
    [[nodiscard]] std::string path() const { return folder_.filePath("canary").toStdString(); }

    QTemporaryDir folder_;
};

bool isPrintable(const std::string& text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        return (c >= 0 && c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
    });
}

}  // namespace

class TestSshHostile : public QObject {
    Q_OBJECT
private slots:
    void aDestinationIsRefusedInASentenceOrHasOnlyHarmlessCharacters() {
        const Canary canary;
        const auto strings = canary.strings();
        QVERIFY(strings.size() >= 300);
        int refused = 0;
        for (const std::string& text : strings) {
            const auto parsed = config::parseSshDestination(text);
            if (!parsed) {
                ++refused;
                const std::string& message = parsed.error().message;
                QVERIFY2(isPrintable(message), message.c_str());
                QVERIFY(message.size() < 300 && !parsed.error().remedy.empty());
                QCOMPARE(parsed.error().code, ErrorCode::BadInput);
                continue;
            }
            const std::string all = parsed->user + parsed->host;
            QVERIFY2(all.find_first_of(" \t\r\n;|&$`'\"\\<>(){}*?!#~") == std::string::npos,
                     all.c_str());
            QVERIFY(parsed->host.front() != '-' && !parsed->user.starts_with("-"));
        }
        QVERIFY2(refused > 290, qPrintable(QString::number(refused)));
        QVERIFY(canary.isAlive());
    }

    void whatIsAcceptedMakesSshRunNothing() {
        if (QStandardPaths::findExecutable("ssh").isEmpty()) QSKIP("there is no ssh here");
        const Canary canary;
        QFile config(canary.folder() + "/config");
        QVERIFY(config.open(QIODevice::WriteOnly));
        // Port 1 of this machine: the name never reaches a resolver, and nobody answers.
        config.write("Host *\n HostName 127.0.0.1\n ConnectTimeout 2\n BatchMode yes\n");
        config.close();
        for (const std::string& text : canary.strings()) {
            const auto parsed = config::parseSshDestination(text);
            if (!parsed) continue;
            SshCommand command{.destination = *parsed,
                               .configFile = config.fileName().toStdString(),
                               .controlPath = (canary.folder() + "/c").toStdString()};
            command.destination.port = 1;
            QStringList arguments;
            for (const std::string& argument : sshArguments(command, {}, "touch somewhere"))
                arguments.append(QString::fromStdString(argument));
            QProcess ssh;
            ssh.start("ssh", arguments);
            QVERIFY(ssh.waitForFinished());
            QCOMPARE(ssh.exitCode(), 255);
            QVERIFY(canary.isAlive());
        }
    }

    void theNameOfAConfigurationFileIsNeverAnOption() {
        const Canary canary;
        for (const std::string& text : canary.payloads()) {
            SshCommand command;
            command.destination.host = "host";
            command.configFile = text;
            const auto arguments = sshPolicyArguments(command);
            QCOMPARE(arguments[1], std::string("-F"));
            QVERIFY(!arguments[2].starts_with("-"));
            QVERIFY(arguments[2].ends_with(text));
        }
    }

    void pathsAndVariablesOfAHostStayData() {
        const tests::PackedBuild build("hello");
        const Canary canary;
        for (const std::string& payload : canary.payloads()) {
            if (payload.size() > 200 || payload.find('\0') != std::string::npos) continue;
            QString name = QString::fromLocal8Bit(payload.c_str());
            const QString cache = canary.folder() + "/" + name.replace('/', '_');
            const QByteArray said = tests::installedBy(build, cache);
            QVERIFY2(said == "hello --host" || said.startsWith("lockstep-bootstrap refused"), said);
            QVERIFY(canary.isAlive());
            // As a variable that is no absolute path, it does not count at all.
            QCOMPARE(tests::installedBy(build, name), QByteArray("hello --host"));
            QVERIFY(canary.isAlive());
        }
    }

    void whatGoesInFramesArrivesAsItIs() {
        const tests::PackedBuild build("hello");
        const Canary canary;
        tests::BootstrapHost host(canary.folder() + "/cache");
        QVERIFY(host.becomesReady());
        host.write(bootstrapInput({build.bundle}));
        QVERIFY(host.line().startsWith("lockstep-bootstrap want"));
        host.write(build.bytes);
        QCOMPARE(host.line(), QByteArray("lockstep-bootstrap run"));
        QCOMPARE(host.line(), QByteArray("hello --host"));
        host.line();                                        // its umask
        for (const std::string& text : canary.strings()) {  // names of jobs, paths, environments
            QByteArray line = QByteArray::fromStdString(text).replace('\n', '\r');
            host.write(line + "|\n");
            QCOMPARE(host.line(), (line + "|").trimmed());
        }
        QVERIFY(canary.isAlive());
    }

    void aPromptIsShownWithoutWhatWouldMoveATerminal() {
        const Canary canary;
        for (const std::string& text : canary.strings()) {
            for (const std::string& prompt :
                 {text,
                  "The authenticity of host '" + text + "' can't be established.\n" + text +
                      " key fingerprint is SHA256:" + text + ".\n(yes/no/[fingerprint])? ",
                  "Enter passphrase for key '" + text + "': "}) {
                const AskQuestion question = askQuestionIn(prompt, "", text.substr(0, 40));
                QVERIFY(isPrintable(question.text + question.host + question.keyType +
                                    question.fingerprint + question.keyFile));
                QVERIFY(question.text.size() < 10'000);
                const std::string reply = askReply(question, {.accepted = true});
                QVERIFY(reply.find('\n') == std::string::npos);
            }
        }
        QVERIFY(canary.isAlive());
    }

    void aQuestionIsTakenApart() {
        const AskQuestion question = askQuestionIn(
            "The authenticity of host 'gpu3 (10.0.0.3)' can't be established.\nED25519 key "
            "fingerprint is SHA256:r3HnT2mYgTLxwN5QwXyXZ5nXyqj8hJc0mUKaXIIYG0c.\nThis key is not "
            "known by any other names.\nAre you sure you want to continue connecting "
            "(yes/no/[fingerprint])? ",
            "", "gpu3");
        QCOMPARE(question.kind, AskQuestion::Kind::HostKey);
        QCOMPARE(question.host, std::string("gpu3"));
        QCOMPARE(question.keyType, std::string("ED25519"));
        QCOMPARE(question.fingerprint,
                 std::string("SHA256:r3HnT2mYgTLxwN5QwXyXZ5nXyqj8hJc0mUKaXIIYG0c"));
        QCOMPARE(askReply(question, {.accepted = true}), question.fingerprint);
        QCOMPARE(askReply(question, {.accepted = false}), std::string("no"));
        QCOMPARE(askQuestionIn("me@gpu3's password: ", "", "gpu3").kind,
                 AskQuestion::Kind::Password);
        QCOMPARE(askQuestionIn("Confirm user presence for key ED25519-SK", "none", "gpu3").kind,
                 AskQuestion::Kind::Notice);
        QCOMPARE(askQuestionIn("Enter passphrase for key '/u/me/.ssh/id': ", "", "a").keyFile,
                 std::string("/u/me/.ssh/id"));
        QCOMPARE(askIdentity(askQuestionIn("Enter passphrase for key '/k': ", "", "a")),
                 askIdentity(askQuestionIn("Enter passphrase for key '/k': ", "", "b")));
    }

    void destinationsAreRead() {
        const auto words = [](const std::string& text) {
            const auto parsed = config::parseSshDestination(text);
            return parsed ? parsed->user + " " + parsed->host + " " + std::to_string(parsed->port)
                          : parsed.error().message;
        };
        QCOMPARE(words("gpu3"), std::string(" gpu3 0"));
        QCOMPARE(words("me@gpu3.lan"), std::string("me gpu3.lan 0"));
        QCOMPARE(words("me@corp.example@gpu3:2222"), std::string("me@corp.example gpu3 2222"));
        QCOMPARE(words("ssh://me@gpu3:2222/"), std::string("me gpu3 2222"));
        QCOMPARE(words("[::1]:22"), std::string(" ::1 22"));
        QCOMPARE(words("fe80::1%eth0"), std::string(" fe80::1%eth0 0"));
        QCOMPARE(words("10.0.0.3"), std::string(" 10.0.0.3 0"));
        for (const char* wrong :
             {"", "@host", "host:", "host:0", "host:65536", "host:22x", "[host]", "[::1", "::1:x",
              "me@", "a b", "-host", "me@-host", "ssh://", "a..b", ".a", "10.0.0.256"})
            QVERIFY2(!config::parseSshDestination(wrong), wrong);
    }
};

}  // namespace lockstep::launch

QTEST_GUILESS_MAIN(lockstep::launch::TestSshHostile)
#include "tst_ssh_hostile.moc"
