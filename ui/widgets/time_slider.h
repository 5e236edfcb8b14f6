// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVector>
#include <QWidget>

#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"

namespace lockstep::ui {

/// A stretch of time with marks on it, and the place that is shown; its right end is now. Dragging
/// chooses a time; a click on a mark, the mark. Left and Right ask for another step, Page Up and
/// Page Down move by a twentieth, Home and End go to the ends.
class TimeSlider final : public QWidget, public AccessibleFigure {
    Q_OBJECT
public:
    enum class Shape { Tick, Dot, Ring, Diamond, Triangle, Cross };
    /// Something that happened. Shapes tell kinds apart, not colours alone.
    struct Mark {
        double seconds = 0;
        Shape shape = Shape::Tick;
        Tone tone = Tone::Neutral;
        QString words;  ///< For its tool tip.
        int id = -1;    ///< Whoever made it knows it by this.
    };

    explicit TimeSlider(QWidget* parent = nullptr);

    /// From 0 to `seconds`. The place stays where it is in time, or at the end.
    void setSeconds(double seconds);
    [[nodiscard]] double seconds() const { return seconds_; }
    void setMarks(QVector<Mark> marks);
    [[nodiscard]] const QVector<Mark>& marks() const { return marks_; }
    /// What is shown; at the end: now. Says nothing to who listens.
    void setPlace(double seconds);
    [[nodiscard]] double place() const { return place_; }
    /// The mark under a point; -1: none.
    [[nodiscard]] int markAt(const QPointF& point) const;
    [[nodiscard]] qreal xAt(double seconds) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The user wants to see another time.
    void wanted(double seconds);
    /// A click on a mark: its place among marks().
    void markChosen(int mark);
    /// -1: the step before, 1: the next one.
    void stepWanted(int direction);
    /// The right end: now.
    void endWanted();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    // For who cannot see it: seconds of the run.
    [[nodiscard]] double figure() const override { return place_; }
    [[nodiscard]] double figureLimit() const override { return seconds_; }
    void wantFigure(double seconds) override { want(seconds); }

    [[nodiscard]] double secondsAt(qreal x) const;
    void want(double seconds);
    void moveHandle();
    void paintMark(QPainter& painter, const Mark& mark, const Theme& theme) const;

    QVector<Mark> marks_;
    double seconds_ = 0;
    double place_ = 0;
    bool isDragged_ = false;
};

}  // namespace lockstep::ui
