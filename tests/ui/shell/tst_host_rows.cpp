// SPDX-License-Identifier: GPL-3.0-or-later
// What the rows of the hosts' table make of the job file's text.
#include <QtTest>

#include "tests/ui/support/scripted_doctor.h"
#include "ui/models/host_table_model.h"
#include "ui/models/job_editor.h"
#include "ui/style/core_words.h"
#include "ui/style/language.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

using Cell = HostTableModel::Column;

constexpr const char* kThree =
    "job_addresses = [\n  \"gpu1:0\",  # one\n  \"gpu2:0\",  # two\n  \"gpu3:0\",  # three\n]\n"
    "evaluator = false";

/// A job over ssh that is open in an editor, and the table of its hosts.
struct Table {
    explicit Table(const char* cluster, const char* launch = "") {
        editor.openCopy(
            QStringLiteral("hosts"),
            QStringLiteral("[job]\nname = \"hosts\"\n\n[cluster]\n%1\n\n[data]\n"
                           "dataset = \"digits\"\n\n[model]\nlayers = [{ type = \"dense\", "
                           "units = 10 }]\n\n[launch]\nmethod = \"ssh\"\n%2\n")
                .arg(QString::fromUtf8(cluster), QString::fromUtf8(launch)));
    }
    [[nodiscard]] bool has(const char* part) const {
        return editor.text().contains(QString::fromUtf8(part));
    }
    [[nodiscard]] QModelIndex at(int row, Cell column) const {
        return model.index(row, int(column));
    }

    JobEditor editor;
    HostTableModel model{editor};
};

}  // namespace

class HostRowsTest : public QObject {
    Q_OBJECT
private slots:
    void aCommentGoesWithItsHost() {
        Table table(kThree);
        table.model.moveHost(2, -1);
        QVERIFY2(table.has("[\n  \"gpu1:0\",  # one\n  \"gpu3:0\",  # three\n"
                           "  \"gpu2:0\",  # two\n]"),
                 qPrintable(table.editor.text()));
        QCOMPARE(table.model.beginRow(HostRow::Part::Trains, 0), 1);
        QVERIFY(table.model.setData(table.at(1, Cell::Host), QStringLiteral("gpu4"), Qt::EditRole));
        QVERIFY2(table.has("[\n  \"gpu1:0\",  # one\n  \"gpu4:0\",\n  \"gpu3:0\",  # three\n"
                           "  \"gpu2:0\",  # two\n]"),
                 qPrintable(table.editor.text()));
        table.model.removeHost(2);
        table.model.removeHost(0);
        QVERIFY2(table.has("[\n  \"gpu4:0\",\n  \"gpu2:0\",  # two\n]"),
                 qPrintable(table.editor.text()));
        // Another name for the same row.
        QVERIFY(table.model.setData(table.at(1, Cell::Host), QStringLiteral("gpu5"), Qt::EditRole));
        QVERIFY2(table.has("  \"gpu5:0\",  # two\n]"), qPrintable(table.editor.text()));
    }

    void aCommentGoesWithItsDestinationAndItsSpare() {
        Table table("job_addresses = [\"gpu1:0\", \"gpu2:0\", \"gpu2:0\"]\nevaluator = false",
                    "hosts = [\n  \"al@gpu1\",  # a\n  \"gpu2\",  # b\n  \"gpu2\",  # c\n]\n"
                    "spares = [\n  \"s1\",  # first\n  \"s2\",  # second\n]");
        QCOMPARE(table.model.rowCount(), 4);
        table.model.moveHost(0, 1);
        QVERIFY2(table.has("hosts = [\n  \"gpu2\",  # b\n  \"gpu2\",  # c\n"
                           "  \"al@gpu1\",  # a\n]"),
                 qPrintable(table.editor.text()));
        QVERIFY(table.has("job_addresses = [\"gpu2:0\", \"gpu2:0\", \"gpu1:0\"]"));
        table.model.removeHost(0);
        QVERIFY2(table.has("hosts = [\n  \"al@gpu1\",  # a\n]"), qPrintable(table.editor.text()));
        QVERIFY2(table.has("job_addresses = [\"gpu1:0\"]"), qPrintable(table.editor.text()));
        table.model.removeHost(1);
        QVERIFY2(table.has("spares = [\n  \"s2\",  # second\n]"), qPrintable(table.editor.text()));
    }

