// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDir>
#include <QDirIterator>
#include <QProcess>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace lockstep::tests {

inline int freePort() {
    QTcpServer server;
    return server.listen(QHostAddress::LocalHost) ? server.serverPort() : 0;
}

/// Members of one group, described by Keras' variables.
class Group {
public:
    Group(int processes, QStringList arguments) : arguments_(std::move(arguments)) {
        port_ = freePort();
        addresses_ = QString("127.0.0.1:%1").arg(port_);
        for (int id = 1; id < processes; ++id)
            addresses_ += ",127.0.0.1:0";
    }
    /// What LOCKSTEP_JOB_SECRET_FILE names from now on; `mode` is its file's.
    void giveSecret(const QByteArray& secret, QFile::Permissions mode) {
        secretFile_ = runtime_.filePath(QString("secret-%1").arg(++secrets_));
        QFile file(secretFile_);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(secret);
        file.setPermissions(mode);
    }
    [[nodiscard]] bool allSpeak() const {
        return std::ranges::all_of(
            members, [](const auto& member) { return member->waitForReadyRead(30'000); });
    }
    void start(int id, const QStringList& more = {}) {
        auto process = std::make_unique<QProcess>();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("XDG_RUNTIME_DIR", runtime_.path());
        environment.insert("KERAS_DISTRIBUTION_JOB_ADDRESSES", addresses_);
        environment.insert("KERAS_DISTRIBUTION_PROCESS_ID", QString::number(id));
        if (!secretFile_.isEmpty()) environment.insert("LOCKSTEP_JOB_SECRET_FILE", secretFile_);
        process->setProcessEnvironment(environment);
        process->start(QCoreApplication::applicationFilePath(),
                       QStringList{"--member"} + arguments_ + more);
        members.push_back(std::move(process));
    }
    /// Status and output of a member.
    [[nodiscard]] QPair<int, QString> end(std::size_t member) {
        QProcess& process = *members[member];
        if (!process.waitForFinished(60'000)) process.kill();
        return {
            process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput() + process.readAllStandardError())};
    }
    [[nodiscard]] QStringList leftBehind() const {
        QStringList files;
        QDirIterator next(runtime_.path(), QDir::Files | QDir::System,
                          QDirIterator::Subdirectories);
        while (next.hasNext())
            files.append(next.next());
        return files;
    }

    [[nodiscard]] int port() const { return port_; }

    std::vector<std::unique_ptr<QProcess>> members;

private:
    int port_ = 0;
    QStringList arguments_;
    QString addresses_;
    QTemporaryDir runtime_;
    QString secretFile_;
    int secrets_ = 0;
};

}  // namespace lockstep::tests
