// SPDX-License-Identifier: Apache-2.0
// Hosts of their own addresses, each with its own sshd (tests/support/netns-hosts), and what tests
// on them have in common. The test program starts itself again below them.
#pragma once

#include <unistd.h>

#include <QCoreApplication>
#include <QTest>
#include <vector>

#include "tests/integration/workplace.h"

namespace lockstep::tests {

inline constexpr int kHostCount = 4;
inline const QString kHostAddress = "10.77.0.%1";

inline bool insideHosts() {
    return !qEnvironmentVariableIsEmpty("NETNS") && !qEnvironmentVariableIsEmpty("SSH_CONFIG");
}

/// Why there can be no hosts here; empty when there can.
inline QString whyNoHosts() {
    if (qEnvironmentVariable("LOCKSTEP_HOSTS") == "none")
        return "it takes minutes: ./dev check ssh runs it";
    if (::geteuid() != 0) return "network namespaces need root";
    for (const char* program : {"/usr/sbin/sshd", "/sbin/ip", "/usr/sbin/iptables"})
        if (!QFile::exists(program)) return QString("%1 is not installed").arg(program);
    if (insideHosts()) return {};
    return "the hosts could not be made";
}

/// Starts this program again with `hosts` hosts around it; returns when that is not possible.
inline void enterHosts(int hosts, char** argv) {
    if (insideHosts() || ::geteuid() != 0 || qgetenv("LOCKSTEP_HOSTS") == "none") return;
    const QByteArray script = LOCKSTEP_SOURCE_DIR "/tests/support/netns-hosts";
    const QByteArray count = QByteArray::number(hosts);
    std::vector<const char*> arguments{script.constData(), count.constData()};
    for (char** argument = argv; *argument != nullptr; ++argument)
        arguments.push_back(*argument);
    arguments.push_back(nullptr);
    // A program that is missing is said by the test that starts without hosts.
    if (QFile::exists("/usr/sbin/sshd") && QFile::exists("/usr/sbin/iptables"))
        ::execv(script.constData(), const_cast<char* const*>(arguments.data()));
}

/// Processes of lockstep-worker on host `host` (from 1).
inline QList<pid_t> workersOn(int host) {
    QProcess ip;
    ip.start("ip", {"netns", "pids", QString("lsh%1").arg(host)});
    ip.waitForFinished();
    QList<pid_t> found;
    for (const QByteArray& line : ip.readAllStandardOutput().split('\n')) {
        QFile name("/proc/" + line + "/comm");
        if (name.open(QIODevice::ReadOnly) && name.readAll().startsWith("lockstep-worker") &&
            runningSince(line.toInt()) != 0)
            found.append(line.toInt());
    }
    return found;
}

/// Those of a host's processes that were started with this argument.
inline QList<pid_t> startedWith(int host, const QByteArray& argument) {
    QList<pid_t> found;
    for (const pid_t pid : workersOn(host)) {
        QFile command(QString("/proc/%1/cmdline").arg(pid));
        if (command.open(QIODevice::ReadOnly) && command.readAll().split('\0').contains(argument))
            found.append(pid);
    }
    return found;
}

inline QList<pid_t> workersOnAllHosts() {
    QList<pid_t> found;
    for (int host = 1; host <= kHostCount; ++host)
        found += workersOn(host);
    return found;
}

/// A command on a host, by ssh itself.
inline Ended onHost(int host, const QString& command) {
    QProcess ssh;
    ssh.start("ssh",
              {"-F", qEnvironmentVariable("SSH_CONFIG"), "--", kHostAddress.arg(host), command});
    ssh.waitForFinished();
    return {ssh.exitCode(), ssh.exitStatus() == QProcess::CrashExit, ssh.readAllStandardOutput(),
            ssh.readAllStandardError()};
}

/// iptables on a host.
inline void filter(int host, const QStringList& rule) {
    QProcess::execute("ip",
                      QStringList{"netns", "exec", QString("lsh%1").arg(host), "iptables"} + rule);
}
/// Nothing passes between the host and the desktop, whose address is 10.77.0.254; the hosts still
/// reach each other.
inline void cutFromDesktop(int host) {
    filter(host, {"-A", "INPUT", "-s", "10.77.0.254", "-j", "DROP"});
    filter(host, {"-A", "OUTPUT", "-d", "10.77.0.254", "-j", "DROP"});
}
/// Nothing passes between two hosts; the desktop still reaches both.
inline void cutFromEachOther(int host, int other) {
    filter(host, {"-A", "INPUT", "-s", kHostAddress.arg(other), "-j", "DROP"});
    filter(host, {"-A", "OUTPUT", "-d", kHostAddress.arg(other), "-j", "DROP"});
}
/// Nothing passes between the host and anybody: as if it were gone, but it lives.
inline void cutOff(int host) {
    filter(host, {"-A", "INPUT", "!", "-i", "lo", "-j", "DROP"});
    filter(host, {"-A", "OUTPUT", "!", "-o", "lo", "-j", "DROP"});
}
inline void healHost(int host) {
    filter(host, {"-F"});
}

/// The small job on hosts: `hosts` holds the host of each process.
inline QByteArray jobOnHosts(const QByteArray& job, const QList<int>& hosts,
                             const QByteArray& launch = {}) {
    QByteArray addresses;
    for (const int host : hosts)
        addresses += "\"" + kHostAddress.arg(host).toUtf8() + ":0\", ";
    QByteArray text = job;
    text.replace("[cluster]\n", "[cluster]\njob_addresses = [" + addresses + "]\n");
    return text + "[launch]\nmethod = \"ssh\"\nssh_config = \"" + qgetenv("SSH_CONFIG") + "\"\n" +
           launch;
}

/// The job of the guide on the real MNIST, where MNIST names the folder of its four files; else the
/// small one.
inline QByteArray mnistOr(QByteArray job) {
    const QString data = qEnvironmentVariable("MNIST");
    if (data.isEmpty()) return job;
    job.replace("dataset = \"digits\"", "dataset = \"mnist\"\ndirectory = \"" +
                                            QFileInfo(data).canonicalFilePath().toUtf8() + "\"");
    job.replace("units = 32", "units = 256");
    job.replace("global_batch_size = 512\nepochs = 1", "global_batch_size = 32\nepochs = 2");
    job.replace("every_steps = 20", "every_steps = 500");
    return job;
}

/// The steps that a run's journal tells of each replica: gapless from 1 to `steps`, and each once.
inline bool hasEveryStep(const Workplace& place, const QString& run, int replicas, int steps) {
    const Ended ended = place.run({"export", run, "--format", "csv"});
    QMap<QString, QList<int>> seen;
    for (const QByteArray& line : ended.output.split('\n')) {
        const QList<QByteArray> fields = line.split(',');
        if (fields.size() >= 6 && fields[4] == "time/step_ms")
            seen[QString::fromUtf8(fields[3])].append(fields[1].toInt());
    }
    const auto differs = [&](const QString& replica, qsizetype at, int step) {
        qWarning("replica %s has %d in the place of step %d, and %d steps of %d",
                 qPrintable(replica), step, int(at) + 1, int(seen[replica].size()), steps);
        return false;
    };
    for (const QString& replica : seen.keys()) {
        const QList<int> list = seen[replica];
        for (int i = 0; i < list.size(); ++i)
            if (list[i] != i + 1) return differs(replica, i, list[i]);
        if (list.size() != steps) return differs(replica, list.size(), 0);
    }
    return seen.size() == replicas;
}

}  // namespace lockstep::tests

/// main() of a test on hosts.
#define LOCKSTEP_HOSTS_TEST_MAIN(Test)                                  \
    int main(int argc, char** argv) {                                   \
        lockstep::tests::enterHosts(lockstep::tests::kHostCount, argv); \
        QCoreApplication application(argc, argv);                       \
        Test test;                                                      \
        return QTest::qExec(&test, argc, argv);                         \
    }
