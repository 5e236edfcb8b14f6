// SPDX-License-Identifier: GPL-3.0-or-later
// Every key of a job file can be set in the form, or stands here with the reason why it has no
// field.
#include <QLabel>
#include <QLineEdit>
#include <QMap>
#include <QSet>
#include <QtTest>

#include "core/config/keys/key_help.h"
#include "tests/ui/shell/window_fixture.h"
#include "tests/ui/support/settle.h"
#include "tests/ui/support/widened_words.h"
#include "ui/models/form_words.h"
#include "ui/pages/job/job_field.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::settle;
using testsupport::WindowFixture;

namespace {

/// Keys without a field, and what they are edited in.
const QMap<QString, QString>& reasons() {
    static const QMap<QString, QString> all{
        {QStringLiteral("cluster.job_addresses"),
         QStringLiteral("the rows of the cluster's table")},
        {QStringLiteral("cluster.num_processes"), QStringLiteral("how many rows that table has")},
        {QStringLiteral("launch.hosts"), QStringLiteral("the rows of the hosts' table")},
        {QStringLiteral("launch.spares"), QStringLiteral("the rows of the hosts' table")},
        {QStringLiteral("data.augment"), QStringLiteral("the list of random changes")},
        {QStringLiteral("data.features"), QStringLiteral("the list of columns")},
        {QStringLiteral("model.layers"), QStringLiteral("the outline of layers")},
        {QStringLiteral("model.blocks"), QStringLiteral("the outline of layers")},
        {QStringLiteral("model.defaults"),
         QStringLiteral("the outline of layers shows what they come to")},
    };
    return all;
}

/// "data.augment[].type" is an option of what data.augment lists.
QString listOf(const QString& key) {
    return key.section(QStringLiteral("[]"), 0, 0);
}

}  // namespace

class FormKeysTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void everyKeyHasAFieldOrAReason() {
        WindowFixture fixture;
        QSet<QString> fields;
        for (const JobField* field : fixture.window().findChildren<JobField*>()) {
            QVERIFY2(!fields.contains(field->key()), qPrintable(field->key()));
            fields.insert(field->key());
        }
        QStringList missing;
        QSet<QString> keys;
        for (const config::KeyHelp& help : config::allKeyHelp()) {
            const QString key = listOf(QString::fromStdString(help.key));
            keys.insert(key);
            if (fields.contains(key) == reasons().contains(key)) missing << key;
        }
        missing.removeDuplicates();
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QLatin1Char('\n'))));
        for (const QString& key : reasons().keys())
            QVERIFY2(keys.contains(key), qPrintable(key));
    }
    void everyUnitOfAFieldCanBeTranslated() {
        testsupport::WidenedWords words;
        QCoreApplication::installTranslator(&words);
        QStringList english;
        for (const config::KeyHelp& help : config::allKeyHelp()) {
            const bool isWord = !help.unit.empty() && help.unit != "s";
            if (isWord && !formLabel(QString::fromStdString(help.key)).isEmpty() &&
                unitWords(help.unit) == QString::fromStdString(help.unit))
                english << QString::fromStdString(help.key + ": " + help.unit);
        }
        QCoreApplication::removeTranslator(&words);
        QVERIFY2(english.isEmpty(), qPrintable(english.join(QLatin1Char('\n'))));
    }
    void aJobThatRegroupsShowsHowOftenItBeginsAgain() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        auto* restarts = fixture.find<QLineEdit>("maxRestartsEdit");
        QCOMPARE(restarts->text(), QStringLiteral("0"));
        const auto set = [&fixture](const char* key, const char* value) {
            fixture.editor().setValue(QLatin1String(key), QLatin1String(value));
        };
        set("launch.on_failure", "regroup");
        const auto* said = fixture.find<QLabel>("onFailureEditProblem");
        QVERIFY2(said->text().contains(QStringLiteral("10 times")), qPrintable(said->text()));
        QCOMPARE(restarts->text(), QStringLiteral("10"));
        set("launch.max_restarts", "3");
        QVERIFY2(said->text().contains(QStringLiteral("3 times")), qPrintable(said->text()));
        QCOMPARE(restarts->text(), QStringLiteral("3"));
        set("launch.on_failure", "restart");
        QCOMPARE(restarts->text(), QStringLiteral("3"));
    }
    void aReplicasShareOfTheNetworkIsSetWhereThereAreSeveral() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        JobEditor& editor = fixture.editor();
        auto* columns = fixture.find<QLineEdit>("meshColumnsEdit");
        auto* layout = fixture.find<QLineEdit>("layoutEdit");
        QVERIFY(columns->isVisible() && !layout->isVisible());
        columns->setFocus();
        columns->selectAll();
        QTest::keyClicks(columns, QStringLiteral("2"));
        QCOMPARE(editor.spec().distribution.model, 2);
        QVERIFY(layout->isVisible());
        layout->setFocus();
        QTest::keyClicks(layout, QStringLiteral("megatron"));
        QVERIFY(editor.spec().distribution.isMegatron);
        layout->selectAll();
        QTest::keyClicks(layout, QStringLiteral("{ \"layers\\\\.0\\\\..*\" = \"out\" }"));
        QVERIFY2(editor.spec().distribution.layout.size() == 1, qPrintable(editor.text()));
        QCOMPARE(editor.spec().distribution.layout.front().along, std::string("out"));
        // GPUs share a network as processors do, however many a host turns out to have.
        editor.setValue(QStringLiteral("cluster.device"), QStringLiteral("gpu"));
        QVERIFY(columns->isVisible() && layout->isVisible());
        editor.setText(QStringLiteral("[cluster]\ndevice = \"gpu\"\n"));
        QVERIFY(columns->isVisible() && !layout->isVisible());
        editor.setText(QStringLiteral("[cluster]\ndevice = \"cpu\"\n"));
        QVERIFY(!columns->isVisible());
    }
    void aFindingIsSaidToItsEndAboveTheForm() {
        WindowFixture fixture;
        fixture.window().resize(1280, 800);
        QVERIFY(fixture.showExample());
        fixture.editor().setValue(QStringLiteral("cluster.job_addresses"),
                                  QStringLiteral("[\"gpu1:4000\", \"127.0.0.1:0\"]"));
        auto* summary = fixture.find<QLabel>("jobSummary");
        settle(fixture.window());
        QVERIFY2(summary->text().contains(QStringLiteral("by which the other hosts know this one")),
                 qPrintable(summary->text()));
        QVERIFY(summary->wordWrap() &&
                summary->height() >= summary->heightForWidth(summary->width()));
    }
    void whatBelongsToAnotherChoiceIsHidden() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        JobEditor& editor = fixture.editor();
        const auto shown = [&fixture](const char* name) {
            return fixture.find<QWidget>(name)->isVisible();
        };
        QVERIFY(!shown("stuckGraceEdit") && !shown("slurmNodesEdit"));
        editor.setValue(QStringLiteral("launch.on_stuck"), QStringLiteral("restart"));
        QVERIFY(shown("stuckGraceEdit"));
        editor.setValue(QStringLiteral("launch.method"), QStringLiteral("slurm"));
        QVERIFY(shown("slurmNodesEdit") && shown("slurmOptionsEdit") &&
                shown("stopBeforeLimitEdit"));
        editor.setValue(QStringLiteral("cluster.device"), QStringLiteral("cpu"));
        QVERIFY(!shown("localDevicesEdit") && shown("tuneEdit"));
        editor.setValue(QStringLiteral("cluster.device"), QStringLiteral("gpu"));
        QVERIFY(shown("localDevicesEdit") && !shown("tuneEdit"));
        editor.setText(QStringLiteral("[launch]\ncommand = [\"python3\", \"train.py\"]\n"));
        QVERIFY(!shown("localDevicesEdit"));
    }
    void rulesOfALayoutCanBeRead() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        fixture.editor().setValue(QStringLiteral("distribution.mesh.model"), QStringLiteral("2"));
        auto* layout = fixture.find<QLineEdit>("layoutEdit");
        QVERIFY(layout != nullptr);
        QVERIFY2(layout->width() > 250, qPrintable(QString::number(layout->width())));
    }
    void graphicsProcessorsAndSlurmsOptionsAreListsOfTheFile() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        JobEditor& editor = fixture.editor();
        editor.setValue(QStringLiteral("cluster.device"), QStringLiteral("gpu"));
        auto* devices = fixture.find<QLineEdit>("localDevicesEdit");
        devices->setFocus();
        QTest::keyClicks(devices, QStringLiteral("0, 2"));
        QVERIFY2(editor.text().contains(QStringLiteral("local_device_ids = [0, 2]")),
                 qPrintable(editor.text()));
        editor.setValue(QStringLiteral("launch.method"), QStringLiteral("slurm"));
        auto* options = fixture.find<QLineEdit>("slurmOptionsEdit");
        options->setFocus();
        // As the file writes it: an option may hold commas.
        QTest::keyClicks(options, QStringLiteral("[\"--gres=gpu:2\", \"--constraint=a,b\"]"));
        QCOMPARE(editor.spec().slurm.options,
                 (std::vector<std::string>{"--gres=gpu:2", "--constraint=a,b"}));
        QTest::keyClick(options, Qt::Key_Return);
        QCOMPARE(options->text(), QStringLiteral("[\"--gres=gpu:2\", \"--constraint=a,b\"]"));
    }
};

QTEST_MAIN(FormKeysTest)
#include "tst_form_keys.moc"
