// SPDX-License-Identifier: Apache-2.0
// Real programs in tests: started, read, signalled, and never left behind.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStringList>
#include <QTest>
#include <chrono>
#include <functional>
#include <memory>

namespace lockstep::tests {

/// Far beyond what anything here takes, also under a sanitizer on a busy machine.
inline constexpr std::chrono::seconds kProgramTimeout{60};

/// Looks every few milliseconds until `holds`, up to the timeout. False: it never did.
inline bool waitUntil(const std::function<bool()>& holds,
                      std::chrono::milliseconds timeout = kProgramTimeout) {
    return QTest::qWaitFor(holds, static_cast<int>(timeout.count()));
}

/// A process as the kernel tells it from all others, also from a later one with the same id.
struct ProcessIdentity {
    pid_t pid = 0;
    quint64 startTime = 0;  ///< In clock ticks since the machine started.
};

/// Field 22 of /proc/PID/stat; 0 when there is no such process, or only its zombie.
inline quint64 runningSince(pid_t pid) {
    QFile file(QString("/proc/%1/stat").arg(pid));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    const QByteArray text = file.readAll();
    // The second field is the name, in brackets; it may hold blanks and brackets itself.
    const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
    constexpr int kState = 0;
    constexpr int kStartTime = 19;
    if (fields.size() <= kStartTime || fields[kState] == "Z") return 0;
    return fields[kStartTime].toULongLong();
}

inline bool isRunning(const ProcessIdentity& process) {
    return runningSince(process.pid) == process.startTime;
}

/// All processes that were started with this NAME=VALUE in their environment.
inline QList<pid_t> processesWithEnvironment(const QByteArray& setting) {
    QList<pid_t> found;
    const QStringList names = QDir("/proc").entryList(QDir::Dirs);
    for (const QString& name : names) {
        bool isPid = false;
        const int pid = name.toInt(&isPid);
        QFile file(QString("/proc/%1/environ").arg(name));
        if (!isPid || !file.open(QIODevice::ReadOnly)) continue;
        if (file.readAll().split('\0').contains(setting) && runningSince(pid) != 0)
            found.append(pid);
    }
    return found;
}

/// How a program ended, and all that it said.
struct Ended {
    int status = -1;        ///< Its exit status, or the number of the signal that killed it.
    bool signalled = true;  ///< Also when it had to be killed because it did not end.
    QByteArray output;
    QByteArray errors;

    [[nodiscard]] bool exitedWith(int expected) const { return !signalled && status == expected; }
    /// For a failed check: everything at once.
    [[nodiscard]] QByteArray words() const {
        return QByteArray(signalled ? "signal " : "status ") + QByteArray::number(status) +
               "\n--- output\n" + output + "--- errors\n" + errors;
    }
};

/// A running program. Killed when the object goes; its end is awaited.
class Program {
public:
    Program(const QString& program, const QStringList& arguments,
            const QProcessEnvironment& environment, const QString& folder) {
        process_.setProgram(program);
        process_.setArguments(arguments);
        process_.setProcessEnvironment(environment);
        process_.setWorkingDirectory(folder);
        process_.setStandardInputFile(QProcess::nullDevice());
        process_.start();
        process_.waitForStarted(static_cast<int>(Millis(kProgramTimeout).count()));
    }
    ~Program() {
        if (process_.state() == QProcess::NotRunning) return;
        process_.kill();
        process_.waitForFinished();
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    [[nodiscard]] pid_t pid() const { return static_cast<pid_t>(process_.processId()); }
    [[nodiscard]] bool isRunning() const { return process_.state() != QProcess::NotRunning; }
    bool signal(int number) const { return pid() > 0 && ::kill(pid(), number) == 0; }

    /// Everything it has said on standard error so far.
    [[nodiscard]] QByteArray errors() {
        errors_ += process_.readAllStandardError();
        return errors_;
    }

    [[nodiscard]] Ended waitForEnd(std::chrono::milliseconds timeout = kProgramTimeout) {
        if (!process_.waitForFinished(static_cast<int>(timeout.count())) &&
            process_.state() != QProcess::NotRunning) {
            process_.kill();
            process_.waitForFinished();
        }
        errors_ += process_.readAllStandardError();
        return {process_.exitCode(), process_.exitStatus() == QProcess::CrashExit,
                process_.readAllStandardOutput(), errors_};
    }

private:
    using Millis = std::chrono::milliseconds;

    QProcess process_;
    QByteArray errors_;
};

}  // namespace lockstep::tests
