// SPDX-License-Identifier: Apache-2.0
#include "core/data/digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>
#include <thread>

#include "core/base/rng.h"
#include "core/base/thread.h"
#include "core/data/digit_strokes.h"

namespace lockstep::data {

namespace {

// Only + - * / and sqrt below, which IEEE 754 rounds alike everywhere: the pixels are the same on
// every processor. That is why there is no sin, exp or log.

constexpr std::uint64_t kSeed = 0x1998'0028'0028'000A;
constexpr int kSplinePieces = 5;
constexpr float kSide = static_cast<float>(kDigitsSide);

using Canvas = std::array<float, static_cast<std::size_t>(kDigitsSide) * kDigitsSide>;

/// Bell-shaped with mean 0 and deviation 1, within +-3.5: the sum of four uniform numbers.
float bell(CounterRng& rng) {
    const float sum = rng.nextFloat() + rng.nextFloat() + rng.nextFloat() + rng.nextFloat();
    return (sum - 2.0F) * 1.7320508F;
}

/// How one writer deforms the paper: displacements at 3 x 3 places, smooth between them.
class Warp {
public:
    Warp(CounterRng& rng, float strength) {
        for (PenPoint& point : grid_)
            point = {strength * bell(rng), strength * bell(rng)};
    }
    [[nodiscard]] PenPoint apply(PenPoint point) const {
        const float gridX = std::clamp(point.x, 0.0F, 0.999F) * 2;
        const float gridY = std::clamp(point.y, 0.0F, 0.999F) * 2;
        const auto column = static_cast<std::size_t>(gridX);
        const auto row = static_cast<std::size_t>(gridY);
        const float right = smooth(gridX - static_cast<float>(column));
        const float below = smooth(gridY - static_cast<float>(row));
        const PenPoint upper = between(at(row, column), at(row, column + 1), right);
        const PenPoint lower = between(at(row + 1, column), at(row + 1, column + 1), right);
        const PenPoint shift = between(upper, lower, below);
        return {point.x + shift.x, point.y + shift.y};
    }

private:
    static float smooth(float t) { return t * t * (3 - 2 * t); }
    static PenPoint between(PenPoint a, PenPoint b, float t) {
        return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
    }
    [[nodiscard]] PenPoint at(std::size_t row, std::size_t column) const {
        return grid_[row * 3 + column];
    }
    std::array<PenPoint, 9> grid_{};
};

/// Size, slant, turn and place: from the unit square of a form to pixels.
class Placement {
public:
    explicit Placement(CounterRng& rng) {
        height_ = rng.nextFloat(13.5F, 21.0F);
        width_ = height_ * rng.nextFloat(0.55F, 0.95F);
        slant_ = 0.12F + 0.2F * bell(rng);
        // Half-angle form of cosine and sine: t = tan(angle / 2).
        const float t = std::clamp(0.065F * bell(rng), -0.2F, 0.2F);
        cosine_ = (1 - t * t) / (1 + t * t);
        sine_ = 2 * t / (1 + t * t);
        centreX_ = kSide / 2 + std::clamp(1.5F * bell(rng), -3.5F, 3.5F);
        centreY_ = kSide / 2 + std::clamp(1.3F * bell(rng), -3.0F, 3.0F);
    }
    [[nodiscard]] PenPoint apply(PenPoint point) const {
        const float y = (point.y - 0.5F) * height_;
        const float x = (point.x - 0.5F) * width_ - slant_ * y;
        return {centreX_ + cosine_ * x - sine_ * y, centreY_ + sine_ * x + cosine_ * y};
    }

private:
    float height_, width_, slant_, cosine_, sine_, centreX_, centreY_;
};

/// Thickness of the line, in pixels, and how soft its edge is.
struct Pen {
    float radius = 1;
    float pressureChange = 0;  ///< Relative change of the radius from the start to the end.
    float softness = 0.7F;
};

struct Inked {
    PenPoint point;
    float radius = 1;
};

/// Darkens the pixels near the line between two places.
void drawSegment(Canvas& canvas, const Inked& from, const Inked& to, float softness) {
    const float reach = std::max(from.radius, to.radius) + softness;
    const auto bounded = [](float value) {
        return static_cast<int>(std::clamp(value, 0.0F, kSide - 1));
    };
    const int left = bounded(std::min(from.point.x, to.point.x) - reach);
    const int right = bounded(std::max(from.point.x, to.point.x) + reach);
    const int top = bounded(std::min(from.point.y, to.point.y) - reach);
    const int bottom = bounded(std::max(from.point.y, to.point.y) + reach);
    const float alongX = to.point.x - from.point.x;
    const float alongY = to.point.y - from.point.y;
    const float inverseLength2 = 1.0F / std::max(alongX * alongX + alongY * alongY, 1e-6F);
    const float inverseSoftness = 0.5F / softness;
    for (int y = top; y <= bottom; ++y) {
        for (int x = left; x <= right; ++x) {
            const float toX = static_cast<float>(x) + 0.5F - from.point.x;
            const float toY = static_cast<float>(y) + 0.5F - from.point.y;
            const float t = std::clamp((toX * alongX + toY * alongY) * inverseLength2, 0.0F, 1.0F);
            const float offX = toX - t * alongX;
            const float offY = toY - t * alongY;
            const float edge = from.radius + t * (to.radius - from.radius) + softness;
            const float distance2 = offX * offX + offY * offY;
            if (distance2 >= edge * edge) continue;
            const float ink = std::min((edge - std::sqrt(distance2)) * inverseSoftness, 1.0F);
            float& pixel =
                canvas[static_cast<std::size_t>(y) * kDigitsSide + static_cast<std::size_t>(x)];
            pixel = std::max(pixel, ink);
        }
    }
}

/// The stroke as a Catmull-Rom spline through its control points.
std::vector<PenPoint> spline(const std::vector<PenPoint>& control) {
    std::vector<PenPoint> curve;
    curve.reserve(control.size() * kSplinePieces + 1);
    const auto cubic = [](float a, float b, float c, float d, float t) {
        return b + 0.5F * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
    };
    const std::size_t last = control.size() - 1;
    for (std::size_t i = 0; i < last; ++i) {
        const PenPoint& before = control[i == 0 ? 0 : i - 1];
        const PenPoint& after = control[std::min(i + 2, last)];
        for (int piece = 0; piece < kSplinePieces; ++piece) {
            const float t = static_cast<float>(piece) / kSplinePieces;
            curve.push_back({cubic(before.x, control[i].x, control[i + 1].x, after.x, t),
                             cubic(before.y, control[i].y, control[i + 1].y, after.y, t)});
        }
    }
    curve.push_back(control[last]);
    return curve;
}

void drawStroke(Canvas& canvas, const std::vector<PenPoint>& curve, const Pen& pen) {
    const auto inked = [&](std::size_t i) {
        const float progress = static_cast<float>(i) / static_cast<float>(curve.size() - 1) - 0.5F;
        return Inked{curve[i], pen.radius * (1 + pen.pressureChange * progress)};
    };
    for (std::size_t i = 0; i + 1 < curve.size(); ++i)
        drawSegment(canvas, inked(i), inked(i + 1), pen.softness);
}

/// The common forms are drawn more often: half of the digits have the first.
const DigitForm& chooseForm(CounterRng& rng, int digit) {
    const auto forms = digitForms(digit);
    const float u = rng.nextFloat();
    return forms[u < 0.5F ? 0 : u < 0.8F ? 1 : 2];
}

void drawDigit(CounterRng& rng, int digit, Canvas& canvas) {
    const DigitForm& form = chooseForm(rng, digit);
    const Warp warp(rng, rng.nextFloat(0.02F, 0.075F));
    const Placement placement(rng);
    const Pen pen{rng.nextFloat(0.65F, 1.75F), rng.nextFloat(-0.35F, 0.35F),
                  rng.nextFloat(0.55F, 0.95F)};
    const float tremor = rng.nextFloat(0.01F, 0.035F);
    for (const PenStroke& stroke : form) {
        std::vector<PenPoint> control;
        control.reserve(stroke.size());
        for (const PenPoint& point : stroke) {
            const PenPoint shaken{point.x + tremor * bell(rng), point.y + tremor * bell(rng)};
            control.push_back(placement.apply(warp.apply(shaken)));
        }
        drawStroke(canvas, spline(control), pen);
    }
}

/// Ink to grey levels: contrast, and on some sheets the grain of the paper.
void develop(CounterRng& rng, const Canvas& canvas, std::uint8_t* pixels) {
    const float contrast = rng.nextFloat(0.72F, 1.0F) * 255.0F;
    const float grain = std::max(0.0F, rng.nextFloat(-10.0F, 14.0F));
    for (std::size_t i = 0; i < canvas.size(); ++i) {
        float level = canvas[i] * contrast;
        if (grain > 0) {
            const std::uint32_t bits = rng.nextU32();
            const auto sum = static_cast<float>((bits & 255) + (bits >> 8 & 255) +
                                                (bits >> 16 & 255) + (bits >> 24));
            level += grain * (sum - 510.0F) * (1.0F / 147.8F);
        }
        // NOLINTNEXTLINE(bugprone-incorrect-roundings): no level is negative.
        pixels[i] = static_cast<std::uint8_t>(std::clamp(level, 0.0F, 255.0F) + 0.5F);
    }
}

struct Pages {
    std::vector<std::uint8_t> images;
    std::vector<std::uint8_t> labels;
};

void generateRange(Pages& pages, std::uint32_t firstIndex, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
        CounterRng rng(kSeed, std::uint64_t{firstIndex} + i);
        const auto digit = static_cast<int>(rng.nextBelow(10));
        Canvas canvas{};
        drawDigit(rng, digit, canvas);
        pages.labels[i] = static_cast<std::uint8_t>(digit);
        develop(rng, canvas, pages.images.data() + i * canvas.size());
    }
}

}  // namespace

Split generateDigits(std::uint32_t firstIndex, std::uint32_t count, int threads) {
    Pages pages{std::vector<std::uint8_t>(std::size_t{count} * kDigitsSide * kDigitsSide),
                std::vector<std::uint8_t>(count)};
    const auto parts = static_cast<std::uint32_t>(std::max(threads, 1));
    const auto boundary = [&](std::uint32_t part) {
        return static_cast<std::uint32_t>(std::uint64_t{count} * part / parts);
    };
    std::vector<std::jthread> helpers;
    std::uint32_t started = 1;
    try {
        for (; started < parts; ++started)
            helpers.push_back(startThread("digits", [&, part = started](const std::stop_token&) {
                generateRange(pages, firstIndex, boundary(part), boundary(part + 1));
            }));
    } catch (const std::system_error&) {
        // The system gives no more threads: this one does the rest.
        generateRange(pages, firstIndex, boundary(started), count);
    }
    generateRange(pages, firstIndex, 0, boundary(1));
    helpers.clear();  // joins: the parts are complete before they leave
    return imageSplit(count, {kDigitsSide, kDigitsSide, 1}, std::move(pages.images),
                      labelBytes(pages.labels));
}

}  // namespace lockstep::data
