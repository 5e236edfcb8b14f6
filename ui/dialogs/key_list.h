// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QStringList>
#include <vector>

namespace lockstep::ui {

/// What does something in the window: any one of the keys and mouse gestures.
struct Gesture {
    QStringList ways;
    QString effect;
};

/// The gestures that are heard at one place.
struct GestureGroup {
    QString place;
    std::vector<Gesture> gestures;
};

/// The keys and gestures of resources/guide/window.md; what menus and buttons say by themselves is
/// left out.
class KeyList final {
    Q_DECLARE_TR_FUNCTIONS(lockstep::ui::KeyList)
public:
    /// In the order of the pages.
    [[nodiscard]] static std::vector<GestureGroup> groups();

private:
    static GestureGroup ofTheWindow();
    static GestureGroup ofTheForm();
    static GestureGroup ofCharts();
    static GestureGroup ofNamedFigures();
    static GestureGroup ofReplicas();
    static GestureGroup ofTheSlider();
    static GestureGroup ofTheEvaluator();
    static GestureGroup ofLogs();
    static GestureGroup ofRuns();
    static GestureGroup ofAxes();
};

}  // namespace lockstep::ui
