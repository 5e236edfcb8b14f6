// SPDX-License-Identifier: Apache-2.0
// Colours on a terminal, and nowhere else.
#include <pty.h>
#include <unistd.h>

#include <QtTest>

#include "app/terminal/colour.h"

using namespace lockstep::app;

namespace {

/// A terminal that nobody looks at.
class Terminal {
public:
    Terminal() {
        int end = -1;
        if (::openpty(&master_, &end, nullptr, nullptr, nullptr) != 0) qFatal("no terminal");
        stream_ = ::fdopen(end, "w");
    }
    ~Terminal() {
        std::fclose(stream_);
        ::close(master_);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    [[nodiscard]] std::FILE* stream() const { return stream_; }
    [[nodiscard]] QByteArray shown() const {
        std::fflush(stream_);
        QByteArray text(4096, '\0');
        text.resize(qMax(0, int(::read(master_, text.data(), std::size_t(text.size())))));
        return text;
    }

private:
    int master_ = -1;
    std::FILE* stream_ = nullptr;
};

}  // namespace

class ColourTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        qputenv("TERM", "xterm-256color");
        qunsetenv("NO_COLOR");
    }

    void aTerminalShowsHowGraveALineIs() {
        const Terminal terminal;
        QVERIFY(showsColours(terminal.stream()));
        say(terminal.stream(), "error", "it failed");
        QCOMPARE(terminal.shown(), QByteArray("\033[1;31merror\033[0m: it failed\r\n"));
        say(terminal.stream(), "warning", "error: of another program");
        QCOMPARE(terminal.shown(),
                 QByteArray("\033[33mwarning\033[0m: error: of another program\r\n"));
        QCOMPARE(withInkedWord("errors: 3", terminal.stream()), std::string("errors: 3"));
        QCOMPARE(withInkedWord("note that", terminal.stream()), std::string("note that"));
    }

    void whatIsDoneOfABarIsInAColour() {
        const Terminal terminal;
        QCOMPARE(withInkedBar("training [##--] 50 %", terminal.stream()),
                 std::string("training [\033[32m##\033[0m--] 50 %"));
        QCOMPARE(withInkedBar("training [--", terminal.stream()), std::string("training [--"));
        QCOMPARE(withInkedBar("cut [##", terminal.stream()), std::string("cut [\033[32m##\033[0m"));
    }

    void whoeverWantsNoColoursGetsNone() {
        const Terminal terminal;
        qputenv("NO_COLOR", "1");
        QVERIFY(!showsColours(terminal.stream()));
        qputenv("NO_COLOR", "");  // as if it were not set
        QVERIFY(showsColours(terminal.stream()));
        qputenv("TERM", "dumb");
        QVERIFY(!showsColours(terminal.stream()));
        qunsetenv("TERM");
        say(terminal.stream(), "error", "it failed");
        QCOMPARE(terminal.shown(), QByteArray("error: it failed\r\n"));
    }

    void whatIsRedirectedIsPlain() {
        std::FILE* file = std::tmpfile();
        QVERIFY(file != nullptr && !showsColours(file));
        QCOMPARE(inked("completed", Ink::Good, file), std::string("completed"));
        std::fclose(file);
    }
};

QTEST_GUILESS_MAIN(ColourTest)
#include "tst_colour.moc"