    void whereNoAddressCanBeWrittenNoneIsAskedFor() {
        Table table("job_addresses = [\"gpu1:7000\"]\nnum_processes = 3\nevaluator = false",
                    "hosts = [\"gpu1\", \"gpu2\", \"gpu3\"]");
        const QString before = table.editor.text();
        QVERIFY(table.model.flags(table.at(0, Cell::Address)) & Qt::ItemIsEditable);
        for (const int row : {1, 2}) {
            const QModelIndex cell = table.at(row, Cell::Address);
            QVERIFY(!(table.model.flags(cell) & Qt::ItemIsEditable));
            QVERIFY(!table.model.setData(cell, QStringLiteral("10.0.0.9"), Qt::EditRole));
            const QString tip = cell.data(Qt::ToolTipRole).toString();
            QVERIFY2(tip.contains(QStringLiteral("cluster.job_addresses")), qPrintable(tip));
        }
        QCOMPARE(table.editor.text(), before);
        QVERIFY(table.model.setData(table.at(0, Cell::Address), QStringLiteral("10.0.0.9:7000"),
                                    Qt::EditRole));
        QVERIFY2(table.has("[\"10.0.0.9:7000\"]"), qPrintable(table.editor.text()));
    }

    void theEvaluatorGoesWithTheLastHost() {
        Table table("job_addresses = [\"gpu1:0\"]\nevaluator = \"gpu1:0\"");
        QCOMPARE(table.model.rowCount(), 2);
        table.model.removeHost(0);
        QCOMPARE(table.model.rowCount(), 0);
        QVERIFY2(table.has("evaluator = true\n"), qPrintable(table.editor.text()));
        QVERIFY(!table.has("gpu1"));
    }

    void theEvaluatorsHostBehindTheOthersTrainsNothing() {
        Table table("job_addresses = [\"10.0.0.1:0\", \"10.0.0.2:0\"]\nevaluator = \"10.0.0.3:0\"",
                    "hosts = [\n  \"gpu1\",\n  \"gpu2\",\n  \"al@gpu3\",  # scores\n]");
        const auto part = [&table](int row) { return table.model.rows()[std::size_t(row)].part; };
        QCOMPARE(table.model.rowCount(), 3);
        QCOMPARE(part(1), HostRow::Part::Trains);
        QCOMPARE(part(2), HostRow::Part::Scores);
        QCOMPARE(table.at(2, Cell::Host).data().toString(), QStringLiteral("al@gpu3"));
        QCOMPARE(table.at(2, Cell::Address).data().toString(), QStringLiteral("10.0.0.3"));

        table.model.beginRow(HostRow::Part::Trains, 1);
        QVERIFY(table.model.setData(table.at(2, Cell::Host), QStringLiteral("gpu4"), Qt::EditRole));
        QVERIFY2(table.has("  \"gpu4\",\n  \"al@gpu3\",  # scores\n]"),
                 qPrintable(table.editor.text()));
        QVERIFY2(table.has("[\"10.0.0.1:0\", \"10.0.0.2:0\", \"gpu4:0\"]"),
                 qPrintable(table.editor.text()));
        QVERIFY(!table.editor.hasErrors());
        // Another login for it, which its address cannot say.
        QVERIFY(
            table.model.setData(table.at(3, Cell::Host), QStringLiteral("bo@gpu3"), Qt::EditRole));
        QVERIFY2(table.has("\"bo@gpu3\""), qPrintable(table.editor.text()));
        table.model.removeHost(3);
        QVERIFY2(table.has("evaluator = false"), qPrintable(table.editor.text()));
        QVERIFY2(!table.has("gpu3") && table.has("\"gpu4\""), qPrintable(table.editor.text()));
        QVERIFY(!table.editor.hasErrors());
    }

    void anEvaluatorGoesWithItsHostsNewName() {
        Table table("job_addresses = [\"10.0.0.1:0\", \"10.0.0.2:0\"]\nevaluator = \"10.0.0.2:0\"",
                    "hosts = [\"gpu1\", \"gpu2\"]");
        QVERIFY(table.model.setData(table.at(1, Cell::Host), QStringLiteral("gpu5"), Qt::EditRole));
        QVERIFY2(table.has("hosts = [\"gpu1\", \"gpu5\"]"), qPrintable(table.editor.text()));
        QCOMPARE(table.at(2, Cell::Host).data().toString(), QStringLiteral("gpu5"));
        // Whoever trains no more scores as before.
        table.model.removeHost(1);
        QVERIFY2(table.has("hosts = [\"gpu1\", \"gpu5\"]"), qPrintable(table.editor.text()));
        QVERIFY2(table.has("job_addresses = [\"10.0.0.1:0\"]"), qPrintable(table.editor.text()));
        QCOMPARE(table.at(1, Cell::Part).data().toString(), QStringLiteral("evaluator"));
        QCOMPARE(table.at(1, Cell::Host).data().toString(), QStringLiteral("gpu5"));
    }

