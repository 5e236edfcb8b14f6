// SPDX-License-Identifier: Apache-2.0
// From the program that ssh starts for its questions to whoever answers: the launcher's callback,
// or a person at a terminal.
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QFileInfo>
#include <QProcess>
#include <QTest>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>

#include "core/base/thread.h"
#include "core/launch/ssh/terminal_asker.h"

namespace lockstep::launch {

namespace {

constexpr int kTimeout = 20'000;

/// This program as ssh starts it to ask something.
struct Askpass {
    QByteArray answer;
    int status = -1;
};

QProcessEnvironment environmentOf(const AskServer& server, const std::string& destination,
                                  const std::string& opening = {}) {
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const std::string& setting : server.environment(destination, opening)) {
        const QString text = QString::fromStdString(setting);
        environment.insert(text.section('=', 0, 0), text.section('=', 1));
    }
    return environment;
}

Askpass ask(const AskServer& server, const QString& prompt, const std::string& opening = {}) {
    QProcess process;
    process.setProcessEnvironment(environmentOf(server, "gpu3", opening));
    process.start(QCoreApplication::applicationFilePath(), {prompt});
    process.waitForFinished(kTimeout);
    return {process.readAllStandardOutput(), process.exitCode()};
}

std::shared_ptr<AskServer> serverWith(Ask ask, AskServerOptions options = {}) {
    auto server = AskServer::start(std::move(ask), std::move(options));
    return server ? *server : nullptr;
}

/// Waits until nobody wants the answer any more.
bool isWithdrawn(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, stop, std::chrono::milliseconds(kTimeout), [] { return false; });
    return stop.stop_requested();
}

QString socketOf(const AskServer& server) {
    return environmentOf(server, "").value("LOCKSTEP_ASKPASS");
}

/// What a person sees on a terminal, and what comes of what they type there.
struct Terminal {
    QByteArray screen;
    int status = -1;
};

Terminal typeInto(const char* question, const QByteArray& prompt, const QByteArray& typed) {
    int master = -1;
    const QByteArray self = QCoreApplication::applicationFilePath().toLocal8Bit();
    const pid_t pid = ::forkpty(&master, nullptr, nullptr, nullptr);
    if (pid == 0) {
        ::execl(self.constData(), self.constData(), "--at-terminal", question, nullptr);
        ::_exit(127);
    }
    Terminal terminal;
    bool hasTyped = false;
    char piece[1024];
    for (ssize_t got = 0; (got = ::read(master, piece, sizeof piece)) > 0;) {
        terminal.screen.append(piece, got);
        if (!hasTyped && terminal.screen.contains(prompt)) {
            hasTyped = true;
            if (::write(master, typed.constData(), std::size_t(typed.size())) != typed.size())
                break;
        }
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    ::close(master);
    terminal.status = WEXITSTATUS(status);
    return terminal;
}

/// The program at the terminal: 0 when it was answered as expected, 1 when declined.
int askAtTerminal(const char* kind) {
    AskQuestion question{.kind = AskQuestion::Kind::HostKey,
                         .destination = "gpu3",
                         .host = "gpu3",
                         .keyType = "ED25519",
                         .fingerprint = "SHA256:abc"};
    if (std::strcmp(kind, "passphrase") == 0) {
        question.kind = AskQuestion::Kind::Passphrase;
        question.keyFile = "/u/me/.ssh/id";
    }
    const auto answer = askOnTerminal(question, {});
    if (!answer) return 1;
    return question.kind == AskQuestion::Kind::HostKey || answer->secret == "open sesame" ? 0 : 3;
}

}  // namespace

