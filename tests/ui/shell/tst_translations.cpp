// SPDX-License-Identifier: GPL-3.0-or-later
// The window in other languages: every word of its own can be translated, words that are 40 %
// longer have their place, and the languages that are offered are spoken.
#include <QAction>
#include <QSettings>
#include <QTableView>
#include <QtTest>

#include "tests/ui/shell/window_fixture.h"
#include "tests/ui/support/settle.h"
#include "tests/ui/support/shown_words.h"
#include "tests/ui/support/widened_words.h"
#include "ui/shell/window_actions.h"
#include "ui/style/language.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::WindowFixture;

namespace {

/// Looks at every page of the window in one state after the other.
template <typename Look>
void walk(Look look) {
    WindowFixture fixture;
    QVERIFY(fixture.showExample());
    const auto pages = [&](const char* state) {
        for (int page = 0; page < 7; ++page) {
            fixture.window().showPage(MainWindow::Page(page));
            testsupport::settle(fixture.window());
            look(fixture.window(),
                 QStringLiteral("%1, page %2").arg(QLatin1String(state)).arg(page));
        }
    };
    pages("a job");
    QVERIFY(fixture.launch());
    fixture.script().publish(ExampleRun::view(2400));
    fixture.feed(2400);
    QTRY_VERIFY(fixture.window().bridge().view()->revision > 1);
    if (auto* table = fixture.find<QTableView>("replicaTable")) table->selectRow(0);
    pages("a run");
    fixture.script().publish(ExampleRun::failedView(2400));
    QTRY_VERIFY(fixture.window().bridge().view()->state == job::RunState::Failed);
    pages("a failed run");
    fixture.editor().setValue(QStringLiteral("training.global_batch_size"), QStringLiteral("1"));
    pages("a problem");
}

}  // namespace

class TranslationsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("lockstep-translations"));
    }

    void theBestLanguageOfTheSystemIsTaken_data() {
        QTest::addColumn<QStringList>("wanted");
        QTest::addColumn<QString>("spoken");
        QTest::newRow("of a country") << QStringList{"de-AT", "de"} << "de";
        QTest::newRow("the second") << QStringList{"xx", "zh-Hans-CN"} << "zh_CN";
        QTest::newRow("simplified, of Singapore") << QStringList{"zh-Hans-SG"} << "zh_CN";
        QTest::newRow("not the simplified script for the traditional one")
            << QStringList{"zh-Hant-TW"} << "en";
        QTest::newRow("English before what there is") << QStringList{"en-GB", "de"} << "en";
        QTest::newRow("none") << QStringList{"fr-FR"} << "en";
    }
    void theBestLanguageOfTheSystemIsTaken();
    void everyWordOfTheWindowCanBeTranslated();
};

void TranslationsTest::theBestLanguageOfTheSystemIsTaken() {
    QFETCH(const QStringList, wanted);
    QFETCH(const QString, spoken);
    QCOMPARE(bestLanguage(wanted), spoken);
}

void TranslationsTest::everyWordOfTheWindowCanBeTranslated() {
    testsupport::WidenedWords words;
    QCoreApplication::installTranslator(&words);
    QMap<QString, QString> plain;
    walk([&](const QWidget& window, const QString& state) {
        const testsupport::ShownWords shown(window);
        for (auto word = shown.all().begin(); word != shown.all().end(); ++word) {
            static const QRegularExpression marked(QStringLiteral("«[^«»]*»"));
            static const QRegularExpression letters(QStringLiteral("\\p{L}{3}"));
            QString rest = word.key();
            for (QString before; before != rest;) {
                before = rest;
                rest.remove(marked);
            }
            if (rest.contains(letters) && !plain.contains(word.key()))
                plain[word.key()] = word.value() + QStringLiteral(" of ") + state;
        }
    });
    QCoreApplication::removeTranslator(&words);
    for (auto word = plain.begin(); word != plain.end(); ++word)
        qWarning().noquote() << word.value() << ": " << word.key();
    QVERIFY(plain.isEmpty());
}

QTEST_MAIN(TranslationsTest)
#include "tst_translations.moc"
