// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace lockstep::ui {

/// The colours of the phases of a step with their names, in a row.
class PhaseLegend final : public QWidget {
    Q_OBJECT
public:
    explicit PhaseLegend(QWidget* parent = nullptr);

    /// In the order of Theme::phaseColour(). The width follows them.
    void setNames(const QStringList& names);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QStringList names_;
};

}  // namespace lockstep::ui