class TestSshAsking : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { ignoreSigpipe(); }

    void anAnswerReachesSshAndADeclineDoes() {
        const auto server = serverWith([](const AskQuestion& question, const std::stop_token&) {
            return question.keyFile == "/k" ? std::optional(AskAnswer{true, "open sesame"})
                                            : std::nullopt;
        });
        QVERIFY(server);
        const Askpass given = ask(*server, "Enter passphrase for key '/k': ");
        QCOMPARE(given.answer, QByteArray("open sesame\n"));
        QCOMPARE(given.status, 0);
        const Askpass declined = ask(*server, "Enter passphrase for key '/other': ");
        QCOMPARE(declined.answer, QByteArray());
        QCOMPARE(declined.status, 1);
    }

    void onlyThisUserReachesTheSocketAndItGoesWithTheServer() {
        auto server = serverWith(
            [](const AskQuestion&, const std::stop_token&) { return std::optional<AskAnswer>(); });
        const QString socket = socketOf(*server);
        QVERIFY(socket.size() < 100);
        struct stat status {};
        QCOMPARE(::stat(socket.toLocal8Bit(), &status), 0);
        QCOMPARE(status.st_mode & 0777, 0600U);
        QCOMPARE(::stat(QFileInfo(socket).path().toLocal8Bit(), &status), 0);
        QCOMPARE(status.st_mode & 0777, 0700U);
        server.reset();
        QVERIFY(!QFileInfo::exists(QFileInfo(socket).path()));
    }

    void whoIsNotAnsweredInTimeIsDeclined() {
        std::atomic<int> withdrawn{0};
        const auto patience = std::chrono::milliseconds(200);
        const auto server = serverWith(
            [&](const AskQuestion&, const std::stop_token& stop) {
                if (isWithdrawn(stop)) ++withdrawn;
                return std::optional<AskAnswer>();
            },
            {.patience = patience});
        QCOMPARE(ask(*server, "Enter passphrase for key '/k': ").status, 1);
        QCOMPARE(withdrawn.load(), 1);
    }

    void aDeclineHoldsForTheConnectionsThatAreOpenedTogetherAlone() {
        std::atomic<int> asked{0};
        const auto server = serverWith([&](const AskQuestion&, const std::stop_token&) {
            return ++asked == 1 ? std::nullopt : std::optional(AskAnswer{true, "second thoughts"});
        });
        const QString prompt = "Enter passphrase for key '/k': ";
        QCOMPARE(ask(*server, prompt, "one").status, 1);
        QCOMPARE(ask(*server, prompt, "one").status, 1);  // another host of that launch
        QCOMPARE(asked.load(), 1);
        QCOMPARE(ask(*server, prompt, "two").answer, QByteArray("second thoughts\n"));
        QCOMPARE(asked.load(), 2);
    }

    void aQuestionIsWithdrawnWhenItsConnectionEnds() {
        std::atomic<int> asked{0};
        std::atomic<int> withdrawn{0};
        const auto server = serverWith([&](const AskQuestion&, const std::stop_token& stop) {
            if (++asked == 2) return std::optional(AskAnswer{true, "later"});
            if (isWithdrawn(stop)) ++withdrawn;
            return std::optional<AskAnswer>();
        });
        QProcess process;
        process.setProcessEnvironment(environmentOf(*server, "gpu3"));
        process.start(QCoreApplication::applicationFilePath(), {"Enter passphrase for key '/k': "});
        QVERIFY(QTest::qWaitFor([&] { return asked > 0; }, kTimeout));
        process.kill();  // as ssh does when the connection ends
        QVERIFY(process.waitForFinished(kTimeout));
        QVERIFY(QTest::qWaitFor([&] { return withdrawn > 0; }, kTimeout));
        // Nobody declined it: the next connection asks again.
        QCOMPARE(ask(*server, "Enter passphrase for key '/k': ").answer, QByteArray("later\n"));
    }

    void aLauncherThatIsGoneIsADecline() {
        auto server = serverWith([](const AskQuestion&, const std::stop_token&) {
            return std::optional(AskAnswer{true, "x"});
        });
        QProcess process;
        process.setProcessEnvironment(environmentOf(*server, "gpu3"));
        server.reset();
        process.start(QCoreApplication::applicationFilePath(), {"Enter passphrase for key '/k': "});
        QVERIFY(process.waitForFinished(kTimeout));
        QCOMPARE(process.exitCode(), 1);
    }

    void aPassphraseIsTypedUnseen() {
        const Terminal terminal = typeInto(
            "passphrase", "Passphrase of the key /u/me/.ssh/id (for gpu3): ", "open sesame\n");
        QCOMPARE(terminal.status, 0);
        QVERIFY2(!terminal.screen.contains("sesame"), terminal.screen);
    }

    void aHostKeyIsTrustedByTheWholeWordAlone() {
        const QByteArray prompt = "Trust it from now on? (yes/no) ";
        Terminal terminal = typeInto("host key", prompt, "yes\n");
        QCOMPARE(terminal.status, 0);
        QVERIFY2(terminal.screen.contains("SHA256:abc"), terminal.screen);
        QCOMPARE(typeInto("host key", prompt, "no\n").status, 1);
        terminal = typeInto("host key", prompt, "y\nno\n");
        QCOMPARE(terminal.status, 1);
        QVERIFY2(terminal.screen.contains("Please type yes or no"), terminal.screen);
    }
};

}  // namespace lockstep::launch

int main(int argc, char** argv) {
    using namespace lockstep::launch;
    if (const auto asked = answerAsAskpass(argc, argv)) return *asked;
    if (argc == 3 && std::strcmp(argv[1], "--at-terminal") == 0) return askAtTerminal(argv[2]);
    QCoreApplication application(argc, argv);
    TestSshAsking test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_ssh_asking.moc"
