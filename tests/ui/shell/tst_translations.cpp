// SPDX-License-Identifier: GPL-3.0-or-later
// The window in other languages: every word of its own can be translated, words that are 40 %
// longer have their place, and the languages that are offered are spoken.
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QtTest>

#include "tests/ui/shell/window_fixture.h"
#include "tests/ui/support/cut_words.h"
#include "tests/ui/support/overlaps.h"
#include "tests/ui/support/settle.h"
#include "tests/ui/support/shown_words.h"
#include "tests/ui/support/widened_words.h"
#include "ui/style/language.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::WindowFixture;

namespace {

/// LOCKSTEP_PICTURES=FOLDER saves what the pages look like.
void picture(QWidget& window, const QString& name) {
    const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
    if (!folder.isEmpty())
        window.grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
}

const auto kHosts = QStringLiteral(
    "[cluster]\njob_addresses = [\"gpu1:0\", \"gpu2:0\"]\n[data]\ndataset = \"digits\"\n"
    "[model]\nlayers = [{ type = \"dense\", units = 10 }]\n"
    "[launch]\nmethod = \"ssh\"\nspares = [\"gpu3\"]\n");

/// Looks at every page of a window of this size in one state after the other.
template <typename Look>
void walk(Look look, QSize size = {1280, 800}) {
    WindowFixture fixture;
    fixture.window().resize(size);
    QVERIFY(fixture.showExample());
    QCOMPARE(fixture.window().size(), size);
    const auto pages = [&](const char* state) {
        for (int page = 0; page < 7; ++page) {
            fixture.window().showPage(MainWindow::Page(page));
            testsupport::settle(fixture.window());
            const QString place = QStringLiteral("%1, page %2, %3 wide")
                                      .arg(QLatin1String(state))
                                      .arg(page)
                                      .arg(fixture.window().width());
            look(fixture.window(), place);
            picture(fixture.window(), place);
        }
    };
    pages("a job");
    QVERIFY(fixture.launch());
    fixture.script().publish(ExampleRun::view(2400));
    fixture.feed(2400);
    QTRY_VERIFY(fixture.window().bridge().view()->step == 2400);
    if (auto* table = fixture.find<QTableView>("replicaTable")) table->selectRow(0);
    pages("a run");
    fixture.script().publish(ExampleRun::failedView(2400));
    QTRY_VERIFY(fixture.window().bridge().view()->state == job::RunState::Failed);
    pages("a failed run");
    fixture.editor().setValue(QStringLiteral("training.global_batch_size"), QStringLiteral("1"));
    pages("a problem");
    fixture.editor().setText(kHosts);
    fixture.window().showPage(MainWindow::Page::Job);
    if (auto* add = fixture.find<QPushButton>("addHostButton")) add->click();
    testsupport::settle(fixture.window());
    look(fixture.window(), QStringLiteral("hosts, %1 wide").arg(fixture.window().width()));
    picture(fixture.window(), QStringLiteral("hosts, %1 wide").arg(fixture.window().width()));
}

/// What is of the job or of the run, not the window's own: values and names of the file, the help
/// of its keys, and what languages are called in themselves.
bool isData(const QString& text, const QString& place) {
    static const QRegularExpression value(QStringLiteral("^\"?[a-z][a-z0-9_.-]*\"?$"));
    static const QStringList names{QStringLiteral("Deutsch"), QStringLiteral("English"),
                                   QStringLiteral("简体中文"), QStringLiteral("digits-mlp")};
    const bool isHelp = text.contains(QLatin1String("<code>")) ||
                        place.contains(QLatin1String("Edit (accessible description)"));
    const bool isValue =
        value.match(text).hasMatch() && (place.contains(QLatin1String("(choice)")) ||
                                         place.contains(QLatin1String("(placeholder)")));
    // What a job says: states, verdicts, findings, and where it is.
    static const QRegularExpression said(QStringLiteral(
        "^(training|Training: all|Connected to|[0-9]+.MiB|.* is 1, but there are 2 replicas|"
        "The run's checkpoints lie on|.*Spare hosts.* names hosts)"));
    return isHelp || isValue || said.match(text).hasMatch() || names.contains(text) ||
           text.contains(names.back()) || text.endsWith(QLatin1String(".toml")) ||
           text.startsWith(QLatin1String("untitled.toml"));
}

/// What Tab reaches and has nothing to say to who cannot see it.
QStringList namelessControls(const QWidget& window) {
    QStringList found;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus) ||
            widget->objectName() == QLatin1String("qt_scrollarea_viewport"))
            continue;
        if (qobject_cast<QLineEdit*>(widget) &&
            qobject_cast<QAbstractSpinBox*>(widget->parentWidget()))
            continue;
        const QAccessibleInterface* told = QAccessible::queryAccessibleInterface(widget);
        if (told && !told->text(QAccessible::Name).isEmpty()) continue;
        const QWidget* owner = widget->parentWidget();
        if (const auto* area = qobject_cast<const QAbstractScrollArea*>(owner))
            if (area->viewport() == widget) continue;
        found << QLatin1String(widget->metaObject()->className()) + QLatin1Char(' ') +
                     widget->objectName() + QStringLiteral(" in ") +
                     QLatin1String(owner->metaObject()->className()) + QLatin1Char(' ') +
                     owner->objectName();
    }
    return found;
}

