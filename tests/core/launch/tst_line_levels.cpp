// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <string>
#include <vector>

#include "core/launch/process/line_levels.h"

using namespace lockstep::launch;

namespace {

/// Of each line: its level as a letter, small where it goes on with what was before.
std::string marks(const std::vector<std::string>& lines) {
    LineLevels levels;
    std::string marks;
    for (const std::string& line : lines) {
        const auto level = static_cast<std::size_t>(levels.take(line));
        marks += (levels.continues() ? "diwe" : "DIWE")[level];
    }
    return marks;
}

}  // namespace

class LineLevelsTest : public QObject {
    Q_OBJECT
private slots:
    void glogAndAbslAreRecognisedWithShortAndLongDates() {
        QCOMPARE(marks({"I0102 12:34:56.789012 140 train.py:12] step",
                        "W0102 12:34:56.789 1 a.cc:1] w", "E20260102 12:34:56.789 140 a.cc:1] e",
                        "F20260102 12:34:56 1 a.cc:1] f", "I2026 was a year", "INFO:absl:hello",
                        "WARNING:root:hm", "2026-01-02 12:34:56,789 - model - ERROR - bad"}),
                 std::string("IWEEIIWE"));
    }
    void aTracebackIsOneAccountToTheLineOfItsException() {
        QCOMPARE(marks({"step 1", "Traceback (most recent call last):", "  File \"t.py\", line 3",
                        "    f()", "ValueError: bad", "step 2"}),
                 std::string("IEeeeI"));
    }
    void aChainOfTracebacksIsOneAccount() {
        QCOMPARE(
            marks({"Traceback (most recent call last):", "  File \"t.py\", line 3", "KeyError: 'a'",
                   "", "During handling of the above exception, another exception occurred:", "",
                   "Traceback (most recent call last):", "  File \"t.py\", line 5",
                   "ValueError: bad", "", "bye"}),
            std::string("EeeieieeeiI"));
    }
    void aChainWhoseBlankLinesWereLeftOutIsOneAccount() {
        QCOMPARE(marks({"Traceback (most recent call last):", "  File", "KeyError: 3",
                        "The above exception was the direct cause of the following exception:",
                        "Traceback (most recent call last):", "  File", "ValueError: bad", "bye"}),
                 std::string("EeeeeeeI"));
    }
    void whatAnExceptionSaysMayHaveMoreLines() {
        QCOMPARE(marks({"Traceback (most recent call last):", "  File \"t.py\", line 3",
                        "RuntimeError: Error(s) in loading state_dict for Net:",
                        "\tMissing key(s): \"a\"", "done"}),
                 std::string("EeeeI"));
    }
    void anotherTracebackIsAnotherAccount() {
        QCOMPARE(marks({"Traceback (most recent call last):", "  File", "ValueError: a",
                        "Traceback (most recent call last):", "  File", "ValueError: b"}),
                 std::string("EeeEee"));
    }
    void framesBelowAFailureOfCppGoOnWithIt() {
        QCOMPARE(marks({"terminate called after throwing an instance of 'std::runtime_error'",
                        "  what():  no memory", "*** Aborted at 1700000000 ***", "PC: @ 0x0",
                        "    @     0x55d8aa main", "Aborted"}),
                 std::string("EeeeeE"));
        QCOMPARE(marks({"F0102 12:34:56.789 140 a.cc:1] Check failed: a == b",
                        "*** Check failure stack trace: ***", "    @     0x55d8aa  main",
                        "#0 0x55 in main /a.cc:3", "training"}),
                 std::string("EeeeI"));
        QCOMPARE(marks({"Exception raised from run at a.cpp:3 (most recent call first):",
                        "frame #0: c10::Error::Error() + 0x57 (0x7f in libc10.so)",
                        "frame #1: main + 0x3 (0x55)", "", "x"}),
                 std::string("EeeII"));
        QCOMPARE(marks({"error: out of memory", " 0# f() in ./a", " 1# main in ./a",
                        "./a(main+0x11f) [0x55d8]", "1# is a list"}),
                 std::string("Eeeee"));
    }
    void framesAloneAreNoFailure() {
        QCOMPARE(marks({"#1 of 3", "    @ 0x55", "frame #1: x", "*** SIGUSR1 caught"}),
                 std::string("IIIE"));
    }
    void pythonsFaulthandlerIsOneAccount() {
        QCOMPARE(
            marks({"Fatal Python error: Segmentation fault", "",
                   "Thread 0x00007f (most recent call first):", "  File \"a.py\", line 1", "",
                   "Current thread 0x00007f (most recent call first):", "  File \"b.py\", line 2",
                   "", "Extension modules: numpy (total: 1)", "bye"}),
            std::string("EieeieeieI"));
    }
    void torchsRankIsPassedOver() {
        QCOMPARE(marks({"[rank1]: Traceback (most recent call last):", "[rank1]:   File",
                        "[rank1]: ValueError: a"}),
                 std::string("Eee"));
    }
};

QTEST_GUILESS_MAIN(LineLevelsTest)
#include "tst_line_levels.moc"
