// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/theme.h"

#include <QFontDatabase>
#include <QFontInfo>
#include <QPalette>
#include <QPixmapCache>
#include <QToolTip>
#include <QWidget>

#include <algorithm>
#include <cmath>

#include "ui/style/program_style.h"
#include "ui/style/stylesheet.h"

namespace lockstep::ui {

namespace {

QColor rgb(QRgb value) {
    return QColor::fromRgb(value);
}

Theme makeLight() {
    Theme t;
    t.window = rgb(0xf4f5f7);
    t.surface = rgb(0xffffff);
    t.raised = rgb(0xffffff);
    t.hover = rgb(0xebedf1);
    t.hairline = rgb(0xdde0e6);
    t.grid = rgb(0xeceef2);
    t.text = rgb(0x1b1f27);
    t.textSecondary = rgb(0x5b6372);
    t.textDisabled = rgb(0xa3a9b5);
    t.accent = rgb(0x2f5fe0);
    t.accentText = rgb(0xffffff);
    t.accentSoft = rgb(0xe6ecfd);
    t.selection = rgb(0xd3defb);
    t.good = rgb(0x12784a);
    t.warn = rgb(0x9a5b00);
    t.bad = rgb(0xc22f35);
    t.validation = rgb(0xb0127b);
    t.evaluator = rgb(0x006d75);
    t.test = rgb(0x7a4a00);
    t.series = {rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xcc79a7),
                rgb(0x3fa0dd), rgb(0xcf8a00), rgb(0x7a5cc0), rgb(0x7d8592)};
    t.phases = {rgb(0xcf8a00), rgb(0x3fa0dd), rgb(0x0072b2), rgb(0xcc79a7), rgb(0x009e73),
                rgb(0x9aa2b0), rgb(0x7a5cc0), rgb(0x5d6bd0), rgb(0xb9bfca), rgb(0x7d8592)};
    return t;
}

Theme makeDark() {
    Theme t;
    t.dark = true;
    t.window = rgb(0x14161b);
    t.surface = rgb(0x1c1f26);
    t.raised = rgb(0x282c35);
    t.hover = rgb(0x272b34);
    t.hairline = rgb(0x2f343e);
    t.grid = rgb(0x282c35);
    t.text = rgb(0xe7e9ee);
    t.textSecondary = rgb(0x9da5b4);
    t.textDisabled = rgb(0x5d6573);
    t.accent = rgb(0x6f9bff);
    t.accentText = rgb(0x0d1220);
    t.accentSoft = rgb(0x232e4a);
    t.selection = rgb(0x2d3f6e);
    t.good = rgb(0x4cc38a);
    t.warn = rgb(0xf0b13f);
    t.bad = rgb(0xff7b7b);
    t.validation = rgb(0xff6fcf);
    t.evaluator = rgb(0x4fe0e8);
    t.test = rgb(0xffd9a0);
    t.series = {rgb(0x56b4e9), rgb(0xf08a4b), rgb(0x2fc79a), rgb(0xe19bc4),
                rgb(0x3f8fd0), rgb(0xe6b422), rgb(0xa78bf0), rgb(0x9aa2b0)};
    t.phases = {rgb(0xe6b422), rgb(0x7cc8f2), rgb(0x3f8fd0), rgb(0xe19bc4), rgb(0x2fc79a),
                rgb(0x6c7584), rgb(0xa78bf0), rgb(0x8795f2), rgb(0x4c5462), rgb(0x9aa2b0)};
    return t;
}

constexpr int kSeriesRounds = 8;
// Chosen so that no two of the 64 colours are close in either theme.
constexpr float kHueStride = 0.067F;
constexpr std::array<float, kSeriesRounds> kShades{0,      -0.21F, -0.09F, -0.06F,
                                                   -0.21F, 0.17F,  -0.06F, 0.10F};

bool isDark(const QPalette& palette) {
    return palette.color(QPalette::Active, QPalette::Window).lightness() < 128;
}

QPalette paletteOf(const Theme& theme) {
    QPalette p;
    p.setColor(QPalette::Window, theme.window);
    p.setColor(QPalette::WindowText, theme.text);
    p.setColor(QPalette::Base, theme.surface);
    p.setColor(QPalette::AlternateBase, mixed(theme.surface, theme.window, 0.6));
    p.setColor(QPalette::Text, theme.text);
    p.setColor(QPalette::PlaceholderText, theme.textSecondary);
    p.setColor(QPalette::Button, theme.surface);
    p.setColor(QPalette::ButtonText, theme.text);
    p.setColor(QPalette::BrightText, theme.bad);
    p.setColor(QPalette::Highlight, theme.accent);
    p.setColor(QPalette::HighlightedText, theme.accentText);
    p.setColor(QPalette::ToolTipBase, theme.raised);
    p.setColor(QPalette::ToolTipText, theme.text);
    p.setColor(QPalette::Link, theme.accent);
    p.setColor(QPalette::LinkVisited, theme.accent);
    // Fusion derives its outlines from these.
    p.setColor(QPalette::Light, mixed(theme.surface, Qt::white, theme.dark ? 0.06 : 1));
    p.setColor(QPalette::Midlight, theme.hover);
    p.setColor(QPalette::Mid, theme.hairline);
    p.setColor(QPalette::Dark, mixed(theme.hairline, theme.text, 0.2));
    p.setColor(QPalette::Shadow, theme.dark ? rgb(0x07080a) : rgb(0x8d94a3));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText,
                            QPalette::PlaceholderText, QPalette::HighlightedText}) {
        p.setColor(QPalette::Disabled, role, theme.textDisabled);
    }
    p.setColor(QPalette::Disabled, QPalette::Highlight, theme.hairline);
    return p;
}

