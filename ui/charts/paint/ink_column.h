// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QtGlobal>
#include <array>
#include <span>
#include <vector>

namespace lockstep::ui {

/// A colour as InkColumn lays it under others.
struct Ink {
    explicit Ink(const QColor& colour);

    std::array<quint16, 3> channels;  ///< Blue, green, red; 65535 is the most.
    quint16 alpha;                    ///< 65535 hides what is behind.
};

/// Rows [first, last).
struct RowRange {
    int first = 0;
    int last = 0;

    [[nodiscard]] bool isEmpty() const { return first >= last; }
};

/// One column of pixels on which strokes are laid under each other, from the front to the back: of
/// a hundred curves one over another only the first few are ever seen, and rows that are covered
/// for good are left out. Each channel has its own row of 16-bit numbers, on which the processor
/// works many at a time, and which do not wear down where a hundred faint strokes meet.
class InkColumn {
public:
    explicit InkColumn(int height);

    void clear();
    /// Lays ink from `top` to `bottom` (rows, with fractions; may lie outside).
    void span(float top, float bottom, const Ink& ink);
    /// Lays ink on the rows from `first` on, which all lie inside: 0 leaves a row, 1 covers it.
    void covered(int first, std::span<const float> coverage, const Ink& ink);
    /// On these rows what is laid any more would change a channel by half a level at most.
    [[nodiscard]] RowRange hidden() const { return hidden_; }
    /// Premultiplied ARGB of every row.
    void pack(std::span<quint32> pixels) const;

private:
    enum Plane : std::size_t { kBlue, kGreen, kRed, kThrough, kPlanes };

    [[nodiscard]] quint16* row(Plane plane, int row) {
        return planes_.data() + plane * std::size_t(height_) + row;
    }
    void layUniform(RowRange rows, quint16 alpha, const Ink& ink);
    void layCovered(RowRange rows, const float* coverage, const Ink& ink);
    /// What of `rows` still shows: above and below what is hidden.
    [[nodiscard]] std::array<RowRange, 2> showing(RowRange rows) const;
    /// `within`: a row in the middle of what was laid.
    void growHidden(int within);

    int height_;
    bool clean_ = false;
    RowRange hidden_;
    std::vector<quint16> planes_;  ///< What shines through is the last one.
    std::vector<quint16> alphas_;
};

}  // namespace lockstep::ui
