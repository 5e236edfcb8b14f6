// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

#include "ui/style/accessible_role.h"

namespace lockstep::ui {

/// One choice of a few, side by side. Left and right move the choice.
class SegmentedControl final : public QWidget, public AccessibleParts {
    Q_OBJECT
public:
    explicit SegmentedControl(const QStringList& choices, QWidget* parent = nullptr);

    void setCurrent(int index);
    [[nodiscard]] int current() const { return current_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    /// By the user or by setCurrent().
    void currentChanged(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    // For who cannot see it.
    [[nodiscard]] int partCount() const override { return int(choices_.size()); }
    [[nodiscard]] QString partWords(int part) const override { return choices_[part]; }
    [[nodiscard]] QRect partArea(int part) const override { return segment(part).toRect(); }
    [[nodiscard]] int chosenPart() const override { return current_; }

    [[nodiscard]] QRectF segment(int index) const;
    [[nodiscard]] int segmentAt(const QPointF& position) const;

    QStringList choices_;
    int current_ = 0;
    int hovered_ = -1;
};

}  // namespace lockstep::ui
