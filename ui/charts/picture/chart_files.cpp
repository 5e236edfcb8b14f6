// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/picture/chart_files.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <cmath>

#include "ui/charts/picture/chart_csv.h"

namespace lockstep::ui {

namespace {

constexpr double kPixels = 2;     // of an image, for each of the screen's
constexpr int kUnitsAnInch = 96;  // of what a page is drawn in
constexpr double kPointsAnInch = 72;

QByteArray pngOf(const ChartPicture& picture) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    return imageOf(picture).save(&buffer, "PNG") ? bytes : QByteArray();
}

/// Empty where it cannot be painted there.
QByteArray painted(const ChartPicture& picture, QPaintDevice& device, const QByteArray& bytes) {
    QPainter painter(&device);
    if (!painter.isActive()) return {};
    picture.paint(painter);
    return painter.end() ? bytes : QByteArray();
}

Result<void> refusalOf(const QString& path) {
    return fail(ErrorCode::BadInput,
                QStringLiteral("%1 is no picture or table of a chart: its name ends in neither "
                               ".png, .svg, .pdf nor .csv")
                    .arg(path)
                    .toStdString(),
                "Save it under a name that ends in one of them.");
}

Result<void> unmadeOf(const ChartPicture& picture, const QString& path) {
    const QSize size = picture.size().toSize();
    return fail(ErrorCode::Internal,
                QStringLiteral("the chart, %1 by %2 pixels, cannot be painted for %3")
                    .arg(size.width())
                    .arg(size.height())
                    .arg(path)
                    .toStdString(),
                "Show it smaller, or save it as .csv.");
}

}  // namespace

QImage imageOf(const ChartPicture& picture) {
    const QSizeF size = picture.size();
    QImage image((size * kPixels).toSize(), QImage::Format_ARGB32_Premultiplied);
    if (image.isNull()) return image;
    image.setDevicePixelRatio(kPixels);
    QPainter painter(&image);
    picture.paint(painter);
    return image;
}

QByteArray svgOf(const ChartPicture& picture) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(kUnitsAnInch);
    generator.setSize(picture.size().toSize());
    generator.setViewBox(QRectF({0, 0}, picture.size()));
    generator.setTitle(picture.title);
    return painted(picture, generator, bytes);
}

QByteArray pdfOf(const ChartPicture& picture) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(kUnitsAnInch);
    writer.setPageSize(QPageSize(picture.size() * kPointsAnInch / kUnitsAnInch, QPageSize::Point));
    writer.setPageMargins({0, 0, 0, 0});
    writer.setTitle(picture.title);
    return painted(picture, writer, bytes);
}

Result<void> saveChart(const ChartPicture& picture, const QString& path) {
    const QString ending = QFileInfo(path).suffix().toLower();
    const bool isTable = ending == QLatin1String("csv");
    QByteArray bytes;
    if (ending == QLatin1String("png"))
        bytes = pngOf(picture);
    else if (ending == QLatin1String("svg"))
        bytes = svgOf(picture);
    else if (ending == QLatin1String("pdf"))
        bytes = pdfOf(picture);
    else if (!isTable)
        return refusalOf(path);
    if (!isTable && bytes.isEmpty()) return unmadeOf(picture, path);
    QSaveFile file(path);
    const auto write = [&] {
        return isTable ? writeChartCsv(picture, file) : file.write(bytes) == bytes.size();
    };
    if (file.open(QIODevice::WriteOnly) && write() && file.commit()) return {};
    return fail(ErrorCode::Io,
                QStringLiteral("the chart cannot be saved as %1: %2")
                    .arg(path, file.errorString())
                    .toStdString(),
                "Save it elsewhere, or make room and rights there.");
}

}  // namespace lockstep::ui
