// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/paint/ink_column.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/paint/clones.h"

namespace lockstep::ui {

namespace {

constexpr int kFull = 65280;  // of a channel: 255 with eight more bits, and room for rounding
constexpr int kSpent = 128;   // what shines through changes a channel by less than half a level

/// Sixteen-bit numbers of each row.
struct Planes {
    quint16* __restrict blue;
    quint16* __restrict green;
    quint16* __restrict red;
    quint16* __restrict through;
};

quint16 part(quint16 whole, quint16 share) {
    return quint16((quint32(whole) * share) >> 16);
}

LS_CLONES void uniform(const Planes& planes, int count, quint16 alpha, const Ink& ink) {
    const auto [blue, green, red, through] = planes;
    const auto [b, g, r] = ink.channels;
    for (int i = 0; i < count; ++i) {
        const quint16 seen = part(through[i], alpha);
        through[i] = quint16(through[i] - seen);
        blue[i] = quint16(blue[i] + part(b, seen));
        green[i] = quint16(green[i] + part(g, seen));
        red[i] = quint16(red[i] + part(r, seen));
    }
}

LS_CLONES void covering(const Planes& planes, const quint16* __restrict alphas, int count,
                        const Ink& ink) {
    const auto [blue, green, red, through] = planes;
    const auto [b, g, r] = ink.channels;
    for (int i = 0; i < count; ++i) {
        const quint16 seen = part(through[i], alphas[i]);
        through[i] = quint16(through[i] - seen);
        blue[i] = quint16(blue[i] + part(b, seen));
        green[i] = quint16(green[i] + part(g, seen));
        red[i] = quint16(red[i] + part(r, seen));
    }
}

LS_CLONES void toAlphas(const float* __restrict coverage, quint16* __restrict alphas, int count,
                        float alpha) {
    for (int i = 0; i < count; ++i)
        alphas[i] = quint16(int(coverage[i] * alpha));
}

LS_CLONES void packRows(const quint16* __restrict blue, const quint16* __restrict green,
                        const quint16* __restrict red, const quint16* __restrict through,
                        quint32* __restrict pixels, int count) {
    for (int i = 0; i < count; ++i) {
        const quint32 half = 128;
        pixels[i] = (kFull - through[i] + half) >> 8 << 24 | (red[i] + half) >> 8 << 16 |
                    (green[i] + half) >> 8 << 8 | (blue[i] + half) >> 8;
    }
}

}  // namespace

Ink::Ink(const QColor& colour)
    : channels{quint16(colour.blue() * 257), quint16(colour.green() * 257),
               quint16(colour.red() * 257)},
      alpha(quint16(std::lround(colour.alphaF() * 65535.0F))) {}

InkColumn::InkColumn(int height)
    : height_(height), planes_(std::size_t(height) * kPlanes), alphas_(std::size_t(height)) {
    clear();
}

void InkColumn::clear() {
    if (clean_) return;
    const auto through = planes_.begin() + qsizetype(kThrough) * height_;
    std::fill(planes_.begin(), through, quint16(0));
    std::fill(through, planes_.end(), quint16(kFull));
    hidden_ = {};
    clean_ = true;
}

std::array<RowRange, 2> InkColumn::showing(RowRange rows) const {
    if (hidden_.isEmpty()) return {rows, RowRange{}};
    return {RowRange{rows.first, std::min(rows.last, hidden_.first)},
            RowRange{std::max(rows.first, hidden_.last), rows.last}};
}

void InkColumn::layUniform(RowRange rows, quint16 alpha, const Ink& ink) {
    for (const RowRange seen : showing(rows)) {
        if (seen.isEmpty()) continue;
        uniform({row(kBlue, seen.first), row(kGreen, seen.first), row(kRed, seen.first),
                 row(kThrough, seen.first)},
                seen.last - seen.first, alpha, ink);
    }
}

void InkColumn::layCovered(RowRange rows, const float* coverage, const Ink& ink) {
    const int count = rows.last - rows.first;
    toAlphas(coverage, alphas_.data(), count, ink.alpha);
    covering({row(kBlue, rows.first), row(kGreen, rows.first), row(kRed, rows.first),
              row(kThrough, rows.first)},
             alphas_.data(), count, ink);
}

void InkColumn::growHidden(int within) {
    const quint16* through = row(kThrough, 0);
    if (hidden_.isEmpty()) {
        if (through[within] >= kSpent) return;
        hidden_ = {within, within + 1};
    }
    while (hidden_.first > 0 && through[hidden_.first - 1] < kSpent)
        --hidden_.first;
    while (hidden_.last < height_ && through[hidden_.last] < kSpent)
        ++hidden_.last;
}

void InkColumn::span(float top, float bottom, const Ink& ink) {
    top = std::max(top, 0.0F);
    bottom = std::min(bottom, float(height_));
    if (!(top < bottom)) return;
    clean_ = false;
    const int first = int(top);
    const int last = std::min(height_ - 1, int(bottom));
    if (first >= hidden_.first && last < hidden_.last) return;
    const auto partly = [&ink](float coverage) { return quint16(coverage * float(ink.alpha)); };
    if (first == last) {
        layUniform({first, first + 1}, partly(bottom - top), ink);
    } else {
        layUniform({first, first + 1}, partly(float(first + 1) - top), ink);
        layUniform({first + 1, last}, ink.alpha, ink);
        layUniform({last, last + 1}, partly(bottom - float(last)), ink);
    }
    growHidden((first + last) / 2);
}

void InkColumn::covered(int first, std::span<const float> coverage, const Ink& ink) {
    if (coverage.empty()) return;
    clean_ = false;
    const RowRange rows{first, first + int(coverage.size())};
    for (const RowRange seen : showing(rows))
        if (!seen.isEmpty()) layCovered(seen, coverage.data() + (seen.first - first), ink);
    growHidden((rows.first + rows.last) / 2);
}

void InkColumn::pack(std::span<quint32> pixels) const {
    const auto plane = [this](Plane index) {
        return planes_.data() + index * std::size_t(height_);
    };
    packRows(plane(kBlue), plane(kGreen), plane(kRed), plane(kThrough), pixels.data(), height_);
}

}  // namespace lockstep::ui
