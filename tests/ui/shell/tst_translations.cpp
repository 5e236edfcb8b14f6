// SPDX-License-Identifier: GPL-3.0-or-later
// The window's words in other languages and for who cannot see it: every word of its own can be
// translated, the languages that are offered are spoken, and controls say what they are.
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QtTest>

#include "tests/ui/shell/window_fixture.h"
#include "tests/ui/support/page_walk.h"
#include "tests/ui/support/shown_words.h"
#include "tests/ui/support/widened_words.h"
#include "ui/style/language.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::WindowFixture;

namespace {

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

/// Parts of Qt's own controls, which these speak for.
bool isInnerPart(const QWidget& widget) {
    const QWidget* owner = widget.parentWidget();
    const auto* area = qobject_cast<const QAbstractScrollArea*>(owner);
    return widget.objectName().startsWith(QLatin1String("qt_")) ||
           (area && area->viewport() == &widget) || qobject_cast<const QLineEdit*>(owner) ||
           qobject_cast<const QAbstractSpinBox*>(owner) || widget.inherits("QTableCornerButton");
}

/// What a widget that can be used lacks for who cannot see it; empty: nothing.
QString lackOf(const QWidget& widget) {
    const bool isUsed = widget.focusPolicy() != Qt::NoFocus ||
                        qobject_cast<const QAbstractButton*>(&widget) != nullptr;
    if (!isUsed && widget.accessibleName().isEmpty()) return {};
    auto* mutableWidget = const_cast<QWidget*>(&widget);
    const QAccessibleInterface* told = QAccessible::queryAccessibleInterface(mutableWidget);
    if (told == nullptr) return QStringLiteral("nothing");
    if (told->text(QAccessible::Name).isEmpty()) return QStringLiteral("a name");
    // What scrolls has no role in Qt, and no need of one: it is what lies in it that speaks.
    if (qobject_cast<const QScrollArea*>(&widget)) return {};
    for (const auto role : {QAccessible::NoRole, QAccessible::Client, QAccessible::Border})
        if (told->role() == role) return QStringLiteral("a role");
    return {};
}

/// Controls, and whatever has a name, that do not say all that they are.
QStringList mutePlaces(const QWidget& window) {
    QStringList found;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || isInnerPart(*widget)) continue;
        const QString lack = lackOf(*widget);
        if (lack.isEmpty()) continue;
        const QWidget* owner = widget->parentWidget();
        found << QStringLiteral("%1 %2 “%3” in %4 %5 lacks %6")
                     .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(),
                          widget->accessibleName(), QLatin1String(owner->metaObject()->className()),
                          owner->objectName(), lack);
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
    void everyControlHasANameAndARole();
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
    testsupport::walkPages([&](const QWidget& window, const QString& state) {
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

void TranslationsTest::everyControlHasANameAndARole() {
    QMap<QString, QString> mute;
    testsupport::walkPages([&](const QWidget& window, const QString& state) {
        for (const QString& each : mutePlaces(window))
            if (!mute.contains(each)) mute[each] = state;
    });
    for (auto each = mute.begin(); each != mute.end(); ++each)
        qWarning().noquote() << each.value() << ": " << each.key();
    QVERIFY(mute.isEmpty());
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
        testsupport::picture(fixture.window(), QStringLiteral("%1-%2").arg(code).arg(page));
    }
    QCOMPARE(doubleKeys(fixture.window()), QStringList());
}

QTEST_MAIN(TranslationsTest)
#include "tst_translations.moc"
