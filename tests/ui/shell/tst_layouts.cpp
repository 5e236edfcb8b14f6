// SPDX-License-Identifier: GPL-3.0-or-later
// Every page in every language, and in one whose words are 40 % longer, in a laptop's window and in
// the least one: no word lies on another one, and each can be read to its end. Runs a second time
// with two pixels for one.
#include <QtTest>

#include "tests/ui/support/cut_words.h"
#include "tests/ui/support/overlaps.h"
#include "tests/ui/support/page_walk.h"
#include "tests/ui/support/widened_words.h"
#include "ui/style/language.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

constexpr auto kWidened = "40 % longer";
constexpr int kAnotherLayout = 500;  // milliseconds for layouts that ask for another one

QStringList problemsOf(const QWidget& window) {
    return testsupport::overlaps(window) + testsupport::cutWords(window);
}

}  // namespace

class LayoutsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("lockstep-layouts"));
        const double scale = qEnvironmentVariable("QT_SCALE_FACTOR", "1").toDouble();
        QCOMPARE(qApp->devicePixelRatio(), scale);
    }
    void everyWordHasItsPlace_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QSize>("size");
        QStringList known{QLatin1String(kWidened)};
        for (const Language& language : languages())
            known << language.code;
        for (const QString& language : known)
            for (const QSize& size : {QSize(1280, 800), QSize(800, 600)})
                QTest::addRow("%s, %d wide", qPrintable(language), size.width())
                    << language << size;
    }
    void everyWordHasItsPlace() {
        QFETCH(const QString, language);
        QFETCH(const QSize, size);
        QObject translators;  // they end with it
        testsupport::WidenedWords widened;
        const bool isWidened = language == QLatin1String(kWidened);
        if (isWidened)
            QCoreApplication::installTranslator(&widened);  // ends with itself
        else
            speak(translators, language);
        QMap<QString, QString> wrong;
        testsupport::walkPages(
            [&](const QWidget& window, const QString& state) {
                std::ignore =
                    QTest::qWaitFor([&] { return problemsOf(window).isEmpty(); }, kAnotherLayout);
                for (const QString& each : problemsOf(window))
                    if (!wrong.contains(each)) wrong[each] = state;
            },
            size, isWidened ? QString() : language + QStringLiteral(", "));
        for (auto each = wrong.begin(); each != wrong.end(); ++each)
            qWarning().noquote() << each.value() << ": " << each.key();
        QVERIFY(wrong.isEmpty());
    }
};

QTEST_MAIN(LayoutsTest)
#include "tst_layouts.moc"
