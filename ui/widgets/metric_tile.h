// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/style/theme.h"

class QLabel;

namespace lockstep::ui {

/// One figure with its name: label above, value and unit below.
class MetricTile final : public QWidget {
    Q_OBJECT
public:
    explicit MetricTile(const QString& label, QWidget* parent = nullptr);

    void setValue(const QString& value, const QString& unit = {});
    /// What the figure is of.
    void setLabel(const QString& label);
    void setTone(Tone tone);
    [[nodiscard]] QString value() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void refreshColours();

    QLabel* label_;
    QLabel* value_;
    QLabel* unit_;
    Tone tone_ = Tone::Neutral;
};

}  // namespace lockstep::ui
