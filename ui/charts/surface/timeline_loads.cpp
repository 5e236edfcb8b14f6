// SPDX-License-Identifier: GPL-3.0-or-later
// What the hosts are loaded with, beneath the lanes of steps and on their clock.
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/charts/surface/heartbeat_geometry.h"
#include "ui/charts/surface/lane_geometry.h"
#include "ui/charts/surface/timeline_chart.h"
#include "ui/charts/surface/timeline_geometry.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {

constexpr double kWhole = 100;  // percent: of a processor, or a GPU
constexpr double kFill = 0.25;  // of the line's colour
constexpr double kInset = 2;    // pixels between the highest value and the lane above

QString valueText(TimelineChart::Load load, double value) {
    return load == TimelineChart::Load::Memory ? units::bytes(value)
                                               : units::percent(value / kWhole, 0);
}

}  // namespace

void TimelineChart::addLoad(const QString& host, Load load, int source, qint64 time, double value) {
    const auto found = hostIndex_.constFind(host);
    const int index = found != hostIndex_.constEnd() ? *found : int(hosts_.size());
    if (found == hostIndex_.constEnd()) {
        hosts_.push_back({.name = host});
        hostIndex_.insert(host, index);
        for (Host& each : hosts_)  // those that say nothing any more, too
            for (LoadCurve& curve : each.curves)
                curve.keep(loadsPerCurve());
    }
    LoadCurve& curve = hosts_[std::size_t(index)].curves[std::size_t(load)];
    const bool isNew = curve.isEmpty();
    curve.add(source, time, value);
    curve.keep(loadsPerCurve());
    if (isNew && !curve.isEmpty()) matchLoadLanes();
}

std::size_t TimelineChart::loadsPerCurve() const {
    return std::clamp(kMostLoads / std::max<std::size_t>(1, hosts_.size() * kLoads), kLeastLoads,
                      LoadCurve::kMostPoints);
}

std::size_t TimelineChart::loadCount() const {
    std::size_t count = 0;
    for (const Host& host : hosts_)
        for (const LoadCurve& curve : host.curves)
            count += curve.size();
    return count;
}

/// Of a thousand hosts all but the first ones change nothing.
void TimelineChart::matchLoadLanes() {
    std::vector<LoadLane> lanes;
    const bool ofEach = hosts_.size() <= kMostHosts;
    for (int host = ofEach ? 0 : -1; host < (ofEach ? int(hosts_.size()) : 0); ++host)
        for (const Load load : {Load::Processors, Load::Memory, Load::Gpus})
            if (const LoadLane lane{load, host}; !hostsOf(lane).empty()) lanes.push_back(lane);
    if (lanes == loadLanes_) return;
    loadLanes_ = std::move(lanes);
    measureNames();
    updateGeometry();
}

/// Those that have said anything of it.
std::vector<int> TimelineChart::hostsOf(const LoadLane& lane) const {
    std::vector<int> hosts;
    for (int host = 0; host < int(hosts_.size()); ++host)
        if ((lane.host < 0 || lane.host == host) && !curveOf(host, lane.load).isEmpty())
            hosts.push_back(host);
    return hosts;
}

QString TimelineChart::nameOf(const LoadLane& lane) const {
    const QString load = lane.load == Load::Processors ? tr("processors")
                         : lane.load == Load::Memory   ? tr("memory")
                                                       : tr("GPUs");
    if (lane.host < 0 || hosts_.size() == 1) return load;
    return tr("%1, %2").arg(hosts_[std::size_t(lane.host)].name, load);
}

/// The value at the top of the lane.
double TimelineChart::topOf(const LoadLane& lane) const {
    double top = lane.load == Load::Memory ? 1 : kWhole;
    for (const int host : hostsOf(lane))
        top = std::max(top, curveOf(host, lane.load).highest());
    return top;
}

int TimelineChart::loadHeight() const {
    if (!isRoomy_) return kLoadLane;
    const int each = (height() - kAxis - kStepRow) / std::max(1, rows() + loadLaneCount());
    return std::clamp(each, kLoadLane, kRoomyLane);
}

QRectF TimelineChart::loadTrack(int lane) const {
    const QRectF last = track(rows() - 1);
    return {last.left(), last.bottom() + lane * double(loadHeight()), last.width(),
            double(loadHeight())};
}

/// Of all lanes.
double TimelineChart::bottom() const {
    return loadLanes_.empty() ? track(rows() - 1).bottom()
                              : loadTrack(loadLaneCount() - 1).bottom();
}

