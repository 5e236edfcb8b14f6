// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <array>

#include "core/job/fold/drill_view.h"
#include "ui/style/icons.h"

class QLabel;

namespace lockstep::ui {

/// What has become of a drill: whether it landed, was detected, and recovered from, each in the
/// words of the terminal, and how long one waits for what has not happened yet.
class DrillCourse final : public QWidget {
    Q_OBJECT
public:
    explicit DrillCourse(QWidget* parent = nullptr);

    /// `now`: seconds since 1970. `isRunOver`: its records tell nothing more.
    void showDrill(const job::DrillView& drill, double now, bool isRunOver);
    /// There is none yet.
    void showSentence(const QString& sentence, Icon icon, Tone tone);

private:
    struct Line {
        QLabel* icon = nullptr;
        QLabel* words = nullptr;
    };
    enum Part { Landed, Detected, Recovered, Parts };

    void setLine(Part part, const QString& words, Icon icon, Tone tone);

    std::array<Line, Parts> lines_;
};

}  // namespace lockstep::ui
