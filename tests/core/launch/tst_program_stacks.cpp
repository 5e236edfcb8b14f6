// SPDX-License-Identifier: Apache-2.0
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <string>

#include "core/launch/program/program_stacks.h"

using namespace lockstep::launch;

/// What is said of the threads of a user's program that is stuck.
class ProgramStacksTest : public QObject {
    Q_OBJECT

    static std::string toldOf(const QProcess& program, const QTemporaryDir& reports) {
        std::string said;
        tellProgramStacks(static_cast<pid_t>(program.processId()), reports.path().toStdString(),
                          "process 1 (stuck for 61 s)",
                          [&said](const std::string& text) { said += text; });
        return said;
    }

private slots:
    void aPythonProgramThatHasTheModuleWritesItsStacks() {
        if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("needs python3");
        const QTemporaryDir reports;
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PYTHONPATH", LOCKSTEP_SOURCE_DIR "/resources/python");
        environment.insert("PYTHONDONTWRITEBYTECODE", "1");
        environment.insert("LOCKSTEP_REPORT_ENDPOINT", reports.filePath("reports"));
        program.setProcessEnvironment(environment);
        program.start("python3", {"-c",
                                  "import sys, lockstep_report\n"
                                  "def stands_still():\n"
                                  "    print('ready', flush=True)\n"
                                  "    sys.stdin.read()\n"
                                  "stands_still()\n"});
        QTRY_VERIFY_WITH_TIMEOUT(program.bytesAvailable() > 0, 20000);
        const std::string said = toldOf(program, reports);
        const std::string head =
            "(pid " + std::to_string(program.processId()) + ") of process 1 (stuck for 61 s):\n";
        QVERIFY2(said.find("stacks of the threads of python3") != std::string::npos, said.c_str());
        QVERIFY2(said.find(head) != std::string::npos, said.c_str());
        QByteArray written;
        QTRY_VERIFY_WITH_TIMEOUT(
            (written += program.readAllStandardError()).contains("in stands_still"), 20000);
        program.closeWriteChannel();
        QVERIFY(program.waitForFinished());
        QCOMPARE(program.exitStatus(), QProcess::NormalExit);
        QCOMPARE(program.exitCode(), 0);
    }

    void anyOtherProgramIsToldOfByItsThreadsStatesAndLives() {
        const QTemporaryDir reports;
        QProcess program;
        program.start("cat", {});
        QVERIFY(program.waitForStarted());
        const std::string said = toldOf(program, reports);
        QVERIFY2(said.find("no stack of thread ") != std::string::npos, said.c_str());
        QVERIFY2(said.find(" of process 1 (stuck for 61 s): it ") != std::string::npos,
                 said.c_str());
        program.closeWriteChannel();
        QVERIFY(program.waitForFinished());
        QCOMPARE(program.exitStatus(), QProcess::NormalExit);
    }
};

QTEST_GUILESS_MAIN(ProgramStacksTest)
#include "tst_program_stacks.moc"