QFont scaledFont(double factor, QFont::Weight weight) {
    QFont font = QApplication::font();
    if (font.pointSizeF() > 0)
        font.setPointSizeF(font.pointSizeF() * factor);
    else
        font.setPixelSize(qRound(font.pixelSize() * factor));
    font.setWeight(weight);
    return font;
}

/// A face whose digits are all of one width: Qt 6.4 cannot ask a font for its tabular figures.
QFont bodyFont() {
    const QStringList installed = QFontDatabase::families();
    QFont font = QApplication::font();
    for (const QString& family :
         {QStringLiteral("Inter"), QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans")}) {
        if (!installed.contains(family)) continue;
        font.setFamily(family);
        const QFontMetricsF metrics(font);
        if (metrics.horizontalAdvance(QLatin1Char('1')) !=
            metrics.horizontalAdvance(QLatin1Char('0'))) {
            continue;
        }
        // DejaVu is large for its size.
        font.setPointSizeF(family == QLatin1String("DejaVu Sans") ? 9 : 10);
        break;
    }
    return font;
}

/// Kept with the application, so that a second call does not take our own palette for the
/// desktop's.
bool desktopIsDark(QApplication& application) {
    static constexpr char kProperty[] = "lockstepDesktopIsDark";
    QVariant known = application.property(kProperty);
    if (!known.isValid()) {
        known = isDark(QApplication::palette());
        application.setProperty(kProperty, known);
    }
    return known.toBool();
}

constexpr char kStyled[] = "lockstepStyled";

}  // namespace

const Theme& Theme::light() {
    static const Theme theme = makeLight();
    return theme;
}

const Theme& Theme::darkTheme() {
    static const Theme theme = makeDark();
    return theme;
}

const Theme& Theme::of(const QWidget* widget) {
    return isDark(widget != nullptr ? widget->palette() : QApplication::palette()) ? darkTheme()
                                                                                   : light();
}

QColor Theme::seriesColour(int index) const {
    const QColor base = series[std::size_t(index) % series.size()];
    const int round = index / int(series.size()) % kSeriesRounds;
    if (round == 0) return base;
    float hue = 0;
    float saturation = 0;
    float lightness = 0;
    base.getHslF(&hue, &saturation, &lightness);
    // Grey has no hue: it gets one with its second round.
    hue = std::fmod(std::max(hue, 0.0F) + kHueStride * float(round), 1.0F);
    saturation = std::clamp(saturation, 0.35F, 0.9F);
    lightness = std::clamp(lightness + kShades[std::size_t(round)], 0.22F, 0.82F);
    return QColor::fromHslF(hue, saturation, lightness);
}

QColor Theme::phaseColour(int phase) const {
    return phase >= 0 && phase < int(phases.size()) ? phases[std::size_t(phase)] : textSecondary;
}

QColor Theme::tone(Tone tone) const {
    switch (tone) {
        case Tone::Neutral:
            return textSecondary;
        case Tone::Accent:
            return accent;
        case Tone::Good:
            return good;
        case Tone::Warn:
            return warn;
        case Tone::Bad:
            return bad;
    }
    return text;
}

QColor Theme::toneSoft(Tone tone) const {
    return mixed(surface, this->tone(tone), dark ? 0.18 : 0.10);
}

QColor mixed(const QColor& under, const QColor& over, qreal share) {
    const auto blend = [share](int a, int b) { return qRound(a + (b - a) * share); };
    return QColor(blend(under.red(), over.red()), blend(under.green(), over.green()),
                  blend(under.blue(), over.blue()));
}

void applyTheme(QApplication& application, ThemeMode mode) {
    const bool dark =
        mode == ThemeMode::Dark || (mode == ThemeMode::System && desktopIsDark(application));
    desktopIsDark(application);
    const Theme& theme = dark ? Theme::darkTheme() : Theme::light();
    if (!application.property(kStyled).toBool()) {
        application.setProperty(kStyled, true);
        QApplication::setStyle(new ProgramStyle);
        QApplication::setFont(bodyFont());
    }
    QPixmapCache::clear();
    QApplication::setPalette(paletteOf(theme));
    QToolTip::setPalette(paletteOf(theme));
    application.setStyleSheet(stylesheet(theme));
}

QFont smallFont() {
    return scaledFont(0.9, QFont::Normal);
}

QFont strongFont() {
    return scaledFont(1, QFont::DemiBold);
}

QFont titleFont() {
    return scaledFont(1.5, QFont::DemiBold);
}

QFont fixedFont() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(QApplication::font().pointSizeF());
    return font;
}

QColor inkOn(const QColor& ground) {
    const double luminance = 0.299 * ground.red() + 0.587 * ground.green() + 0.114 * ground.blue();
    return luminance > 140 ? QColor(0x1b, 0x1f, 0x27) : QColor(Qt::white);
}

}  // namespace lockstep::ui
