// SPDX-License-Identifier: Apache-2.0
// Both sides of the bootstrap without ssh: a packed build, and a login shell that takes it.
#pragma once

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include "core/launch/ssh/bootstrap.h"

namespace lockstep::tests {

inline constexpr int kBootstrapTimeout = 30'000;

inline QByteArray machineType() {
    QProcess uname;
    uname.start("uname", {"-m"});
    uname.waitForFinished();
    return uname.readAllStandardOutput().trimmed();
}

/// A packed "build" whose worker says `word` and gives its input back.
class PackedBuild {
public:
    explicit PackedBuild(const QByteArray& word) {
        QDir(folder_.path()).mkpath("tree/bin");
        write("tree/bin/lockstep-worker", "#!/bin/sh\necho \"" + word + " $*\"\numask\nexec cat\n");
        shell(
            "chmod 755 tree/bin/lockstep-worker; cd tree; sha256sum bin/* > SHA256SUMS; "
            "tar -czf ../packed.tar.gz SHA256SUMS bin");
        QFile packed(folder_.filePath("packed.tar.gz"));
        if (packed.open(QIODevice::ReadOnly)) bytes = packed.readAll();
        bundle.machine = machineType().toStdString();
        bundle.hash = QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
        bundle.bytes = static_cast<std::uint64_t>(bytes.size());
        bundle.glibc = "2.17";
    }

    QByteArray bytes;
    launch::Bundle bundle;

private:
    void write(const QString& name, const QByteArray& content) const {
        QFile file(folder_.filePath(name));
        if (file.open(QIODevice::WriteOnly)) file.write(content);
    }
    void shell(const QString& command) const {
        QProcess sh;
        sh.setWorkingDirectory(folder_.path());
        sh.start("sh", {"-c", command});
        sh.waitForFinished();
    }

    QTemporaryDir folder_;
};

/// A host's side: a login shell that runs the command, with a home of its own.
class BootstrapHost {
public:
    explicit BootstrapHost(const QString& cache, const QString& shell = "sh") {
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("XDG_CACHE_HOME", cache);
        environment.insert("HOME", home_.path());
        process_.setProcessEnvironment(environment);
        process_.start(shell, {"-c", QString::fromStdString(launch::bootstrapCommand())});
    }
    ~BootstrapHost() {
        process_.kill();
        process_.waitForFinished();
    }

    void write(const QByteArray& bytes) { process_.write(bytes); }
    void write(const std::string& bytes) { process_.write(bytes.data(), qint64(bytes.size())); }
    QByteArray line() {
        while (!process_.canReadLine())
            if (!process_.waitForReadyRead(kBootstrapTimeout))
                return "(ended) " + process_.readAll();
        return process_.readLine().trimmed();
    }
    QByteArray errors() { return process_.readAllStandardError(); }
    bool ends(int status) {
        process_.closeWriteChannel();
        return process_.waitForFinished(kBootstrapTimeout) && process_.exitCode() == status;
    }
    /// Up to the point where it is told what to run.
    bool becomesReady() { return line().isEmpty() && line() == "lockstep-bootstrap ready"; }

private:
    QTemporaryDir home_;
    QProcess process_;
};

/// Runs the exchange of a copy to its end; the build's word, or what was said instead.
inline QByteArray installedBy(const PackedBuild& build, const QString& cache) {
    BootstrapHost host(cache);
    if (!host.becomesReady()) return "not ready";
    host.write(launch::bootstrapInput({build.bundle}));
    QByteArray said = host.line();
    if (said.startsWith("lockstep-bootstrap want")) {
        host.write(build.bytes);
        said = host.line();
    }
    if (said == "lockstep-bootstrap run") return host.line();
    host.ends(3);  // it clears away what it had begun
    return said;
}

}  // namespace lockstep::tests
