// SPDX-License-Identifier: Apache-2.0
// Hosts of their own addresses with a real sshd each, as network namespaces of this machine.
#pragma once

#include <unistd.h>

#include <QFileInfo>
#include <QMap>
#include <QStandardPaths>

#include "tests/support/program.h"

namespace lockstep::tests {

/// host1, host2, … for as long as the object lives. Faults are planted from outside: `inside` runs
/// in a host's network, `mount` changes what its sshd and all that it starts see of the files.
class TestHosts {
public:
    /// Empty where a test can have hosts; else why it is skipped.
    static QByteArray missing() {
        if (::geteuid() != 0) return "network namespaces need root";
        for (const char* program : {"ip", "iptables", "nsenter", "unshare", "ssh", "ssh-keygen"})
            if (QStandardPaths::findExecutable(program).isEmpty())
                return QByteArray("there is no ") + program + " here";
        if (!QFileInfo::exists("/usr/sbin/sshd")) return "there is no sshd here";
        return {};
    }

    explicit TestHosts(int count) : count_(count) {
        if (!start()) qFatal("the hosts do not start: %s", said_.constData());
    }
    ~TestHosts() {
        process_.closeWriteChannel();
        if (!process_.waitForFinished(30'000)) process_.terminate();
        process_.waitForFinished(30'000);
    }
    TestHosts(const TestHosts&) = delete;
    TestHosts& operator=(const TestHosts&) = delete;

    [[nodiscard]] int count() const { return count_; }
    /// A configuration file for ssh that knows the hosts.
    [[nodiscard]] QString sshConfig() const { return config_; }
    /// The folder of keys and settings: sshd1.conf, host1, authorized_keys, cache1, …
    [[nodiscard]] QString path(const QString& name) const {
        return QFileInfo(config_).path() + '/' + name;
    }
    [[nodiscard]] static QString address(int host) { return QString("10.77.0.%1").arg(host); }

    /// Runs a command in the network of a host. False: it failed.
    bool inside(int host, const QStringList& command) const {
        return execute("ip", QStringList{"netns", "exec", QString("lsh%1").arg(host)} + command);
    }
    /// As `inside`, where its sshd is: with the host's own view of the files, too.
    bool onHost(int host, const QStringList& command) const {
        return execute(
            "nsenter",
            QStringList{"-t", QString::number(sshdOf(host)), "-m", "-n", "-u", "--"} + command);
    }
    bool mount(int host, const QStringList& arguments) const {
        return onHost(host, QStringList{"mount"} + arguments);
    }
    bool unmount(int host, const QString& folder) const { return onHost(host, {"umount", folder}); }
    [[nodiscard]] pid_t sshdOf(int host) const {
        return read(path(QString("sshd%1.pid").arg(host))).trimmed().toInt();
    }

    /// What sshd hands to everything that it starts: settings of sshd_config, or none.
    bool setSshd(int host, const QByteArray& settings) const {
        const QString file = path(QString("sshd%1.conf").arg(host));
        if (!QFile::exists(file + ".first")) QFile::copy(file, file + ".first");
        const QByteArray whole = read(file + ".first") + settings + "\n";
        QFile out(file);
        if (!out.open(QIODevice::WriteOnly) || out.write(whole) != whole.size()) return false;
        out.close();
        return restartSshd(host);
    }
    /// It reads its settings and keys again, in the same process.
    bool restartSshd(int host) const {
        if (::kill(sshdOf(host), SIGHUP) != 0) return false;
        QTest::qWait(300);  // a pause: it listens again only after it has closed the old socket
        return waitUntil([&] {
            return execute("ssh-keyscan", {"-T", "1", "-t", "ed25519", address(host)});
        });
    }

    static QByteArray read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private:
    static bool execute(const QString& program, const QStringList& arguments) {
        QProcess process;
        process.setStandardInputFile(QProcess::nullDevice());
        process.start(program, arguments);
        return process.waitForFinished(30'000) && process.exitStatus() == QProcess::NormalExit &&
               process.exitCode() == 0;
    }

    /// Only one set of hosts can be on a machine at a time: another test's are waited for.
    bool start() {
        constexpr int kPatienceMs = 900'000;
        process_.setProcessChannelMode(QProcess::MergedChannels);
        process_.start(
            LOCKSTEP_SOURCE_DIR "/tests/support/netns-hosts",
            {QString::number(count_), "sh", "-c", "echo \"config $SSH_CONFIG\"; cat >/dev/null"});
        while (process_.waitForReadyRead(kPatienceMs)) {
            said_ += process_.readAll();
            const qsizetype at = said_.indexOf("config ");
            const qsizetype end = said_.indexOf('\n', at);
            if (at < 0 || end < 0) continue;
            config_ = QString::fromUtf8(said_.mid(at + 7, end - at - 7));
            return true;
        }
        return false;
    }

    int count_;
    QProcess process_;
    QByteArray said_;
    QString config_;
};

}  // namespace lockstep::tests
