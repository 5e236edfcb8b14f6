// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <QtTest>

#include "ui/style/icons.h"
#include "ui/style/theme.h"

using namespace lockstep::ui;

class TestIcons : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyIconRendersInBothThemesAtTwiceTheScale() {
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            applyTheme(*qApp, mode);
            for (int i = 0; i < int(Icon::Count); ++i) {
                const QPixmap pixmap = makeIcon(Icon(i)).pixmap(QSize(24, 24), 2.0);
                QCOMPARE(pixmap.size(), QSize(48, 48));
                const QImage image = pixmap.toImage();
                int inked = 0;
                for (int x = 0; x < 48; ++x) {
                    for (int y = 0; y < 48; ++y) {
                        if (image.pixelColor(x, y).alpha() < 255) continue;
                        ++inked;
                        const QColor ink = image.pixelColor(x, y);
                        const QColor wanted = Theme::current().textSecondary;
                        QVERIFY(std::abs(ink.red() - wanted.red()) <= 2);
                    }
                }
                QVERIFY2(inked > 20, qPrintable(iconName(Icon(i))));
            }
        }
    }

    void anIconThatIsSetFollowsAChangeOfTheme() {
        applyTheme(*qApp, ThemeMode::Light);
        const QIcon icon = makeIcon(Icon::Stop);
        const QImage light = icon.pixmap(QSize(24, 24), 1.0).toImage();

        applyTheme(*qApp, ThemeMode::Dark);

        QVERIFY(icon.pixmap(QSize(24, 24), 1.0).toImage() != light);
    }

    void textHasContrastOnEveryGround() {
        const auto luminance = [](const QColor& colour) {
            const auto linear = [](double part) {
                return part <= 0.03928 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
            };
            return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
                   0.0722 * linear(colour.blueF());
        };
        const auto contrast = [&](const QColor& a, const QColor& b) {
            const double x = luminance(a);
            const double y = luminance(b);
            return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
        };
        for (const Theme* theme : {&Theme::light(), &Theme::darkTheme()}) {
            for (const QColor& ground : {theme->window, theme->surface, theme->raised}) {
                QVERIFY(contrast(theme->text, ground) >= 7);
                for (const QColor& ink :
                     {theme->textSecondary, theme->good, theme->warn, theme->bad, theme->accent}) {
                    QVERIFY2(contrast(ink, ground) >= 4.5,
                             qPrintable(ink.name() + QStringLiteral(" on ") + ground.name()));
                }
                for (const QColor& line : theme->series) {
                    QVERIFY2(contrast(line, ground) >= 2.4, qPrintable(line.name()));
                }
            }
            for (const Tone tone : {Tone::Accent, Tone::Good, Tone::Warn, Tone::Bad}) {
                QVERIFY(contrast(theme->tone(tone), theme->toneSoft(tone)) >= 4.2);
            }
            QVERIFY(contrast(theme->accentText, theme->accent) >= 4.5);
        }
    }
};

QTEST_MAIN(TestIcons)
#include "tst_icons.moc"