void TimelineChart::paintLoads(QPainter& painter) const {
    painter.save();
    painter.setFont(isDense() ? smallFont() : font());
    const QFontMetrics metrics = painter.fontMetrics();
    for (int i = 0; i < loadLaneCount(); ++i) {
        const LoadLane& lane = loadLanes_[std::size_t(i)];
        const QRectF area = loadTrack(i);
        const int room = int(area.left()) - kNameGap;
        painter.setPen(Theme::of(this).text);
        painter.drawText(QRectF(0, area.top(), room, area.height()),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(nameOf(lane), Qt::ElideRight, room));
        painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1),
                         Theme::of(this).hairline);
        const std::vector<int> hosts = hostsOf(lane);
        const double top = topOf(lane);
        const QRectF curves = area.adjusted(0, kInset, 0, -1);
        const QSize pixels = (curves.size() * devicePixelRatioF()).toSize();
        if (pixels.isEmpty()) continue;
        QImage picture(pixels, QImage::Format_ARGB32_Premultiplied);
        picture.fill(Qt::transparent);
        for (const int host : hosts)
            paintLoad(picture, curveOf(host, lane.load), top, hosts.size() == 1);
        picture.setDevicePixelRatio(devicePixelRatioF());
        painter.drawImage(curves.topLeft(), picture);
        paintTop(painter, curves, valueText(lane.load, top));
    }
    painter.restore();
}

/// What the lane's upper edge stands for, where there is room to say it.
void TimelineChart::paintTop(QPainter& painter, const QRectF& lane, const QString& words) const {
    const QFontMetrics metrics(smallFont());
    if (lane.height() < metrics.height()) return;
    painter.save();
    painter.setFont(smallFont());
    painter.setPen(Theme::of(this).text);
    painter.drawText(lane.adjusted(0, 0, -kInset, 0), Qt::AlignRight | Qt::AlignTop, words);
    painter.restore();
}

/// By column of pixels, the highest value of it: a peak is seen however much time is shown. Pixel
/// by pixel: a painter's lines, of a thousand hosts, would take seconds.
void TimelineChart::paintLoad(QImage& picture, const LoadCurve& curve, double top,
                              bool isFilled) const {
    const QColor accent = Theme::of(this).accent;
    const QRgb ink = accent.rgb();
    const QRgb ground = mixed(Theme::of(this).surface, accent, kFill).rgb();
    const double each = double(span()) / picture.width();
    const int lowest = picture.height() - 1;
    const auto stride = picture.bytesPerLine() / qsizetype(sizeof(QRgb));
    QRgb* const pixels = reinterpret_cast<QRgb*>(picture.bits());
    std::size_t index = curve.indexAt(shownFrom());
    std::optional<int> before;  // the row of the column to the left
    for (int column = 0; column < picture.width(); ++column) {
        const qint64 from = shownFrom() + qint64(column * each);
        const auto value = curve.within(from, shownFrom() + qint64((column + 1) * each), index);
        if (!value) {
            before.reset();
            continue;
        }
        const int here = std::clamp(lowest - int(std::lround(*value / top * lowest)), 0, lowest);
        const auto [first, last] = std::minmax({here, before.value_or(here)});
        for (int row = first; row <= (isFilled ? lowest : last); ++row)
            pixels[row * stride + column] = row <= last ? ink : ground;
        before = here;
    }
}

QString TimelineChart::describeLoad(const LoadLane& lane, const QPointF& position) const {
    const qint64 from = timeAt(std::floor(position.x()));
    const qint64 to = std::max(from + 1, timeAt(std::floor(position.x()) + 1));
    struct Found {
        int host = 0;
        double value = 0;
    };
    std::vector<Found> found;
    for (const int host : hostsOf(lane)) {
        const LoadCurve& curve = curveOf(host, lane.load);
        std::size_t index = curve.indexAt(from);
        if (const auto value = curve.within(from, to, index)) found.push_back({host, *value});
    }
    if (found.empty()) return {};
    const QString what =
        tr("%1 at %2").arg(nameOf(lane), units::timeOfDay(double(from) / kNanoseconds));
    const auto [least, most] = std::ranges::minmax(found, {}, &Found::value);
    if (found.size() == 1)
        return tr("%1: %2, of at most %3")
            .arg(what, valueText(lane.load, most.value), valueText(lane.load, topOf(lane)));
    return tr("%1: from %2 (%3) to %4 (%5)")
        .arg(what, valueText(lane.load, least.value), hosts_[std::size_t(least.host)].name,
             valueText(lane.load, most.value), hosts_[std::size_t(most.host)].name);
}

}  // namespace lockstep::ui
