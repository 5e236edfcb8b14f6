// SPDX-License-Identifier: GPL-3.0-or-later
// The job file as text: numbered, coloured, and marked where something is to be said of it.
#include <QHelpEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTextBlock>
#include <QTextLayout>
#include <QToolButton>
#include <QToolTip>
#include <QtTest>

#include "tests/ui/shell/window_fixture.h"
#include "ui/pages/job/job_preview.h"
#include "ui/pages/job/toml_highlighter.h"
#include "ui/widgets/code_edit.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::WindowFixture;

namespace {

/// The parts of a line that are not in the text's own colour: "text:colour".
QStringList coloured(const QTextBlock& block) {
    QStringList parts;
    for (const QTextLayout::FormatRange& range : block.layout()->formats())
        parts << block.text().mid(range.start, range.length);
    return parts;
}

/// Of each line of a TOML text.
QList<QStringList> colouredParts(const QString& toml) {
    CodeEdit edit;
    TomlHighlighter colours(edit.document(), edit);
    edit.setPlainText(toml);
    colours.rehighlight();
    QList<QStringList> all;
    for (QTextBlock block = edit.document()->begin(); block.isValid(); block = block.next())
        all << coloured(block);
    return all;
}

QStringList words(std::initializer_list<const char*> all) {
    QStringList list;
    for (const char* word : all)
        list << QString::fromUtf8(word);
    return list;
}

}  // namespace

class JobTextTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("lockstep-job-text"));
        applyTheme(*qApp, ThemeMode::Light);
    }

    void whatALineIsMadeOfHasItsColour_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QStringList>("parts");
        QTest::newRow("a table") << "[training]  # how" << words({"[training]  ", "# how"});
        QTest::newRow("a number") << "epochs = 12" << words({"12"});
        QTest::newRow("a key of digits") << "12 = 1e-3" << words({"1e-3"});
        QTest::newRow("a string with a comment's sign")
            << "name = \"a#b\" # c" << words({"\"a#b\"", "# c"});
        QTest::newRow("an escaped quote") << "name = \"a\\\"b\" " << words({"\"a\\\"b\""});
        QTest::newRow("a literal") << "path = 'c:\\' # x" << words({"'c:\\'", "# x"});
        QTest::newRow("a list") << "hosts = [\"a\", true, -2.5]"
                                << words({"\"a\"", "true", "-2.5"});
        QTest::newRow("digits in a key") << "beta_1 = inf" << words({"inf"});
        QTest::newRow("a date") << "day = 2026-11-28T10:00:00Z" << words({"2026-11-28T10:00:00Z"});
        QTest::newRow("an open string") << "name = \"abc" << words({"\"abc"});
    }
    void whatALineIsMadeOfHasItsColour() {
        QFETCH(const QString, line);
        QFETCH(const QStringList, parts);
        QCOMPARE(colouredParts(line).front(), parts);
    }
    void aStringOfSeveralLinesGoesOn() {
        const auto parts =
            colouredParts(QStringLiteral("a = \"\"\"one\n# two\nthree\"\"\" # end\nb = 1"));
        QCOMPARE(parts[0], words({"\"\"\"one"}));
        QCOMPARE(parts[1], words({"# two"}));
        QCOMPARE(parts[2], words({"three\"\"\"", "# end"}));
        QCOMPARE(parts[3], words({"1"}));
    }
    void numbersStandBesideTheLinesAndHaveRoom() {
        CodeEdit edit;
        edit.setPlainText(QString(98, u'\n'));
        const int narrow = edit.gutterWidth();
        edit.setPlainText(QString(1200, u'\n'));
        QCOMPARE(edit.gutterWidth() - narrow, 2 * edit.fontMetrics().horizontalAdvance(u'0'));
    }
    void aMistakeIsMarkedWhereItIsAndSaidThere() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        fixture.window().showPage(MainWindow::Page::Job);
        auto* preview = fixture.window().findChild<JobPreview*>();
        preview->setExpanded(true);
        auto* text = fixture.find<CodeEdit>("jobTextEdit");
        QVERIFY(text->marks().isEmpty());
        fixture.editor().setValue(QStringLiteral("training.epochs"), QStringLiteral("-3"));
        QCOMPARE(text->marks().size(), 1);
        const CodeEdit::Mark mark = text->marks().front();
        const QTextBlock block = text->document()->findBlockByNumber(mark.line - 1);
        QVERIFY2(block.text().startsWith(QLatin1String("epochs = -3")), qPrintable(block.text()));
        QVERIFY(text->saidOf(mark.line).contains(QLatin1String("-3")));
        QVERIFY(text->saidOf(mark.line + 1).isEmpty());
        bool isWavy = false;
        for (const QTextEdit::ExtraSelection& each : text->extraSelections())
            isWavy |= each.format.underlineStyle() == QTextCharFormat::WaveUnderline &&
                      each.cursor.selectedText().contains(QLatin1String("-3"));
        QVERIFY(isWavy);
        const QPoint there = text->cursorRect(QTextCursor(block)).center();
        QHelpEvent help(QEvent::ToolTip, there, text->viewport()->mapToGlobal(there));
        QCoreApplication::sendEvent(text->viewport(), &help);
        QTRY_COMPARE(QToolTip::text(), text->saidOf(mark.line));
        fixture.editor().setValue(QStringLiteral("training.epochs"), QStringLiteral("3"));
        QVERIFY(text->marks().isEmpty());
    }
    void theTextStandsBesideTheFormWhereThereIsRoomForIt() {
        WindowFixture fixture;
        fixture.window().resize(1280, 800);
        QVERIFY(fixture.showExample());
        fixture.window().showPage(MainWindow::Page::Job);
        auto* preview = fixture.window().findChild<JobPreview*>();
        auto* text = fixture.find<CodeEdit>("jobTextEdit");
        auto* fold = fixture.find<QToolButton>("previewFold");
        auto* scroll = fixture.find<QScrollArea>("jobScroll");
        QVERIFY(scroll->isAncestorOf(preview) && fold->isVisible() && !text->isVisible());

        fixture.window().resize(1720, 900);
        QTRY_VERIFY(text->isVisible());
        QVERIFY(!scroll->isAncestorOf(preview) && !fold->isVisible());
        const auto leftOf = [&](const QWidget* widget) {
            return widget->mapTo(&fixture.window(), QPoint()).x();
        };
        QTRY_VERIFY(leftOf(text) >= leftOf(scroll) + scroll->width());
        QTRY_VERIFY(text->width() >= 380 && text->height() > scroll->height() / 2);
        QVERIFY(leftOf(text) + text->width() <= fixture.window().width());
        QCOMPARE(text->toPlainText(), fixture.editor().text());
        fixture.editor().setValue(QStringLiteral("training.epochs"), QStringLiteral("-3"));
        QCOMPARE(text->marks().size(), 1);
        fixture.find<QPushButton>("showProblemButton")->click();
        QTRY_VERIFY(text->viewport()->rect().contains(text->cursorRect()));

        // Who types there goes on typing when the window is made narrow.
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window()));
        text->setFocus();
        fixture.window().resize(1280, 800);
        QTRY_VERIFY(scroll->isAncestorOf(preview));
        QTRY_VERIFY(text->isVisible() && text->hasFocus());
        QVERIFY(fold->isVisible() && fold->isChecked());
        fold->click();
        QVERIFY(!text->isVisible());
    }
    void coloursChangeNothingOfTheText() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        fixture.window().showPage(MainWindow::Page::Job);
        fixture.window().findChild<JobPreview*>()->setExpanded(true);
        const QSignalSpy changed(&fixture.editor(), &JobEditor::changed);
        applyTheme(*qApp, ThemeMode::Dark);
        QCoreApplication::processEvents();
        applyTheme(*qApp, ThemeMode::Light);
        QCoreApplication::processEvents();
        QCOMPARE(changed.size(), 0);
        QVERIFY(!fixture.window().isWindowModified());
    }
};

QTEST_MAIN(JobTextTest)
#include "tst_job_text.moc"
