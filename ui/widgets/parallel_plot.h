// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPolygonF>
#include <QSet>
#include <QTimer>
#include <QVector>
#include <QWidget>
#include <optional>

namespace lockstep::ui {

/// Parallel coordinates: an axis for each property, a line for each thing that has them. A click
/// takes the line that is nearest, a drag along an axis all lines that pass there; ranges of
/// several axes hold together. Left and right move between axes, up and down through the lines in
/// the order of the axis, Space takes a line or lets it go, Escape gives all ranges up.
class ParallelPlot final : public QWidget {
    Q_OBJECT
public:
    struct Tick {
        double place = 0;  ///< 0: the axis' low end, 1: its high end.
        QString words;
        bool operator==(const Tick&) const = default;
    };
    struct Axis {
        QString title;
        bool isLogarithmic = false;
        QVector<Tick> ticks;     ///< From the low end up.
        QVector<double> places;  ///< Of each line; NaN: it has none here, and is broken.
    };

    explicit ParallelPlot(QWidget* parent = nullptr);

    /// `names`: of each line, for tool tips and screen readers. `coloured`: the axis whose places
    /// colour the lines, from pale to strong; -1: all are alike. Ranges are kept while the axes
    /// have the same titles, and the same places.
    void setAxes(QVector<Axis> axes, QStringList names, int coloured);
    /// The lines that stand out. Ranges in which other lines lie are given up.
    void setChosen(const QSet<int>& lines);
    [[nodiscard]] const QSet<int>& chosen() const { return chosen_; }
    [[nodiscard]] int axisCount() const { return int(axes_.size()); }
    [[nodiscard]] int lineCount() const { return int(names_.size()); }
    /// Where a line crosses an axis, in the widget; empty: nowhere.
    [[nodiscard]] std::optional<QPointF> crossing(int line, int axis) const;
    /// What is told of the line under the pointer or of the keyboard; empty: there is none.
    [[nodiscard]] QString readout() const;

    QSize sizeHint() const override { return {640, 320}; }
    QSize minimumSizeHint() const override { return {320, 200}; }

Q_SIGNALS:
    /// By the user; whoever hears it says setChosen().
    void chosenByUser(const QSet<int>& lines);
    void opened(int line);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Range {
        double low = 0;
        double high = 1;
    };

    [[nodiscard]] QRectF plot() const;
    [[nodiscard]] qreal axisX(int axis) const;
    [[nodiscard]] double placeAt(qreal y) const;
    [[nodiscard]] int axisAt(const QPointF& position) const;
    [[nodiscard]] int lineAt(const QPointF& position) const;
    [[nodiscard]] bool isInRanges(int line) const;
    [[nodiscard]] bool hasRanges() const;
    [[nodiscard]] QSet<int> linesInRanges() const;
    [[nodiscard]] QVector<QPolygonF> pieces(int line) const;
    [[nodiscard]] QColor colourOf(int line) const;
    void paintAxis(QPainter& painter, int axis) const;
    void paintLine(QPainter& painter, int line, bool stands) const;
    void chooseRanges();
    void clearRanges();
    void forgetRanges();
    void moveCurrent(int steps);
    void setCurrent(int line);

    QVector<Axis> axes_;
    QVector<std::optional<Range>> ranges_;
    QStringList names_;
    QSet<int> chosen_;
    int coloured_ = -1;
    int hovered_ = -1;
    int currentAxis_ = 0;
    int dragged_ = -1;  ///< The axis along which a range is drawn.
    QPointF pressed_;
    QTimer beat_;  ///< While a range is drawn: whoever hears of it has more to do than the plot.
};

}  // namespace lockstep::ui
