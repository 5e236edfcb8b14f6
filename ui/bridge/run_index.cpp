// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_index.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <atomic>

#include "core/base/hash.h"
#include "core/base/user_folders.h"

namespace lockstep::ui {
namespace {

const auto kDriver = QStringLiteral("QSQLITE");

QByteArray bytesOf(const std::string& text) {
    return {text.data(), qsizetype(text.size())};
}

/// SQLite finds no flipped bit in what it holds.
QByteArray sumOf(const std::string& stamp, const std::string& entry) {
    return QByteArray::number(qulonglong(shortHash(stamp + '\n' + entry)), 16);
}

void removeFiles(const QString& file) {
    for (const char* ending : {"", "-journal", "-wal", "-shm"})
        QFile::remove(file + QLatin1String(ending));
}

}  // namespace

/// An open database, used and closed by the thread that opened it.
class RunIndex::Database {
public:
    explicit Database(const QString& file) {
        static std::atomic<int> number = 0;
        name_ = QStringLiteral("run-index-%1").arg(++number);
        database_ = QSqlDatabase::addDatabase(kDriver, name_);
        database_.setDatabaseName(file);
        database_.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=2000"));
        if (!database_.open()) error_ = database_.lastError();
    }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database() {
        database_.close();
        database_ = QSqlDatabase();
        QSqlDatabase::removeDatabase(name_);
    }

    [[nodiscard]] bool isOpen() const { return database_.isOpen(); }
    [[nodiscard]] QString error() const { return error_.text().simplified(); }
    /// Another program writes: the file is as good as ever.
    [[nodiscard]] bool isBusy() const {
        return error_.nativeErrorCode() == QLatin1String("5") ||
               error_.nativeErrorCode() == QLatin1String("6");
    }
    /// Runs a query for its effect, or so that its rows can be taken.
    bool run(QSqlQuery& query) {
        const bool done = query.exec();
        if (!done) error_ = query.lastError();
        return done;
    }
    bool run(const QString& words) {
        QSqlQuery query(database_);
        return query.prepare(words) ? run(query) : note(query);
    }
    bool makeTable() {
        return run(QStringLiteral("CREATE TABLE IF NOT EXISTS runs (folder BLOB PRIMARY KEY, "
                                  "stamp BLOB, entry BLOB, sum BLOB)")) &&
               run(QStringLiteral("PRAGMA user_version = %1").arg(kVersion));
    }
    [[nodiscard]] QSqlQuery prepared(const QString& words) {
        QSqlQuery query(database_);
        query.setForwardOnly(true);
        if (!query.prepare(words)) note(query);
        return query;
    }
    [[nodiscard]] int number(const QString& words) {
        QSqlQuery query = prepared(words);
        return run(query) && query.next() ? query.value(0).toInt() : -1;
    }

private:
    bool note(const QSqlQuery& query) {
        error_ = query.lastError();
        return false;
    }

