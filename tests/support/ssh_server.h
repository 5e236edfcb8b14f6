// SPDX-License-Identifier: Apache-2.0
// A real sshd on a loopback port with keys of its own, for as long as the object lives.
#pragma once

#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>

#include "tests/support/program.h"

namespace lockstep::tests {

class SshServer {
public:
    /// Empty where a test can have an sshd; else why it is skipped.
    static QByteArray missing() {
        if (program().isEmpty()) return "there is no sshd here: apt install openssh-server";
        if (QStandardPaths::findExecutable("ssh").isEmpty())
            return "there is no ssh here: apt install openssh-client";
        return {};
    }

    /// `settings`: further lines of sshd_config.
    explicit SshServer(const QByteArray& settings = {}) : settings_(settings) {
        if (::geteuid() == 0) QDir().mkpath("/run/sshd");  // where it separates its privileges
        QDir().mkpath(path("cache"));
        makeKey("hostkey");
        makeKey("userkey");
        QFile::copy(path("userkey.pub"), path("authorized_keys"));
        start();
        trustHostKey();
        writeClientConfig();
    }
    ~SshServer() { stop(); }
    SshServer(const SshServer&) = delete;
    SshServer& operator=(const SshServer&) = delete;

    [[nodiscard]] QString path(const QString& name) const { return folder_.filePath(name); }
    /// The folder of the account's cache, as the host sees it.
    [[nodiscard]] QString cache() const { return path("cache"); }
    [[nodiscard]] int port() const { return port_; }
    /// A configuration file for ssh in which this host is called `box`.
    [[nodiscard]] std::string config() const { return path("config").toStdString(); }
    [[nodiscard]] QByteArray log() const { return read("log"); }

    [[nodiscard]] QByteArray read(const QString& name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void write(const QString& name, const QByteArray& content) const {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(path(name)));
        file.write(content);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    }

    /// A new pair of keys under this name in the folder.
    void makeKey(const QString& name, const QString& passphrase = {}) const {
        QFile::remove(path(name));
        QFile::remove(path(name + ".pub"));
        QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", passphrase, "-C", "test",
                                         "-f", path(name)});
    }
    /// known_hosts has the key that the server shows.
    void trustHostKey() const {
        const QList<QByteArray> words = read("hostkey.pub").split(' ');
        write("known_hosts",
              "[127.0.0.1]:" + QByteArray::number(port_) + ' ' + words[0] + ' ' + words[1] + '\n');
    }
    /// The configuration of `box`, with further lines.
    void writeClientConfig(const QByteArray& more = {}) const {
        write("config", "Host box\n  HostName 127.0.0.1\n  Port " + QByteArray::number(port_) +
                            "\n  User " + user() + "\n  IdentityFile " + path("userkey").toUtf8() +
                            "\n  IdentitiesOnly yes\n  UserKnownHostsFile " +
                            path("known_hosts").toUtf8() +
                            "\n  GlobalKnownHostsFile /dev/null\n  " + more + "\n");
    }

    /// Again with these settings, on the same port.
    void restart(const QByteArray& settings) {
        stop();
        settings_ = settings;
        start();
    }
    void stop() {
        process_.terminate();
        if (!process_.waitForFinished(5000)) process_.kill();
        process_.waitForFinished(5000);
    }

private:
    static QString program() {
        return QStandardPaths::findExecutable(
            "sshd", {"/usr/sbin", "/usr/local/sbin", "/usr/bin", "/sbin"});
    }
    static QByteArray user() {
        QProcess id;
        id.start("id", {"-un"});
        id.waitForFinished();
        return id.readAllStandardOutput().trimmed();
    }
    static int freePort() {
        QTcpServer server;
        server.listen(QHostAddress::LocalHost);
        return server.serverPort();
    }
    void start() {
        if (port_ == 0) port_ = freePort();
        write("sshd_config",
              "Port " + QByteArray::number(port_) + "\nListenAddress 127.0.0.1\nHostKey " +
                  path("hostkey").toUtf8() + "\nAuthorizedKeysFile " +
                  path("authorized_keys").toUtf8() +
                  "\nPidFile none\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
                  "PermitRootLogin prohibit-password\nUsePAM no\nStrictModes no\n"
                  "MaxStartups 200:30:400\n" +
                  (settings_.contains("XDG_CACHE_HOME")
                       ? QByteArray()
                       : "SetEnv XDG_CACHE_HOME=" + cache().toUtf8() + "\n") +
                  settings_ + "\n");
        process_.setStandardErrorFile(path("log"), QIODevice::Append);
        process_.start(program(), {"-D", "-e", "-f", path("sshd_config")});
        const bool listens = waitUntil([this] {
            QTcpSocket socket;
            socket.connectToHost("127.0.0.1", static_cast<quint16>(port_));
            return socket.waitForConnected(200);
        });
        if (!listens) qFatal("sshd does not start: %s", log().constData());
    }

    QTemporaryDir folder_;
    QByteArray settings_;
    int port_ = 0;
    QProcess process_;
};

}  // namespace lockstep::tests
