// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ui/charts/picture/chart_picture.h"
#include "ui/charts/store/column_store.h"
#include "ui/charts/surface/chart_group.h"

namespace lockstep::ui {

/// A chart of growing series that keeps every point and never holds up the UI thread.
///
/// The wheel zooms x at the pointer, and y shows what is to be seen there (with Ctrl, or over the y
/// axis, it zooms y alone); drag selects a part of x, with Ctrl a box; with Space, with Shift or
/// the middle button it pans along x; double click shows all. Keys: + and - zoom, arrows pan, 0
/// shows all, L turns the log scale on and off. No gesture leaves the data behind. A click chooses
/// the mark beneath it.
class LiveChart final : public QWidget {
    Q_OBJECT
public:
    using ValueFormat = std::function<QString(double)>;

    /// Borrows the group; without one the chart makes its own.
    explicit LiveChart(ChartGroup* group = nullptr, QWidget* parent = nullptr);
    ~LiveChart() override;

    [[nodiscard]] ChartGroup& group() const { return *group_; }

    /// Also the accessible name.
    void setTitle(const QString& title);
    [[nodiscard]] QString title() const { return title_; }
    void setUnit(const QString& unit);
    [[nodiscard]] QString unit() const { return unit_; }
    /// How values are written in the readout and by ChartCard; default: four digits.
    void setValueFormat(ValueFormat format);
    [[nodiscard]] QString formatted(double value) const;
    /// Shown while there is no data.
    void setEmptyText(const QString& text);
    /// The y axis reaches down to `low` (0 for rates), and not past `ceiling` (1 for shares) where
    /// no value does.
    void setYBounds(std::optional<double> low, std::optional<double> ceiling);
    void setYFormat(ValueFormat format);
    /// The automatic y axis shows what is usual: for figures whose first or rare values lie far
    /// off, such as times. Their curves leave the plot at the top.
    void setIgnoresOutliers(bool ignores);
    /// False for shares, which say nothing on a log scale.
    void setOffersLogY(bool offers);
    [[nodiscard]] bool offersLogY() const;
    void setLogY(bool logarithmic);
    [[nodiscard]] bool isLogY() const;
    /// Whose newest value newestValue() tells; -1 (the start): the mean's.
    void setHeadlineSeries(int series);

    /// Values of consecutive steps. A step that was there before replaces it and all after it.
    void appendSteps(int series, qint64 firstStep, std::span<const float> values);
    /// As many values as steps, which grow, for figures that come every so many steps. The group
    /// hears of them once.
    void appendPoints(int series, std::span<const qint64> steps, std::span<const float> values);
    /// One of them.
    void appendPoint(int series, qint64 step, float value);
    void clear();

    /// One series' newest value; NaN: none yet.
    [[nodiscard]] float newestValue(int series) const;
    /// The headline series' newest value; without one, that of the mean series, or the mean of the
    /// visible ones.
    [[nodiscard]] float newestValue() const;
    /// What a head says: newestValue() as the mean of the newest steps, where a single one says
    /// little. That of a step which is not finite is not finite.
    void setHeadlineSteps(qint64 steps);
    [[nodiscard]] qint64 headlineSteps() const;
    [[nodiscard]] double headline() const;
    [[nodiscard]] qint64 pointCount() const;

    /// What is on the screen, as a value for other threads: the same ranges, curves and smoothing.
    [[nodiscard]] ChartPicture picture() const;

    /// Everything in x (the whole group) and in y.
    void fit();
    /// Which part of the y axis is shown (log scale: still values).
    [[nodiscard]] AxisRange yRange() const;
    /// The plot in coordinates of this widget.
    [[nodiscard]] QRectF plotArea() const;
    /// True once what is on the screen shows all data and ranges as they are now.
    [[nodiscard]] bool isUpToDate() const;
    /// True once a picture of data is on the screen, of whatever age.
    [[nodiscard]] bool hasPicture() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// At most once a picture, while the chart is visible.
    void newestValueChanged();
    void logYChanged(bool logarithmic);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    class Private;

    void connectSurface();
    void connectGroup();
    void noteGrowth(int series);
    void scheduleRefresh();
    void scheduleGrowth();
    [[nodiscard]] qint64 untilDue(qint64 milliseconds) const;
    void refreshIn(int wait);
    template <typename Value>
    [[nodiscard]] double newestOf(Value valueOf) const;
    void refresh();
    void describe();

    std::unique_ptr<ChartGroup> ownGroup_;
    QPointer<ChartGroup> group_;  ///< A page may destroy it before its charts.
    QString title_;
    QString unit_;
    std::unique_ptr<Private> d_;
};

}  // namespace lockstep::ui
