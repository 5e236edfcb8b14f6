// SPDX-License-Identifier: GPL-3.0-or-later
// The index of runs: what it spares, that nothing is lost with it, and hundreds of runs in the
// list. LOCKSTEP_LONG_TESTS=1 prints how long things take with 500 runs.
#include <QElapsedTimer>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>

#include "core/base/file.h"
#include "core/config/document/job_file.h"
#include "ui/bridge/run_index.h"
#include "ui/models/run_settings.h"
#include "ui/models/runs_filter_model.h"
#include "ui/models/runs_model.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace fs = std::filesystem;

namespace {

bool isLong() {
    return qEnvironmentVariableIsSet("LOCKSTEP_LONG_TESTS");
}

void write(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;  // no fsync: there are many
}

}  // namespace

class RunIndexTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path runs_;
    QString file_;

    void makeRuns(int count) {
        const std::string job =
            *readFile(LOCKSTEP_SOURCE_DIR "/resources/examples/digits.toml", 1 << 20);
        write(runs_ / "whole.toml", job);
        const auto document = config::loadJobFile(runs_ / "whole.toml");
        QVERIFY(document.has_value());
        fs::remove(runs_ / "whole.toml");
        for (int i = 0; i < count; ++i) {
            config::JobSpec spec = document->spec();
            spec.training.learningRate = 0.001 * (1 + i % 7);
            spec.training.seed = std::uint64_t(i);
            const fs::path run = runs_ / ("digits-" + std::to_string(1000 + i));
            fs::create_directories(run);
            write(run / "job.toml", config::resolvedToml(spec));
            write(run / "summary.json", R"({"status": ")" +
                                            std::string(i % 9 == 0 ? "failed" : "completed") +
                                            R"(", "wall_seconds": 12.5, "test_accuracy": 0.)" +
                                            std::to_string(900 + i) + "}");
            if (i % 10 == 0)
                write(run / "about.json", R"({"name": "run )" + std::to_string(i) +
                                              R"(", "tags": ["tenth"], "note": "a\nb"})");
        }
    }
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
        write(runs_ / "digits-1003" / "summary.json", R"({"status": "stopped"})");
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
        write(runs_.parent_path() / "cache", "a file");
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
        write(runs_ / "digits-1000" / "summary.json", R"({"status": "stopped"})");
        list(one, 1);
        QCOMPARE(list(other, 1), job::listRuns(runs_));
    }

    void hundredsOfRunsAreListedAndFilteredAsOneTypes() {
        const int count = isLong() ? 500 : 100;
        makeRuns(count);
        QElapsedTimer timer;
        const auto told = [&](const char* what) {
            if (isLong()) qInfo("%-44s %7.1f ms", what, double(timer.nsecsElapsed()) * 1e-6);
            timer.start();
        };
        timer.start();
        const auto truth = job::listRuns(runs_);
        told("without an index");
        {
            RunIndex index(file_);
            list(index, count);
            told("first start with it");
        }
        RunIndex index(file_);
        auto runs = list(index, 0);
        told("second start");
        QCOMPARE(runs, truth);
        timer.start();
        list(index, 0);
        told("once more, as Home every 5 s");

        RunsModel model;
        RunsFilterModel filtered;
        filtered.setSourceModel(&model);
        timer.start();
        model.setRuns(std::move(runs));
        told("shown in the model");
        for (const auto& [words, left] : {std::pair("d", count),
                                          {"di", count},
                                          {"digits", count},
                                          {"tag:ten", count / 10},
                                          {"tag:enth", 0},
                                          {"learning_rate=0.003", (count + 4) / 7},
                                          {"failed", (count + 8) / 9},
                                          {"nothing of that", 0},
                                          {"", count}}) {
            timer.start();
            filtered.setWords(QString::fromLatin1(words));
            std::vector<const job::RunEntry*> listed;
            for (int row = 0; row < filtered.rowCount(); ++row)
                listed.push_back(&model.runAt(filtered.mapToSource(filtered.index(row, 0)).row()));
            told(qPrintable(QStringLiteral("typed: \"%1\"").arg(QLatin1String(words))));
            QCOMPARE(int(listed.size()), left);
            const QStringList keys = differingKeys(listed);
            told("  and the columns that tell them apart");
            QCOMPARE(keys.isEmpty(), left == 0);
        }
    }
};

QTEST_MAIN(RunIndexTest)
#include "tst_run_index.moc"
