// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDirIterator>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QTemporaryDir>

#include "tests/support/program.h"

namespace lockstep::tests {

/// A job that ends within a second: 98 steps an epoch, a checkpoint every 20.
inline const QByteArray kSmallJob = R"([job]
name = "small"
[cluster]
evaluator = false
[data]
dataset = "digits"
validation_samples = 10000
[model]
layers = [
  { type = "dense", units = 32, activation = "relu" },
  { type = "dense", units = 10 },
]
[training]
global_batch_size = 512
epochs = 1
seed = 1
[checkpoint]
every_steps = 20
)";

/// The small job for `epochs` epochs of 116 steps, with little to validate: it can be caught in the
/// middle. A checkpoint every 50 steps.
inline QByteArray longerJob(int epochs) {
    QByteArray job = kSmallJob;
    job.replace("validation_samples = 10000", "validation_samples = 1000");
    job.replace("epochs = 1", "epochs = " + QByteArray::number(epochs));
    job.replace("every_steps = 20", "every_steps = 50");
    return job;
}

/// A folder of one test with a job file in it, and lockstepctl in an environment of its own.
/// What a test has started and forgotten is killed when the object goes.
class Workplace {
public:
    Workplace() {
        environment_ = QProcessEnvironment::systemEnvironment();
        // The digits are generated once for all tests; sockets and keys are each test's own.
        environment_.insert("XDG_CACHE_HOME", LOCKSTEP_BINARY_DIR "/tests/cache");
        environment_.insert("XDG_RUNTIME_DIR", path("runtime"));
        for (const char* kept : {"XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"})
            environment_.insert(kept, path("runtime/home"));
        QDir().mkdir(path("runtime"));
        QFile::setPermissions(path("runtime"),
                              QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        write("job.toml", kSmallJob);
    }
    ~Workplace() {
        for (const pid_t pid : leftRunning())
            ::kill(pid, SIGKILL);
    }
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;

    [[nodiscard]] QString path(const QString& name) const { return dir_.filePath(name); }
    void setEnvironment(const QString& name, const QString& value) {
        environment_.insert(name, value);
    }
    void removeEnvironment(const QString& name) { environment_.remove(name); }

    void write(const QString& name, const QByteArray& content) const {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(path(name)));
        file.write(content);
    }
    [[nodiscard]] QByteArray read(const QString& name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    [[nodiscard]] QJsonDocument readJson(const QString& name) const {
        return QJsonDocument::fromJson(read(name));
    }
    [[nodiscard]] QJsonObject summary(const QString& run) const {
        return readJson(run + "/summary.json").object();
    }
    [[nodiscard]] QString stateHash(const QString& run) const {
        return summary(run)["state_hash"].toString();
    }
    /// "step-98": what the run's LATEST names.
    [[nodiscard]] QString latest(const QString& run) const {
        return QString::fromUtf8(read(run + "/checkpoints/LATEST").split('\n').first());
    }
    [[nodiscard]] bool exists(const QString& name) const { return QFile::exists(path(name)); }

    /// lockstepctl with these arguments, in this folder.
    [[nodiscard]] std::unique_ptr<Program> start(const QStringList& arguments) const {
        return startProgram(LOCKSTEP_BINARY_DIR "/bin/lockstepctl", arguments);
    }
    [[nodiscard]] std::unique_ptr<Program> startProgram(const QString& program,
                                                        const QStringList& arguments) const {
        return std::make_unique<Program>(program, arguments, environment_, dir_.path());
    }
    [[nodiscard]] Ended run(const QStringList& arguments) const {
        return start(arguments)->waitForEnd();
    }

    /// The processes of a running job with this role, from its processes.json.
    [[nodiscard]] QList<ProcessIdentity> processes(const QString& run, const QString& role) const {
        QList<ProcessIdentity> found;
        const QJsonArray list = readJson(run + "/processes.json").array();
        for (const QJsonValue& entry : list)
            if (entry["role"] == role)
                found.append(
                    {entry["pid"].toInt(), static_cast<quint64>(entry["start_time"].toInteger())});
        return found;
    }
    /// Whatever was started in this workplace and still runs, by its environment.
    [[nodiscard]] QList<pid_t> leftRunning() const {
        return processesWithEnvironment("XDG_RUNTIME_DIR=" + path("runtime").toUtf8());
    }
    [[nodiscard]] bool nothingRunsSoon() const {
        return waitUntil([this] { return leftRunning().isEmpty(); }, std::chrono::seconds(10));
    }
    /// Waits for the run's first checkpoint: it trains then, and can be resumed.
    [[nodiscard]] bool firstCheckpointComes(const QString& run) const {
        return waitUntil([&] { return exists(run + "/checkpoints/LATEST"); });
    }

    /// Every file below the folder with its content; sockets and keys left out.
    [[nodiscard]] QMap<QString, QByteArray> contents() const {
        QMap<QString, QByteArray> found;
        QDirIterator next(dir_.path(),
                          QDir::Files | QDir::Dirs | QDir::Hidden | QDir::NoDotAndDotDot,
                          QDirIterator::Subdirectories);
        while (next.hasNext()) {
            const QString name = QDir(dir_.path()).relativeFilePath(next.next());
            if (name.startsWith("runtime")) continue;
            found[name] = next.fileInfo().isFile() ? read(name) : "folder";
        }
        return found;
    }

private:
    QTemporaryDir dir_;
    QProcessEnvironment environment_;
};

/// The lines of standard error that begin with `error: `, without it.
inline QStringList errorsOf(const Ended& ended) {
    QStringList errors;
    for (const QByteArray& line : ended.errors.split('\n'))
        if (line.startsWith("error: ")) errors.append(QString::fromUtf8(line.mid(7)));
    return errors;
}

/// The lines after the error: what to do.
inline QStringList remedyOf(const Ended& ended) {
    QStringList remedy;
    bool isPast = false;
    for (const QByteArray& line : ended.errors.trimmed().split('\n')) {
        if (isPast) remedy.append(QString::fromUtf8(line).trimmed());
        isPast = isPast || line.startsWith("error: ");
    }
    return remedy;
}

}  // namespace lockstep::tests

/// Ends the test unless the program exited with this status; says then all that it said.
#define REQUIRE_EXIT(ended, expected)                                                \
    do {                                                                             \
        const lockstep::tests::Ended& requiredEnd = (ended);                         \
        QVERIFY2(requiredEnd.exitedWith(expected), requiredEnd.words().constData()); \
    } while (false)
