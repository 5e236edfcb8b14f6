// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

#include "ui/models/sample_history.h"
#include "ui/style/accessible_role.h"

namespace lockstep::ui {

/// What all checkpoints say of one sample, a column each in the order of steps: as high as they are
/// sure of its own class, full where they are right and framed where they are wrong, with the class
/// that they take it for where there is room. What is not known is a sign on the ground. Arrow
/// keys, Home and End go from one to the other; Enter or a double click opens one.
class AnswerStrip final : public QWidget, public AccessibleParts {
    Q_OBJECT
public:
    explicit AnswerStrip(QWidget* parent = nullptr);

    void setHistory(History history, const QStringList& classNames);
    /// The checkpoint whose samples are shown; it is pointed at, and marked.
    void setShownStep(std::int64_t step);
    /// Of the column that is pointed at, in words; empty: there is none.
    [[nodiscard]] QString describe() const { return describe(current_); }
    /// Where a column is.
    [[nodiscard]] QRectF column(int index) const;
    [[nodiscard]] int count() const { return int(history_.size()); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// Another column is pointed at, or another history is shown.
    void pointed();
    void stepOpened(qint64 step);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    // For who cannot see it.
    [[nodiscard]] int partCount() const override { return count(); }
    [[nodiscard]] QString partWords(int part) const override { return describe(part); }
    [[nodiscard]] QRect partArea(int part) const override { return column(part).toRect(); }
    [[nodiscard]] int chosenPart() const override { return current_; }

    [[nodiscard]] QString describe(int index) const;
    [[nodiscard]] QString className(int index) const;
    [[nodiscard]] int columnAt(const QPointF& position) const;
    [[nodiscard]] bool hasRoomForClasses() const;
    void point(int index);
    void paintColumn(QPainter& painter, int index) const;
    void paintSteps(QPainter& painter) const;

    History history_;
    QStringList classNames_;
    std::int64_t shownStep_ = -1;
    int current_ = -1;
};

}  // namespace lockstep::ui
