// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCategoryAxis>
#include <QChartView>
#include <optional>

#include "ui/charts/paint/axis_mark.h"
#include "ui/charts/paint/layer.h"
#include "ui/charts/paint/ticks.h"
#include "ui/charts/surface/readout.h"

namespace lockstep::ui {

/// Frame, axes and grid by Qt Charts, the curves' picture over the plot, and the gestures, told
/// in fractions of the plot (0, 0 at its lower left). Knows neither data nor series.
class ChartSurface final : public QChartView {
    Q_OBJECT
public:
    explicit ChartSurface(QWidget* parent);

    /// Marks without a label, where each axis has them.
    struct MinorTicks {
        QVector<double> x;
        QVector<double> y;
    };
    void setAxes(AxisRange x, const QVector<Tick>& xTicks, AxisRange y, const QVector<Tick>& yTicks,
                 const MinorTicks& minor);
    /// A mark of the axis where it is drawn.
    struct Mark {
        double x = 0;  ///< In units of the axis.
        AxisMark::Kind kind = AxisMark::Kind::Epoch;
        std::optional<double> y{};  ///< Given: where a ring is, as the y axis is drawn.
    };
    void setMarks(QVector<Mark> marks);
    void setLayer(const RenderedLayer& layer);
    /// Said at the top of the plot, of what lies above it; empty: nothing is.
    void setNote(const QString& note);
    [[nodiscard]] const QString& note() const { return note_; }
    /// Said at one side of a plot that shows nothing: what lies beyond it; empty: nothing is. A
    /// click on the words wants to be there.
    void setElsewhere(const QString& words, bool isRight);
    [[nodiscard]] const QString& elsewhere() const { return elsewhere_; }
    [[nodiscard]] QRectF elsewhereArea() const;
    void setReadout(const std::optional<Readout>& readout);
    [[nodiscard]] const std::optional<Readout>& readout() const { return readout_; }
    /// A click at the pointer's place does something.
    void setClickable(bool clickable);
    /// Instead of curves; empty: there are curves.
    void setEmptyText(const QString& text);
    void refreshColours();

    /// In coordinates of this widget, on whole pixels.
    [[nodiscard]] QRectF plot() const { return plot_; }
    /// Whether there is room for a picture: not before the widget is laid out.
    [[nodiscard]] bool hasPlot() const { return plot_.width() > 1 && plot_.height() > 1; }

Q_SIGNALS:
    /// Factors above 1 come nearer; 1 leaves that axis alone.
    void zoomed(const QPointF& at, double factorX, double factorY);
    void panned(double right, double up);
    /// From one place of the x axis to another.
    void ranged(double first, double last);
    void boxed(const QRectF& box);
    /// A range or a box is being drawn: what is below it should stay.
    void drawing();
    void fitWanted();
    void logToggleWanted();
    void resized();
    void pointedAt(std::optional<QPointF> at);
    void clicked(const QPointF& at);
    void elsewhereWanted();

protected:
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    enum class Gesture { None, Range, Box, Pan };

    [[nodiscard]] QPointF fractionAt(const QPointF& position) const;
    [[nodiscard]] QRectF boxUnderDrag() const;
    [[nodiscard]] bool isWithinReach(const QPointF& position) const;
    void holdSpace(bool held);
    void showCursor();
    void layOut();
    static void replaceTicks(QCategoryAxis& axis, const QVector<Tick>& ticks, AxisRange range);
    void paintLayer(QPainter& painter) const;
    void paintSpikes(QPainter& painter) const;
    void paintNote(QPainter& painter) const;
    void paintElsewhere(QPainter& painter) const;
    void paintMinorTicks(QPainter& painter) const;
    void paintMarkAt(QPainter& painter, const Mark& mark) const;
    void paintEmptyText(QPainter& painter) const;

    QCategoryAxis* xAxis_;
    QCategoryAxis* yAxis_;
    AxisRange x_{0, 1};
    AxisRange y_{0, 1};
    MinorTicks minor_;
    QVector<Mark> marks_;
    qreal labelWidth_ = 0;
    QRectF plot_;
    RenderedLayer layer_;
    std::optional<Readout> readout_;
    QString emptyText_;
    QString note_;
    QString elsewhere_;
    bool elsewhereIsRight_ = false;
    Gesture gesture_ = Gesture::None;
    bool spaceHeld_ = false;
    bool clickable_ = false;
    bool isOverWords_ = false;
    Qt::MouseButton held_ = Qt::NoButton;  ///< Of the gesture.
    bool hasDragged_ = false;              ///< Once further than a click does.
    QPointF pressedAt_;
    QPointF draggedTo_;
};

}  // namespace lockstep::ui
