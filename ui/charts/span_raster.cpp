// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/span_raster.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

SpanRaster::SpanRaster(int width, int height)
    : width_(width), height_(height), columns_(std::size_t(width) * std::size_t(height), 0) {}

void SpanRaster::blend(quint32& pixel, const QColor& colour, double coverage) const {
    const int alpha = int(std::lround(colour.alpha() * coverage));
    if (alpha <= 0) return;
    const auto over = [alpha](int top, int under) {
        return quint32((top * alpha + under * (255 - alpha) + 127) / 255);
    };
    pixel = over(255, qAlpha(pixel)) << 24 | over(colour.red(), qRed(pixel)) << 16 |
            over(colour.green(), qGreen(pixel)) << 8 | over(colour.blue(), qBlue(pixel));
}

void SpanRaster::span(int x, double top, double bottom, const QColor& colour) {
    top = std::max(top, 0.0);
    bottom = std::min(bottom, double(height_));
    if (!(top < bottom) || x < 0 || x >= width_) return;
    touched_ = true;
    quint32* column = columns_.data() + std::size_t(x) * std::size_t(height_);
    const int first = int(top);
    const int last = std::min(height_ - 1, int(bottom));
    if (first == last) {
        blend(column[first], colour, bottom - top);
        return;
    }
    blend(column[first], colour, first + 1 - top);
    if (colour.alpha() == 255)
        std::fill(column + first + 1, column + last, colour.rgba());
    else {
        for (int y = first + 1; y < last; ++y)
            blend(column[y], colour, 1);
    }
    blend(column[last], colour, bottom - last);
}

QImage SpanRaster::finish() const {
    constexpr int kTile = 16;  // both sides of a tile stay in the first-level cache
    QImage image(width_, height_, QImage::Format_ARGB32_Premultiplied);
    for (int left = 0; left < width_; left += kTile) {
        for (int top = 0; top < height_; top += kTile) {
            const int right = std::min(width_, left + kTile);
            const int bottom = std::min(height_, top + kTile);
            for (int y = top; y < bottom; ++y) {
                auto* line = reinterpret_cast<quint32*>(image.scanLine(y));
                const quint32* source = columns_.data() + y;
                for (int x = left; x < right; ++x) {
                    line[x] = source[std::size_t(x) * std::size_t(height_)];
                }
            }
        }
    }
    return image;
}

}  // namespace lockstep::ui