    QString name_;
    QSqlDatabase database_;
    QSqlError error_;
};

RunIndex::RunIndex(QString file) : file_(std::move(file)) {}

QString RunIndex::usualFile() {
    const std::filesystem::path folder = cacheFolder();
    return folder.empty() ? QString() : QString::fromStdString((folder / "runs.sqlite").string());
}

/// A file that is not as this version writes it holds nothing of use.
void RunIndex::load() {
    isLoaded_ = true;
    if (file_.isEmpty() || !QFileInfo::exists(file_)) return;
    if (!QSqlDatabase::isDriverAvailable(kDriver)) return;  // store() says so
    bool isGood = false;
    {
        Database database(file_);
        isGood =
            database.isOpen() && database.number(QStringLiteral("PRAGMA user_version")) == kVersion;
        if (isGood) {
            QSqlQuery rows = database.prepared(
                QStringLiteral("SELECT stamp, entry, sum FROM runs LIMIT %1").arg(kMostRuns));
            isGood = database.run(rows);
            while (isGood && rows.next()) {
                const std::string stamp = rows.value(0).toByteArray().toStdString();
                const std::string text = rows.value(1).toByteArray().toStdString();
                if (rows.value(2).toByteArray() != sumOf(stamp, text)) continue;
                auto entry = job::entryOf(text);
                if (!entry) continue;
                auto run = std::make_shared<const job::RunEntry>(std::move(*entry));
                const std::filesystem::path folder = run->runDir;
                kept_[folder] = {stamp, std::move(run)};
            }
            isGood = isGood && !rows.lastError().isValid();
        }
        if (database.isBusy()) isGood = true;
    }
    if (!isGood) {
        kept_.clear();
        removeFiles(file_);
    }
    loadedRuns_ = int(kept_.size());
}

void RunIndex::store() {
    if (changed_.empty() || file_.isEmpty()) return;
    problem_.clear();
    if (!QSqlDatabase::isDriverAvailable(kDriver)) {
        problem_ =
            tr("What was read of runs is not kept for the next start: Qt's driver for "
               "SQLite is missing (Debian: libqt6sql6-sqlite).");
        return;
    }
    QDir().mkpath(QFileInfo(file_).path());
    Database database(file_);
    const bool isDone = database.isOpen() && database.makeTable() &&
                        database.run(QStringLiteral("BEGIN IMMEDIATE")) && putChanged(database) &&
                        database.run(QStringLiteral("COMMIT"));
    if (isDone) changed_.clear();
    if (isDone || database.isBusy()) return;  // busy: with the next listing
    problem_ = tr("What was read of runs is not kept for the next start: %1: %2")
                   .arg(file_, database.error());
}

bool RunIndex::putChanged(Database& database) const {
    QSqlQuery put =
        database.prepared(QStringLiteral("INSERT OR REPLACE INTO runs VALUES (?,?,?,?)"));
    QSqlQuery drop = database.prepared(QStringLiteral("DELETE FROM runs WHERE folder = ?"));
    for (const auto& folder : changed_) {
        const auto found = kept_.find(folder);
        if (found == kept_.end()) {
            drop.bindValue(0, bytesOf(folder.string()));
            if (!database.run(drop)) return false;
            continue;
        }
        const std::string text = job::entryText(*found->second.run);
        put.bindValue(0, bytesOf(folder.string()));
        put.bindValue(1, bytesOf(found->second.stamp));
        put.bindValue(2, bytesOf(text));
        put.bindValue(3, sumOf(found->second.stamp, text));
        if (!database.run(put)) return false;
    }
    return true;
}

std::shared_ptr<const job::RunEntry> RunIndex::find(const std::filesystem::path& runDir,
                                                    const std::string& stamp) {
    const std::lock_guard lock(mutex_);
    if (!isLoaded_) load();
    const auto found = kept_.find(runDir);
    return found != kept_.end() && found->second.stamp == stamp ? found->second.run : nullptr;
}

void RunIndex::keep(std::shared_ptr<const job::RunEntry> run, const std::string& stamp) {
    const std::lock_guard lock(mutex_);
    if (!isLoaded_) load();
    const std::filesystem::path folder = run->runDir;
    if (int(kept_.size()) >= kMostRuns && !kept_.contains(folder)) return;
    changed_.insert(folder);
    kept_[folder] = {stamp, std::move(run)};
}

void RunIndex::finish(const std::filesystem::path& folder,
                      const std::set<std::filesystem::path>& runs) {
    const std::lock_guard lock(mutex_);
    for (auto next = kept_.begin(); next != kept_.end();) {
        const bool isGone = next->first.parent_path() == folder && !runs.contains(next->first);
        if (isGone) changed_.insert(next->first);
        next = isGone ? kept_.erase(next) : std::next(next);
    }
    store();
}

QString RunIndex::problem() const {
    const std::lock_guard lock(mutex_);
    return problem_;
}

int RunIndex::loadedRuns() const {
    const std::lock_guard lock(mutex_);
    return loadedRuns_;
}

}  // namespace lockstep::ui
