// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QColor>
#include <QFont>
#include <array>

namespace lockstep::ui {

enum class ThemeMode { System, Light, Dark };

/// What a colour says. Never the only carrier: a word or an icon stands beside it.
enum class Tone { Neutral, Accent, Good, Warn, Bad };

/// The named colours of one appearance. Widgets ask for it while painting, so that a change of
/// theme needs nothing but a repaint.
struct Theme {
    bool dark = false;
    QColor window;    ///< Behind everything.
    QColor surface;   ///< Cards, tables, fields.
    QColor raised;    ///< Read-outs, tool tips, menus.
    QColor hover;     ///< Under the pointer.
    QColor hairline;  ///< Borders and separators.
    QColor grid;      ///< Lines inside a chart.
    QColor text;
    QColor textSecondary;
    QColor textDisabled;
    QColor accent;
    QColor accentText;  ///< On the accent colour.
    QColor accentSoft;  ///< A tint behind chosen things.
    QColor selection;
    QColor good;
    QColor warn;
    QColor bad;
    QColor validation;              ///< Its points among the replicas' curves.
    QColor evaluator;               ///< Likewise the checkpoints' scores,
    QColor test;                    ///< and the test's.
    std::array<QColor, 8> series;   ///< Told apart by colour-blind readers (after Okabe and Ito).
    std::array<QColor, 10> phases;  ///< One for each job::Phase, in its order.

    [[nodiscard]] static const Theme& light();
    [[nodiscard]] static const Theme& darkTheme();
    /// The theme that a widget's palette belongs to; null: the application's.
    [[nodiscard]] static const Theme& of(const QWidget* widget);
    [[nodiscard]] static const Theme& current() { return of(nullptr); }

    /// Beyond eight in other hues and shades of the same; repeats after 64.
    [[nodiscard]] QColor seriesColour(int index) const;
    [[nodiscard]] QColor phaseColour(int phase) const;
    [[nodiscard]] QColor tone(Tone tone) const;
    /// The tone as a quiet background of its own text.
    [[nodiscard]] QColor toneSoft(Tone tone) const;
};

/// Sets style, palette, fonts and the stylesheet of the whole program. System: as light or dark
/// as the desktop's own palette. May be called again at any time; visible widgets repaint.
void applyTheme(QApplication& application, ThemeMode mode);

/// Body text is the application's font. All have tabular figures.
[[nodiscard]] QFont smallFont();
[[nodiscard]] QFont strongFont();
[[nodiscard]] QFont titleFont();
[[nodiscard]] QFont fixedFont();

/// The grid that all distances are multiples of, in device independent pixels.
inline constexpr int kGrid = 8;

/// `under` with `over` laid on it at `share` (0 to 1).
[[nodiscard]] QColor mixed(const QColor& under, const QColor& over, qreal share);
/// What can be read on a ground of any colour.
[[nodiscard]] QColor inkOn(const QColor& ground);

}  // namespace lockstep::ui
