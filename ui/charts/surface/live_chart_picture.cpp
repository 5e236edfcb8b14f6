// SPDX-License-Identifier: GPL-3.0-or-later
// A chart as a value, to be copied and saved.
#include <QFontInfo>
#include <algorithm>
#include <numeric>

#include "ui/charts/surface/live_chart_private.h"
#include "ui/style/theme.h"

namespace lockstep::ui {

namespace {

constexpr QSizeF kLeastPlot(560, 240);
constexpr double kColumns = 2;  // of extents, a pixel of the plot
constexpr qsizetype kMostNames = 24;

/// As large as it is here, whatever the device that it is drawn on.
QFont inPixels(QFont font) {
    font.setPixelSize(QFontInfo(font).pixelSize());
    return font;
}

QString titleOf(XAxis axis) {
    switch (axis) {
        case XAxis::Step:
            break;
        case XAxis::Epoch:
            return LiveChart::tr("Epoch");
        case XAxis::Relative:
            return LiveChart::tr("Time since the first step, without pauses");
        case XAxis::Wall:
            return LiveChart::tr("Time of day");
    }
    return LiveChart::tr("Step");
}

/// Those of the band have one name, and of many others it is said how many there are.
QVector<ChartPicture::Name> legendOf(const ChartPicture& picture) {
    QVector<ChartPicture::Name> names;
    qsizetype usual = 0;
    qsizetype more = 0;
    QColor band;
    for (std::size_t i = 0; i < picture.curves.series.size(); ++i) {
        const LayerSeries& series = picture.curves.series[i];
        if (series.quiet) {
            ++usual;
            band = series.colour;
        } else if (names.size() < kMostNames || series.mean || series.exact) {
            names.append({picture.seriesNames[qsizetype(i)], series.colour});
        } else {
            ++more;
        }
    }
    if (usual > 0) names.append({LiveChart::tr("%1 others").arg(usual), band});
    if (more > 0)
        names.append({LiveChart::tr("and %1 more").arg(more), Theme::light().textSecondary});
    return names;
}

}  // namespace

ChartPicture LiveChart::Private::picture() const {
    ChartPicture result;
    result.title = q.title();
    result.font = inPixels(smallFont());
    result.titleFont = inPixels(strongFont());
    if (q.group_ == nullptr) return result;
    result.yTitle =
        q.unit().isEmpty() ? q.title() : LiveChart::tr("%1 (%2)").arg(q.title(), q.unit());
    result.xTitle = titleOf(q.group_->xAxis());
    result.note = surface->note();
    LayerRequest& curves = result.curves;
    curves.size = surface->plot().size().expandedTo(kLeastPlot);
    curves.ratio = kColumns;
    curves.x = shownX;
    curves.y = y;
    curves.logY = drawnLog;
    std::vector<int> order(columns.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [this](int i) { return rankOf(q.group_->series_[i]); });
    for (const int i : order) {
        if (!isShown(i)) continue;
        curves.series.push_back(layerSeries(i, Theme::light()));
        result.seriesNames << q.group_->series_[i].name;
        if (smoothed.empty()) continue;
        const bool known = std::size_t(i) < smoothed.size();
        result.smoothed.push_back(known ? smoothed[std::size_t(i)] : ColumnView());
    }
    result.legend = legendOf(result);
    result.xTicks = xTicks();
    result.yTicks = yTicks(y);
    for (const ChartSurface::Mark& mark : marksWithin(shownX))
        result.marks.append({mark.x, mark.kind});
    if (!manualY) result.spikes = spikes;
    return result;
}

ChartPicture LiveChart::picture() const {
    return d_->picture();
}

}  // namespace lockstep::ui
