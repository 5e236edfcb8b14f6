// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/ink_column.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/clones.h"

namespace lockstep::ui {

namespace {

constexpr int kFull = 65280;  // of a channel: 255 with eight more bits, and room for rounding

LS_CLONES void layUniform(quint16* __restrict rows, int count, quint16 alpha, quint16 ink) {
    for (int i = 0; i < count; ++i) {
        const auto hidden = quint16((quint32(rows[i]) * alpha) >> 16);
        rows[i] = quint16(rows[i] - hidden + ink);
    }
}

LS_CLONES void layCovered(quint16* __restrict rows, const quint16* __restrict alphas, int count,
                          quint16 colour) {
    for (int i = 0; i < count; ++i) {
        const auto hidden = quint16((quint32(rows[i]) * alphas[i]) >> 16);
        const auto ink = quint16((quint32(colour) * alphas[i]) >> 16);
        rows[i] = quint16(rows[i] - hidden + ink);
    }
}

LS_CLONES void toAlphas(const float* __restrict coverage, quint16* __restrict alphas, int count,
                        float alpha) {
    for (int i = 0; i < count; ++i)
        alphas[i] = quint16(int(coverage[i] * alpha));
}

LS_CLONES void packRows(const quint16* __restrict blue, const quint16* __restrict green,
                        const quint16* __restrict red, const quint16* __restrict full,
                        quint32* __restrict pixels, int count) {
    for (int i = 0; i < count; ++i) {
        const quint32 half = 128;
        pixels[i] = (full[i] + half) >> 8 << 24 | (red[i] + half) >> 8 << 16 |
                    (green[i] + half) >> 8 << 8 | (blue[i] + half) >> 8;
    }
}

quint16 inkOf(quint16 channel, quint16 alpha) {
    return quint16((quint32(channel) * alpha) >> 16);
}

}  // namespace

Ink::Ink(const QColor& colour)
    : channels{quint16(colour.blue() << 8), quint16(colour.green() << 8),
               quint16(colour.red() << 8), quint16(kFull)},
      alpha(quint16(std::lround(colour.alphaF() * 65535.0F))) {}

InkColumn::InkColumn(int height)
    : height_(height), planes_(std::size_t(height) * 4), alphas_(std::size_t(height)) {}

void InkColumn::clear() {
    if (clean_) return;
    std::fill(planes_.begin(), planes_.end(), quint16(0));
    clean_ = true;
}

void InkColumn::row(int y, float coverage, const Ink& ink) {
    const auto alpha = quint16(coverage * float(ink.alpha));
    for (std::size_t i = 0; i < 4; ++i)
        layUniform(channel(i, y), 1, alpha, inkOf(ink.channels[i], alpha));
}

void InkColumn::span(float top, float bottom, const Ink& ink) {
    top = std::max(top, 0.0F);
    bottom = std::min(bottom, float(height_));
    if (!(top < bottom)) return;
    clean_ = false;
    const int first = int(top);
    const int last = std::min(height_ - 1, int(bottom));
    if (first == last) {
        row(first, bottom - top, ink);
        return;
    }
    row(first, float(first + 1) - top, ink);
    for (std::size_t i = 0; i < 4; ++i)
        layUniform(channel(i, first + 1), last - first - 1, ink.alpha,
                   inkOf(ink.channels[i], ink.alpha));
    row(last, bottom - float(last), ink);
}

void InkColumn::covered(int first, std::span<const float> coverage, const Ink& ink) {
    if (coverage.empty()) return;
    clean_ = false;
    const int count = int(coverage.size());
    toAlphas(coverage.data(), alphas_.data(), count, ink.alpha);
    for (std::size_t i = 0; i < 4; ++i)
        layCovered(channel(i, first), alphas_.data(), count, ink.channels[i]);
}

void InkColumn::pack(std::span<quint32> pixels) const {
    const auto plane = [this](std::size_t index) {
        return planes_.data() + index * std::size_t(height_);
    };
    packRows(plane(0), plane(1), plane(2), plane(3), pixels.data(), height_);
}

}  // namespace lockstep::ui
