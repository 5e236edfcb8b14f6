// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>
#include <map>
#include <mutex>

#include "core/job/runs_memory.h"

namespace lockstep::ui {

/// What listings have read of runs, in memory and in a database of the user's cache folder, so that
/// the next start of the program reads only what has changed. A database that is missing, damaged
/// or of another version is made anew; one that cannot be written costs time and nothing else.
class RunIndex final : public job::RunsMemory {
    Q_DECLARE_TR_FUNCTIONS(lockstep::ui::RunIndex)
public:
    /// Other formats of the file are made anew. To be raised with every change of what an entry
    /// says, of job::entryText() and of job::stampOf().
    static constexpr int kVersion = 3;
    static constexpr int kMostRuns = 20'000;

    /// Empty: in memory only.
    explicit RunIndex(QString file);
    /// In the user's cache folder.
    [[nodiscard]] static QString usualFile();

    [[nodiscard]] std::shared_ptr<const job::RunEntry> find(const std::filesystem::path& runDir,
                                                            const std::string& stamp) override;
    void keep(std::shared_ptr<const job::RunEntry> run, const std::string& stamp) override;
    void finish(const std::filesystem::path& folder,
                const std::set<std::filesystem::path>& runs) override;

    /// Why nothing is kept beyond this program, a sentence; empty: it is, or nothing was tried yet.
    [[nodiscard]] QString problem() const;
    /// Of the database, when it was read.
    [[nodiscard]] int loadedRuns() const;

private:
    struct Kept {
        std::string stamp;
        std::shared_ptr<const job::RunEntry> run;
    };
    using Kepts = std::map<std::filesystem::path, Kept>;

    class Database;

    void load();
    void store();
    [[nodiscard]] bool putChanged(Database& database) const;

    const QString file_;
    mutable std::mutex mutex_;
    bool isLoaded_ = false;
    int loadedRuns_ = 0;
    Kepts kept_;
    std::set<std::filesystem::path> changed_;  ///< Since it was stored: kept, or gone.
    QString problem_;
};

}  // namespace lockstep::ui