    void anEvaluatorsHostGoesWithItsAddressThatSaidIt() {
        Table plain("job_addresses = [\"10.0.0.1:0\", \"10.0.0.2:0\"]\nevaluator = \"10.0.0.3:0\"");
        QVERIFY(plain.model.setData(plain.at(2, Cell::Address), QStringLiteral("10.0.0.4"),
                                    Qt::EditRole));
        QVERIFY2(plain.has("evaluator = \"10.0.0.4:0\"") && !plain.has("10.0.0.3") &&
                     !plain.has("hosts ="),
                 qPrintable(plain.editor.text()));
        QCOMPARE(plain.at(2, Cell::Host).data().toString(), QStringLiteral("10.0.0.4"));

        Table named("job_addresses = [\"10.0.0.1:0\", \"10.0.0.2:0\"]\nevaluator = \"gpu9:0\"",
                    "hosts = [\"gpu1\", \"gpu2\"]");
        QVERIFY(named.model.setData(named.at(2, Cell::Address), QStringLiteral("10.0.0.2"),
                                    Qt::EditRole));
        QVERIFY2(named.has("hosts = [\"gpu1\", \"gpu2\"]") && !named.has("gpu9"),
                 qPrintable(named.editor.text()));
        QCOMPARE(named.at(2, Cell::Host).data().toString(), QStringLiteral("gpu2"));
        // What the file names stays.
        Table said("job_addresses = [\"10.0.0.1:0\"]\nevaluator = \"10.0.0.3:0\"",
                   "hosts = [\"gpu1\", \"gpu3\"]");
        QVERIFY(said.model.setData(said.at(1, Cell::Address), QStringLiteral("10.0.0.4"),
                                   Qt::EditRole));
        QVERIFY2(said.has("hosts = [\"gpu1\", \"gpu3\"]"), qPrintable(said.editor.text()));
    }

    void anEvaluatorScoresOnAHostWhoseAddressIsNotWritten() {
        Table table(
            "job_addresses = [\"10.0.0.1:0\"]\nnum_processes = 3\nevaluator = \"10.0.0.9:0\"",
            "hosts = [\"g1\", \"g2\", \"g3\", \"e\"]");
        QCOMPARE(table.model.rowCount(), 4);
        QVERIFY(table.model.setData(table.at(3, Cell::Host), QStringLiteral("g3"), Qt::EditRole));
        QVERIFY2(table.has("evaluator = \"g3:0\"") &&
                     table.has("hosts = [\"g1\", \"g2\", \"g3\", \"g3\"]"),
                 qPrintable(table.editor.text()));
        QCOMPARE(table.at(3, Cell::Host).data().toString(), QStringLiteral("g3"));
    }

    void aSpareChangesNothingButTheSpares() {
        for (const char* cluster :
             {"job_addresses = [\"127.0.0.1:7001\", \"127.0.0.2:0\"]  # both here\n"
              "num_processes = 2\nevaluator = true",
              "num_processes = 4",
              "job_addresses = [\"gpu1:0\",\n\"gpu2:0\"]\nnum_processes = 2"}) {
            Table table(cluster);
            const QString before = table.editor.text();
            const int row = table.model.beginRow(HostRow::Part::Spare, -1);
            QVERIFY(table.model.setData(table.at(row, Cell::Host), QStringLiteral("gpu9"),
                                        Qt::EditRole));
            QVERIFY(table.has("spares = [\"gpu9\"]\n"));
            QCOMPARE(table.editor.text().remove(QStringLiteral("spares = [\"gpu9\"]\n")), before);
            table.model.removeHost(row);
            QCOMPARE(table.editor.text(), before);
        }
    }

    // The last, for it changes the language.
    void whatTheDoctorSaysIsTranslated() {
        QObject translators;
        speak(translators, QStringLiteral("de"));
        Table table("job_addresses = [\"host1:0\", \"host2:0\"]\nevaluator = false");
        const auto report = std::make_shared<job::DoctorView>(testsupport::doctorView(2, 2));
        table.model.setChecks(report, false);
        const std::string& sentence = report->problems.front().sentence;
        const QString german = fromCore(sentence);
        QVERIFY(german != QString::fromStdString(sentence));
        const QString tip = table.at(1, Cell::Host).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(german), qPrintable(tip));
    }
};

QTEST_MAIN(HostRowsTest)
#include "tst_host_rows.moc"
