// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/style/icons.h"

namespace lockstep::ui {

/// A state in one word with an icon and its colour: "Training", "Stuck".
class StatePill final : public QWidget {
    Q_OBJECT
public:
    explicit StatePill(QWidget* parent = nullptr);

    void setState(const QString& word, Icon icon, Tone tone);
    [[nodiscard]] QString word() const { return word_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString word_;
    Icon icon_ = Icon::Info;
    Tone tone_ = Tone::Neutral;
};

}  // namespace lockstep::ui
