// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QtGlobal>
#include <array>
#include <span>
#include <vector>

namespace lockstep::ui {

/// A colour as InkColumn lays it over another.
struct Ink {
    explicit Ink(const QColor& colour);

    std::array<quint16, 4> channels;  ///< Blue, green, red, full; 65280 is the most.
    quint16 alpha;                    ///< 65535 hides what is behind.
};

/// One column of pixels on which strokes are laid over each other, from the back to the front.
/// Each channel has its own row of 16-bit numbers, on which the processor works many at a time,
/// and which do not wear down where a hundred faint strokes meet.
class InkColumn {
public:
    explicit InkColumn(int height);

    void clear();
    /// Lays ink from `top` to `bottom` (rows, with fractions; may lie outside).
    void span(float top, float bottom, const Ink& ink);
    /// Lays ink on the rows from `first` on, which all lie inside: 0 leaves a row, 1 covers it.
    void covered(int first, std::span<const float> coverage, const Ink& ink);
    /// Premultiplied ARGB of every row.
    void pack(std::span<quint32> pixels) const;

private:
    [[nodiscard]] quint16* channel(std::size_t index, int row) {
        return planes_.data() + index * std::size_t(height_) + row;
    }
    void row(int y, float coverage, const Ink& ink);

    int height_;
    bool clean_ = false;
    std::vector<quint16> planes_;
    std::vector<quint16> alphas_;
};

}  // namespace lockstep::ui
