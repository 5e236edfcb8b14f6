// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/picture/chart_csv.h"

#include <QDateTime>
#include <QIODevice>
#include <array>
#include <charconv>
#include <cmath>

#include "ui/charts/paint/curve_place.h"

namespace lockstep::ui {

namespace {

constexpr qsizetype kPiece = 1 << 20;  // bytes that are written at once

/// A name as a field (RFC 4180).
QByteArray field(const QString& name) {
    QByteArray text = name.toUtf8();
    if (!text.contains(',') && !text.contains('"') && !text.contains('\n')) return text;
    text.replace('"', "\"\"");
    return '"' + text + '"';
}

/// The shortest text that reads as the same value.
void append(QByteArray& line, float value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    line.append(text.data(), end - text.data());
}

struct Part {
    qint64 first = 0;
    qint64 last = 0;  ///< Behind it.
};

/// The points of a series that lie in the range, its edges among them.
Part partOf(const ChartPicture& picture, const LayerSeries& series) {
    const int width = 1000;  // of a picture that is not drawn
    const CurvePlace place(picture.curves, series, series.values, {width, width});
    Part part{place.indexAt(0), place.indexAt(width)};
    while (part.last < series.values.size() && place.xOf(part.last) <= width)
        ++part.last;
    return part;
}

/// Its epoch and both times, each with a comma behind it.
void appendPlaces(QByteArray& line, const XScale& scale, qint64 step) {
    if (scale.stepsPerEpoch > 0)
        line += QByteArray::number(double(step) / scale.stepsPerEpoch, 'g', 10);
    line += ',';
    if (scale.times.size() == 0) {
        line += ',';
        line += ',';
        return;
    }
    const double running = scale.times.atStep(step, TimeView::Clock::Running);
    line += QByteArray::number(running - scale.runningOrigin, 'f', 3);
    line += ',';
    const auto time = qint64(std::llround(scale.times.atStep(step) * 1e3));
    line += QDateTime::fromMSecsSinceEpoch(time, Qt::UTC).toString(Qt::ISODateWithMs).toLatin1();
    line += ',';
}

}  // namespace

qint64 pointsOf(const ChartPicture& picture) {
    qint64 points = 0;
    for (const LayerSeries& series : picture.curves.series) {
        const Part part = partOf(picture, series);
        points += part.last - part.first;
    }
    return points;
}

bool writeChartCsv(const ChartPicture& picture, QIODevice& device) {
    QByteArray text = "series,step,epoch,seconds,time,value\n";
    for (std::size_t i = 0; i < picture.curves.series.size(); ++i) {
        const LayerSeries& series = picture.curves.series[i];
        const QByteArray name = field(picture.seriesNames[qsizetype(i)]);
        const Part part = partOf(picture, series);
        for (qint64 index = part.first; index < part.last; ++index) {
            const qint64 step = series.values.stepAt(index);
            text += name + ',' + QByteArray::number(step) + ',';
            appendPlaces(text, series.scale, step);
            append(text, series.values.at(index));
            text += '\n';
            if (text.size() < kPiece) continue;
            if (device.write(text) != text.size()) return false;
            text.clear();
        }
    }
    return device.write(text) == text.size();
}

}  // namespace lockstep::ui
