// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QImage>
#include <vector>

namespace lockstep::ui {

/// Vertical spans with fractional ends, laid over each other. The memory is column-major, so that
/// a span is one contiguous write; finish() turns it.
class SpanRaster {
public:
    /// In device pixels.
    SpanRaster(int width, int height);

    /// Draws column `x` from `top` to `bottom` (top <= bottom, may lie outside).
    void span(int x, double top, double bottom, const QColor& colour);
    /// True once something was drawn.
    [[nodiscard]] bool isTouched() const { return touched_; }
    [[nodiscard]] QImage finish() const;

private:
    void blend(quint32& pixel, const QColor& colour, double coverage) const;

    int width_;
    int height_;
    bool touched_ = false;
    std::vector<quint32> columns_;  ///< Premultiplied ARGB, height_ of them a column.
};

}  // namespace lockstep::ui
