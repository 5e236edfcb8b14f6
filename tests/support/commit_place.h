// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <QProcess>
#include <QTemporaryDir>
#include <filesystem>
#include <memory>
#include <string>

#include "core/checkpoint/checkpoint_store.h"
#include "tests/support/sharded_sample.h"

namespace lockstep::checkpoint::test {

/// A folder with the checkpoint of step 10, in which the program commit_shards commits another one,
/// and what is there when an accident has happened to it.
class CommitPlace {
public:
    static constexpr int kProcesses = 3;
    static constexpr std::int64_t kOlderStep = 10;

    explicit CommitPlace(QString program) : program_(std::move(program)) {
        // In memory where that is possible: the faults come from the system call, not the disk.
        temporary_ = std::make_unique<QTemporaryDir>("/dev/shm/lockstep-shards-XXXXXX");
        if (!temporary_->isValid()) temporary_ = std::make_unique<QTemporaryDir>();
        folder_ = std::filesystem::path(temporary_->path().toStdString()) / "checkpoints";
    }

    [[nodiscard]] static bool mayTrace() {
        QProcess strace;
        strace.start("strace", {"-q", "-o", "/dev/null", "true"});
        return strace.waitForFinished(kProcessMilliseconds) && strace.exitCode() == 0;
    }
    /// A file beside the checkpoints.
    [[nodiscard]] QString path(const QString& name) const { return temporary_->filePath(name); }

    void prepare() {
        std::filesystem::remove_all(folder_);
        if (!commitHere(kOlderStep)) qFatal("cannot prepare");
        older_ = identityOf(kOlderStep);
    }

    struct Outcome {
        int status = -1;
        QStringList said;  ///< Line by line.
    };
    /// With a variable of commit_shards.
    [[nodiscard]] Outcome commit(std::int64_t step, const QString& variable = {},
                                 const QString& value = {}) const {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        if (!variable.isEmpty()) environment.insert(variable, value);
        environment.insert("ASAN_OPTIONS", "detect_leaks=0");  // it cannot look for them traced
        process.setProcessEnvironment(environment);
        process.start(program_, {QString::fromStdString(folder_.string()), QString::number(kFloats),
                                 QString::number(step), QString::number(kProcesses)});
        if (!process.waitForFinished(kProcessMilliseconds)) {
            process.kill();
            process.waitForFinished(kProcessMilliseconds);
            return {};
        }
        return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()).split('\n')};
    }

    enum class Left { Nothing, Older, Newer };
    /// Which one whoever comes next finds. Nothing: none, or one that is damaged, or another one
    /// than was asked for.
    [[nodiscard]] Left left(std::int64_t step) const {
        const auto reader = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        const auto good = reader->latestGood();
        if (!good || !good->step || !good->rejected.empty()) return Left::Nothing;
        if (*good->step != kOlderStep && *good->step != step) return Left::Nothing;
        const auto loaded = reader->load(*good->step);
        if (!loaded || !Sample(*good->step, kFloats).equals(*loaded)) return Left::Nothing;
        return identityOf(*good->step) == older_ ? Left::Older : Left::Newer;
    }
    /// Whoever comes next can write, and leaves no trace of the accident.
    [[nodiscard]] bool canGoOn() const {
        constexpr std::int64_t kNext = 30;
        if (!commitHere(kNext)) return false;
        for (const auto& entry : std::filesystem::directory_iterator(folder_))
            if (entry.path().filename().string().find("tmp") != std::string::npos) return false;
        const auto reader = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        return reader->latestGood()->step == kNext;
    }

private:
    static constexpr int kProcessMilliseconds = 30'000;
    static constexpr std::size_t kFloats = 96;  // of a tensor, whose rows all processes share

    [[nodiscard]] bool commitHere(std::int64_t step) const {
        auto store = CheckpointStore::open(folder_, CheckpointStore::Access::Write);
        const Sample sample(step, kFloats);
        CrewHere crew(folder_, sample, kProcesses);
        return store && store->commit(partOf(sample, 0, kProcesses), &crew);
    }
    /// Of the folder: another one may come under the same name.
    [[nodiscard]] ino_t identityOf(std::int64_t step) const {
        struct stat status {};
        const auto path = folder_ / ("step-" + std::to_string(step));
        return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
    }

    QString program_;
    std::filesystem::path folder_;
    std::unique_ptr<QTemporaryDir> temporary_;
    ino_t older_ = 0;
};

}  // namespace lockstep::checkpoint::test
