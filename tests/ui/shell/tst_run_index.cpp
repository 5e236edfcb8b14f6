// SPDX-License-Identifier: GPL-3.0-or-later
// The index of runs: what it spares, that nothing is lost with it, and hundreds of runs in the
// list. How long that takes is told by `./dev bench runs`; here are limits that nothing gets near.
#include <QElapsedTimer>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>

#include "tests/ui/support/many_runs.h"
#include "ui/bridge/run_index.h"
#include "ui/models/run_settings.h"
#include "ui/models/runs_filter_model.h"
#include "ui/models/runs_model.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::writeManyRuns;
using testsupport::writeQuickly;

namespace fs = std::filesystem;

namespace {

constexpr int kMany = 500;
constexpr qint64 kKeyMillis = 1000;  // ten times the goal: a machine may be busy, a sanitizer slow

}  // namespace

class RunIndexTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path runs_;
    QString file_;

    void makeRuns(int count) { writeManyRuns(runs_, count); }
    std::vector<job::RunEntry> list(RunIndex& index, int wantedReads) {
        job::ListingCost cost;
        auto runs = job::listRuns(runs_, index, &cost);
        if (cost.read != wantedReads)
            QTest::qFail(
                qPrintable(QStringLiteral("%1 were read, not %2").arg(cost.read).arg(wantedReads)),
                __FILE__, __LINE__);
        return runs;
    }
    void change(const QString& words) const {
        {
            QSqlDatabase database =
                QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("test"));
            database.setDatabaseName(file_);
            QVERIFY(database.open());
            QSqlQuery query(database);
            QVERIFY(query.exec(words));
        }
        QSqlDatabase::removeDatabase(QStringLiteral("test"));
    }

private slots:
    void init() {
        temporary_ = std::make_unique<QTemporaryDir>();
        runs_ = fs::canonical(temporary_->path().toStdString()) / "runs";
        fs::create_directories(runs_);
        file_ = temporary_->filePath(QStringLiteral("cache/runs.sqlite"));
    }

    void theNextStartReadsOnlyWhatHasChanged() {
        makeRuns(20);
        const auto truth = job::listRuns(runs_);
        {
            RunIndex index(file_);
            QCOMPARE(list(index, 20), truth);
            QCOMPARE(list(index, 0), truth);
            QVERIFY2(index.problem().isEmpty(), qPrintable(index.problem()));
        }
        RunIndex index(file_);
        QCOMPARE(list(index, 0), truth);
        QCOMPARE(index.loadedRuns(), 20);
        writeQuickly(runs_ / "digits-1003" / "summary.json", R"({"status": "stopped"})");
        QCOMPARE(list(index, 1), job::listRuns(runs_));
        RunIndex third(file_);
        QCOMPARE(list(third, 0), job::listRuns(runs_));
    }
    void aRunThatIsGoneIsNeitherListedNorKept() {
        makeRuns(3);
        RunIndex index(file_);
        list(index, 3);
        fs::remove_all(runs_ / "digits-1001");
        QCOMPARE(list(index, 0).size(), std::size_t{2});
        RunIndex other(file_);
        QCOMPARE(list(other, 0), job::listRuns(runs_));
        QCOMPARE(other.loadedRuns(), 2);
        fs::remove_all(runs_);
        QVERIFY(list(other, 0).empty());
    }
    void withoutItOrWithADamagedOneNothingIsLost_data() {
        QTest::addColumn<QString>("how");
        for (const char* how : {"missing", "empty", "noise", "cut", "version", "table", "bits"})
            QTest::newRow(how) << QString::fromLatin1(how);
    }
    void withoutItOrWithADamagedOneNothingIsLost() {
        QFETCH(const QString, how);
        makeRuns(20);
        const auto old = [&] {
            RunIndex index(file_);
            return list(index, 20);
        }();
        QFile file(file_);
        int read = 20;
        if (how == QLatin1String("missing")) QVERIFY(file.remove());
        if (how == QLatin1String("empty")) QVERIFY(file.resize(0));
        if (how == QLatin1String("cut")) QVERIFY(file.resize(file.size() / 2));
        if (how == QLatin1String("noise")) {
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray(9000, 'x'));
            file.close();
        }
        if (how == QLatin1String("version")) change(QStringLiteral("PRAGMA user_version = 77"));
        if (how == QLatin1String("table")) change(QStringLiteral("DROP TABLE runs"));
        if (how == QLatin1String("bits")) {  // of two rows
            change(
                QStringLiteral("UPDATE runs SET entry = replace(CAST(entry AS TEXT), "
                               "'completed', 'complexed') WHERE rowid IN (2, 3)"));
            read = 2;
        }
        RunIndex rebuilt(file_);
        QCOMPARE(list(rebuilt, read), old);
        QVERIFY2(rebuilt.problem().isEmpty(), qPrintable(rebuilt.problem()));
        RunIndex next(file_);
        QCOMPARE(list(next, 0), old);
    }
    void aPlaceThatTakesNothingIsSaidAndAllIsListed() {
        makeRuns(3);
        writeQuickly(runs_.parent_path() / "cache", "a file");
        RunIndex index(file_);
        QCOMPARE(list(index, 3), job::listRuns(runs_));
        QVERIFY(index.problem().contains(file_));
        QCOMPARE(list(index, 0).size(), std::size_t{3});  // it knows them all the same
    }
    void twoProgramsMayHaveItAtOnce() {
        makeRuns(4);
        RunIndex one(file_);
        RunIndex other(file_);
        list(one, 4);
        list(other, 0);
        writeQuickly(runs_ / "digits-1000" / "summary.json", R"({"status": "stopped"})");
        list(one, 1);
        QCOMPARE(list(other, 1), job::listRuns(runs_));
    }

    void theIndexOfHundredsOfRunsIsMadeAnewAsItWas() {
        makeRuns(kMany);
        const auto truth = job::listRuns(runs_);
        {
            RunIndex index(file_);
            QCOMPARE(list(index, kMany), truth);
        }
        QVERIFY(QFile::remove(file_));
        {
            RunIndex anew(file_);
            QCOMPARE(list(anew, kMany), truth);
        }
        RunIndex kept(file_);
        QCOMPARE(list(kept, 0), truth);
        QCOMPARE(kept.loadedRuns(), kMany);
    }

    void hundredsOfRunsAreFilteredAsOneTypes() {
        makeRuns(kMany);
        RunsModel model;
        RunsFilterModel filtered;
        filtered.setSourceModel(&model);
        model.setRuns(job::listRuns(runs_));
        for (const auto& [words, left] : {std::pair("d", kMany),
                                          {"di", kMany},
                                          {"digits", kMany},
                                          {"tag:ten", kMany / 10},
                                          {"tag:enth", 0},
                                          {"learning_rate=0.003", (kMany + 4) / 7},
                                          {"failed", (kMany + 8) / 9},
                                          {"nothing of that", 0},
                                          {"", kMany}}) {
            QElapsedTimer timer;
            timer.start();
            filtered.setWords(QString::fromLatin1(words));
            std::vector<const job::RunEntry*> listed;
            for (int row = 0; row < filtered.rowCount(); ++row)
                listed.push_back(&model.runAt(filtered.mapToSource(filtered.index(row, 0)).row()));
            const QStringList keys = differingKeys(listed);
            QVERIFY2(timer.elapsed() < kKeyMillis, words);
            QCOMPARE(int(listed.size()), left);
            QCOMPARE(keys.isEmpty(), left == 0);
        }
    }
};

QTEST_MAIN(RunIndexTest)
#include "tst_run_index.moc"
