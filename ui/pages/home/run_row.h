// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>

#include "ui/style/icons.h"

namespace lockstep::ui {

/// A line to press: an icon, what it is, in a second line what is to be said of it, and at the
/// right what pressing does or what came out. Texts without room end in "…".
class RunRow final : public QAbstractButton {
    Q_OBJECT
public:
    RunRow(Icon icon, Tone tone, const QString& title, QWidget* parent = nullptr);

    void setDetail(const QString& detail);
    void setTrailing(const QString& trailing, Tone tone = Tone::Neutral);
    [[nodiscard]] QString detail() const { return detail_; }
    [[nodiscard]] QString trailing() const { return trailing_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void tellAll();

    Icon icon_;
    Tone tone_;
    QString detail_;
    QString trailing_;
    Tone trailingTone_ = Tone::Neutral;
};

}  // namespace lockstep::ui
