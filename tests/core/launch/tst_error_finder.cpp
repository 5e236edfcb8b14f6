// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <sstream>

#include "core/launch/process/error_finder.h"

using lockstep::launch::ErrorFinder;

namespace {
std::string causeIn(const std::string& output) {
    ErrorFinder finder;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
        finder.take(line);
    return finder.cause();
}
}  // namespace

class ErrorFinderTest : public QObject {
    Q_OBJECT
private slots:
    void theCauseIsNamed_data() {
        QTest::addColumn<QString>("output");
        QTest::addColumn<QString>("cause");
        QTest::newRow("a Python traceback")
            << "epoch 1\nTraceback (most recent call last):\n  File \"t.py\", line 3, in <module>\n"
               "    f()\nValueError: no such luck\n"
            << "ValueError: no such luck";
        QTest::newRow("behind PyTorch's rank")
            << "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"t.py\", line 3\n"
               "[rank1]: RuntimeError: Connection closed by peer [127.0.0.1]:4\n"
            << "RuntimeError: Connection closed by peer [127.0.0.1]:4";
        QTest::newRow("a chain of exceptions: the last one")
            << "Traceback (most recent call last):\n  x\nKeyError: 'a'\n\nDuring handling of the "
               "above exception, another exception occurred:\n\nTraceback (most recent call "
               "last):\n  y\nmodule.deep.CustomProblem: b\nbye\n"
            << "module.deep.CustomProblem: b";
        QTest::newRow("a syntax error has no traceback")
            << "  File \"t.py\", line 1\n    def\n       ^\nSyntaxError: invalid syntax\n"
            << "SyntaxError: invalid syntax";
        QTest::newRow("a C++ exception")
            << "terminate called after throwing an instance of 'c10::Error'\n  what():  out of "
               "memory\nAborted\n"
            << "out of memory";
        QTest::newRow("an error of ours") << "error: the data are gone\n"
                                          << "the data are gone";
        QTest::newRow("without any: the last line") << "starting\nsh: 1: trian: not found\n\n"
                                                    << "its last line was: sh: 1: trian: not found";
        QTest::newRow("notes and warnings are no last words")
            << "done\nwarning: the job ends\nnote: bye\n"
            << "its last line was: done";
        QTest::newRow("a metric that is called an error") << "MeanError: 0.02\nbye\n"
                                                          << "its last line was: bye";
        QTest::newRow("silence") << ""
                                 << "";
        QTest::newRow("a word that only ends like one") << "loss: 3\nTerror is here\nok\n"
                                                        << "its last line was: ok";
    }
    void theCauseIsNamed() {
        QFETCH(QString, output);
        QFETCH(QString, cause);
        QCOMPARE(QString::fromStdString(causeIn(output.toStdString())), cause);
    }

    void whatIsNamedIsNoLastLine() {
        ErrorFinder finder;
        finder.take("epoch 3");
        QVERIFY(finder.named().empty());
    }
};

QTEST_GUILESS_MAIN(ErrorFinderTest)
#include "tst_error_finder.moc"
