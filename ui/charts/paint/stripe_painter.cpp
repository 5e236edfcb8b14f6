// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/paint/stripe_painter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

namespace lockstep::ui {

namespace {

using Spans = std::array<ColumnSpan, kStripeColumns>;

// Far outside values would wear down the precision of what is near.
constexpr double kFarOutside = 30'000;

/// A curve of extents in the stripe.
struct Band {
    const Curve* curve;
    Spans spans;
};

/// A curve of lines in the stripe.
struct Line {
    const Curve* curve;
    LineCoverage coverage;
};

class Stripe {
public:
    Stripe(int first, const StripeTarget& target)
        : first_(first),
          columns_(std::min(kStripeColumns, target.size.width() - first)),
          target_(target),
          ink_(target.size.height()),
          scratch_(std::size_t(target.size.height())),
          packed_(std::size_t(columns_) * std::size_t(target.size.height())) {}

    void paint(std::span<const Curve> curves) {
        bands_.reserve(curves.size());
        lines_.reserve(curves.size());
        for (const Curve& curve : curves)
            if (curve.sparse) addLine(curve);
        addBands(curves);
        for (int column = 0; column < columns_; ++column)
            paintColumn(column);
        turn();
    }

private:
    void addBands(std::span<const Curve> curves) {
        // While one curve is looked at, memory is asked for the next one.
        const Curve* curve = nullptr;
        std::vector<qint64> edges;
        for (const Curve& next : curves) {
            if (next.sparse) continue;
            std::vector<qint64> ahead = next.place.edges(first_, std::size_t(columns_));
            if (curve != nullptr) addBand(*curve, edges);
            curve = &next;
            edges = std::move(ahead);
        }
        if (curve != nullptr) addBand(*curve, edges);
    }

    void addBand(const Curve& curve, std::span<const qint64> edges) {
        Band& band = bands_.emplace_back(Band{&curve, {}});
        const auto spans = std::span(band.spans).first(std::size_t(columns_));
        curve.place.spans(first_, edges, spans);
        if (!curve.reportsHoles) return;
        for (int i = 0; i < columns_; ++i)
            if (spans[std::size_t(i)].nonFinite)
                target_.holes[std::size_t(first_) + std::size_t(i)] = 1;
    }

    void addLine(const Curve& curve) {
        const ColumnView& values = curve.place.values();
        const double margin = double(std::max(curve.halfWidth, curve.dotRadius)) + 1;
        const qint64 begin = std::max<qint64>(0, curve.place.indexAt(first_ - margin) - 1);
        const qint64 end =
            std::min(values.size(), curve.place.indexAt(first_ + columns_ + margin) + 1);
        std::vector<LinePoint> points;
        // One more on the left tells whether the first one has a neighbour.
        for (qint64 i = std::max<qint64>(0, begin - 1); i < end; ++i) {
            const double x = curve.place.xOf(i);
            const double y = curve.place.yOf(values.at(i));
            const bool isHole = !std::isfinite(values.at(i));
            if (isHole && curve.reportsHoles && x >= first_ && x < first_ + columns_)
                target_.holes[std::size_t(x)] = 1;
            points.push_back(
                {float(x), float(std::isfinite(y) ? std::clamp(y, -kFarOutside, kFarOutside) : y)});
        }
        const LineCoverage::Style style{curve.halfWidth, curve.dotRadius, curve.dotted};
        lines_.push_back({&curve, LineCoverage(points, style, target_.size.height())});
    }

    void paintColumn(int column) {
        ink_.clear();
        // From the front to the back: lines, then bands.
        for (Line& line : lines_ | std::views::reverse) {
            const LineCoverage::Rows rows =
                line.coverage.column(first_ + column, ink_.hidden(), scratch_);
            ink_.covered(rows.first, rows.coverage, line.curve->ink);
        }
        for (const Band& band : bands_ | std::views::reverse) {
            const ColumnSpan& span = band.spans[std::size_t(column)];
            const float half = band.curve->halfWidth;
            if (!span.isEmpty()) ink_.span(span.top - half, span.bottom + half, band.curve->ink);
        }
        const auto height = std::size_t(target_.size.height());
        ink_.pack(std::span(packed_).subspan(std::size_t(column) * height, height));
    }

    /// From columns to the rows of the picture.
    void turn() const {
        const auto height = std::size_t(target_.size.height());
        const quint32* source = packed_.data();
        quint32* row = target_.pixels + first_;
        for (std::size_t y = 0; y < height; ++y, row += target_.stride) {
            for (std::size_t x = 0; x < std::size_t(columns_); ++x)
                row[x] = source[x * height + y];
        }
    }

    int first_;
    int columns_;
    const StripeTarget& target_;
    InkColumn ink_;
    std::vector<float> scratch_;
    std::vector<quint32> packed_;
    std::vector<Band> bands_;
    std::vector<Line> lines_;
};

}  // namespace

void paintStripe(std::span<const Curve> curves, int first, const StripeTarget& target) {
    Stripe(first, target).paint(curves);
}

}  // namespace lockstep::ui