/// Keys (&) that two entries of a menu have.
QStringList doubleKeys(const QWidget& window) {
    QStringList found;
    for (const QMenu* menu : window.findChildren<QMenu*>()) {
        QMap<QKeySequence, QString> known;
        for (const QAction* action : menu->actions()) {
            const QKeySequence key = QKeySequence::mnemonic(action->text());
            if (key.isEmpty()) continue;
            if (known.contains(key)) found << known[key] + QStringLiteral(" and ") + action->text();
            known[key] = action->text();
        }
    }
    return found;
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
    void longerWordsHaveTheirPlace_data() {
        QTest::addColumn<QSize>("size");
        QTest::newRow("a laptop") << QSize(1280, 800);
        QTest::newRow("the least") << QSize(800, 600);
    }
    void longerWordsHaveTheirPlace();
    void everyControlHasAName();
    void theLanguagesThatAreOfferedAreSpoken_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("launch");
        QTest::newRow("German") << "de" << QStringLiteral("Starten");
        QTest::newRow("Chinese") << "zh_CN" << QStringLiteral("启动");
    }
    void theLanguagesThatAreOfferedAreSpoken();
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
            if (rest.contains(letters) && !plain.contains(word.key()) &&
                !isData(word.key(), word.value()))
                plain[word.key()] = word.value() + QStringLiteral(" of ") + state;
        }
    });
    QCoreApplication::removeTranslator(&words);
    for (auto word = plain.begin(); word != plain.end(); ++word)
        qWarning().noquote() << word.value() << ": " << word.key();
    QVERIFY(plain.isEmpty());
}

void TranslationsTest::longerWordsHaveTheirPlace() {
    QFETCH(const QSize, size);
    testsupport::WidenedWords words;
    QCoreApplication::installTranslator(&words);
    QMap<QString, QString> wrong;
    const auto problems = [](const QWidget& window) {
        return testsupport::overlaps(window) + testsupport::cutWords(window);
    };
    walk(
        [&](const QWidget& window, const QString& state) {
            // Layouts that ask for another one have it.
            std::ignore = QTest::qWaitFor([&] { return problems(window).isEmpty(); }, 500);
            for (const QString& each : problems(window))
                if (!wrong.contains(each)) wrong[each] = state;
        },
        size);
    QCoreApplication::removeTranslator(&words);
    for (auto each = wrong.begin(); each != wrong.end(); ++each)
        qWarning().noquote() << each.value() << ": " << each.key();
    QVERIFY(wrong.isEmpty());
}

void TranslationsTest::everyControlHasAName() {
    QMap<QString, QString> nameless;
    walk([&](const QWidget& window, const QString& state) {
        for (const QString& each : namelessControls(window))
            if (!nameless.contains(each)) nameless[each] = state;
    });
    for (auto each = nameless.begin(); each != nameless.end(); ++each)
        qWarning().noquote() << each.value() << ": " << each.key();
    QVERIFY(nameless.isEmpty());
}

void TranslationsTest::theLanguagesThatAreOfferedAreSpoken() {
    QFETCH(const QString, code);
    QFETCH(const QString, launch);
    const QStringList codes = [] {
        QStringList all;
        for (const Language& language : languages())
            all << language.code;
        return all;
    }();
    if (codes.size() == 1) QSKIP("built without Qt's lrelease: English only");
    QVERIFY(codes.contains(code));
    QObject translators;                // they end with it
    speak(translators, code.first(2));  // "zh" is the Chinese that there is
    QCOMPARE(languageFor(code.first(2)), code);
    QCOMPARE(spokenLocale(), QLocale(code));
    QCOMPARE(languageFor(QStringLiteral("fr")), QString());
    WindowFixture fixture;
    fixture.window().resize(1280, 800);
    QVERIFY(fixture.showExample());
    QCOMPARE(fixture.find<QPushButton>("launchButton")->text(), launch);
    QStringList english;
    const testsupport::ShownWords shown(fixture.window());
    for (const char* word : {"Check hosts", "Replicas", "&File", "Learning rate"})
        if (shown.all().contains(QLatin1String(word))) english << QLatin1String(word);
    QCOMPARE(english, QStringList());
    QVERIFY(fixture.launch());
    fixture.script().publish(ExampleRun::view(2400));
    fixture.feed(2400);
    for (int page = 0; page < 7; ++page) {
        fixture.window().showPage(MainWindow::Page(page));
        testsupport::settle(fixture.window());
        picture(fixture.window(), QStringLiteral("%1-%2").arg(code).arg(page));
    }
    QCOMPARE(doubleKeys(fixture.window()), QStringList());
}

QTEST_MAIN(TranslationsTest)
#include "tst_translations.moc"
