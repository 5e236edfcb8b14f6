// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <algorithm>

#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"

namespace lockstep::ui {

/// Progress as a thin line. An unknown length is shown as a resting stripe, without animation.
class ProgressStrip final : public QWidget, public AccessibleFigure {
    Q_OBJECT
public:
    explicit ProgressStrip(QWidget* parent = nullptr);

    /// 0 to 1; negative: unknown.
    void setFraction(double fraction);
    [[nodiscard]] double fraction() const { return fraction_; }
    void setTone(Tone tone);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    // For who cannot see it.
    [[nodiscard]] double figure() const override { return std::max(fraction_, 0.0) * 100; }
    [[nodiscard]] double figureLimit() const override { return 100; }

    double fraction_ = 0;
    Tone tone_ = Tone::Accent;
};

}  // namespace lockstep::ui
