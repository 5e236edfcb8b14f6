// SPDX-License-Identifier: Apache-2.0
#include "core/job/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

#include "core/job/report/html_text.h"

namespace lockstep::job {

namespace {

// Units of the picture; the page scales it.
constexpr double kWidth = 640;
constexpr double kHeight = 240;
constexpr double kLeft = 56;
constexpr double kRight = 12;
constexpr double kTop = 10;
constexpr double kBottom = 26;
constexpr double kLogSpan = 100;
constexpr int kColours = 6;  // of the page's style

/// Where values lie in the picture.
class Scales {
public:
    explicit Scales(const SvgChart& chart) {
        for (const SvgChart::Curve& curve : chart.curves)
            for (const StepCurve::Point& point : curve.points) {
                firstStep_ = std::min(firstStep_, static_cast<double>(point.firstStep));
                lastStep_ = std::max(lastStep_, static_cast<double>(point.lastStep));
                least_ = std::min(least_, point.least);
                most_ = std::max(most_, point.most);
            }
        isLog_ = least_ > 0 && most_ / least_ >= kLogSpan;
        if (lastStep_ == firstStep_) lastStep_ = firstStep_ + 1;
        if (isLog_) {
            least_ = std::log10(least_);
            most_ = std::log10(most_);
        }
        const double margin =
            most_ > least_ ? (most_ - least_) * 0.04 : std::max(1e-9, std::abs(most_) * 0.1);
        least_ -= margin;
        most_ += margin;
    }

    [[nodiscard]] double x(double step) const {
        return kLeft + (step - firstStep_) / (lastStep_ - firstStep_) * (kWidth - kLeft - kRight);
    }
    [[nodiscard]] double y(double value) const {
        const double at = isLog_ ? std::log10(value) : value;
        return kTop + (most_ - at) / (most_ - least_) * (kHeight - kTop - kBottom);
    }
    [[nodiscard]] std::vector<double> stepTicks() const {
        constexpr int kWanted = 7;
        auto ticks = roundTicks(firstStep_, lastStep_, kWanted);
        std::erase_if(ticks, [](double tick) { return tick != std::round(tick); });
        return ticks;
    }
    [[nodiscard]] std::vector<double> valueTicks() const {
        constexpr int kWanted = 5;
        if (!isLog_) return roundTicks(least_, most_, kWanted);
        std::vector<double> ticks = roundTicks(least_, most_, kWanted);
        std::erase_if(ticks, [](double tick) { return tick != std::round(tick); });
        std::ranges::transform(ticks, ticks.begin(),
                               [](double tick) { return std::pow(10, tick); });
        return ticks;
    }

private:
    double firstStep_ = std::numeric_limits<double>::infinity();
    double lastStep_ = -std::numeric_limits<double>::infinity();
    double least_ = std::numeric_limits<double>::infinity();
    double most_ = -std::numeric_limits<double>::infinity();
    bool isLog_ = false;
};

double middleOf(const StepCurve::Point& point) {
    return static_cast<double>(point.firstStep + point.lastStep) / 2;
}

void drawGrid(const Scales& scales, std::string& svg) {
    auto out = std::back_inserter(svg);
    for (const double tick : scales.valueTicks())
        fmt::format_to(
            out,
            "<line class=\"grid\" x1=\"{:.0f}\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
            "<text class=\"tick\" x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>",
            kLeft, kWidth - kRight, scales.y(tick), scales.y(tick), kLeft - 6, scales.y(tick) + 4,
            numberText(tick));
    for (const double tick : scales.stepTicks())
        fmt::format_to(
            out, "<text class=\"tick\" x=\"{:.1f}\" y=\"{:.0f}\" text-anchor=\"middle\">{}</text>",
            scales.x(tick), kHeight - 8, groupedText(std::llround(tick)));
}

void drawMarks(const SvgChart& chart, const Scales& scales, std::string& svg) {
    for (const SvgChart::Mark& mark : chart.marks) {
        const double x = scales.x(static_cast<double>(mark.step));
        if (x < kLeft || x > kWidth - kRight) continue;
        fmt::format_to(
            std::back_inserter(svg),
            "<line class=\"mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\">"
            "<title>{3}</title></line>",
            x, kTop, kHeight - kBottom, htmlText(mark.text));
    }
}

void drawCurve(const SvgChart::Curve& curve, int colour, const Scales& scales, std::string& svg) {
    auto out = std::back_inserter(svg);
    const bool hasBand = std::ranges::any_of(
        curve.points, [](const auto& point) { return point.least < point.most; });
    if (hasBand) {
        fmt::format_to(out, "<path class=\"band c{}\" d=\"", colour);
        char word = 'M';
        for (const auto& point : curve.points)
            fmt::format_to(out, "{}{:.1f} {:.1f}", std::exchange(word, 'L'),
                           scales.x(middleOf(point)), scales.y(point.most));
        for (auto point = curve.points.rbegin(); point != curve.points.rend(); ++point)
            fmt::format_to(out, "L{:.1f} {:.1f}", scales.x(middleOf(*point)),
                           scales.y(point->least));
        svg += "Z\"/>";
    }
    fmt::format_to(out, "<path class=\"line c{}\" d=\"", colour);
    char word = 'M';
    for (const auto& point : curve.points)
        fmt::format_to(out, "{}{:.1f} {:.1f}", std::exchange(word, 'L'), scales.x(middleOf(point)),
                       scales.y(point.mean));
    svg += "\"/>";
    // A single point is no line.
    if (!curve.isSparse && curve.points.size() > 1) return;
    for (const auto& point : curve.points)
        fmt::format_to(out, "<circle class=\"dot c{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\"/>",
                       colour, scales.x(middleOf(point)), scales.y(point.mean));
}

/// For the script: where the points lie, and what they say.
std::string valuesOf(const SvgChart& chart, const Scales& scales) {
    std::string json = "[";
    for (const SvgChart::Curve& curve : chart.curves) {
        if (curve.points.empty()) continue;
        if (json.size() > 1) json += ",";
        json += "[";
        for (const auto& point : curve.points)
            fmt::format_to(std::back_inserter(json), "{}[{:.1f},{:.1f},{},{},{:.6g},{:.6g},{:.6g}]",
                           json.back() == '[' ? "" : ",", scales.x(middleOf(point)),
                           scales.y(point.mean), point.firstStep, point.lastStep, point.mean,
                           point.least, point.most);
        json += "]";
    }
    return json + "]";
}

}  // namespace

std::vector<double> roundTicks(double least, double most, int wanted) {
    if (!(most > least) || wanted < 1) return {};
    const double rough = (most - least) / wanted;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double interval = power;
    for (const double factor : {2.0, 5.0, 10.0})
        if (interval < rough) interval = power * factor;
    std::vector<double> ticks;
    for (double number = std::ceil(least / interval) + 0.0; number * interval <= most; ++number)
        ticks.push_back(number * interval);
    return ticks;
}

std::string svgFigure(const SvgChart& chart) {
    const bool isEmpty =
        std::ranges::all_of(chart.curves, [](const auto& curve) { return curve.points.empty(); });
    if (isEmpty) return {};
    const Scales scales(chart);
    std::string picture;
    std::string legend;
    drawGrid(scales, picture);
    drawMarks(chart, scales, picture);
    int number = 0;
    for (const SvgChart::Curve& curve : chart.curves) {
        if (curve.points.empty()) continue;
        const int colour = number++ % kColours;
        drawCurve(curve, colour, scales, picture);
        fmt::format_to(std::back_inserter(legend), "<span class=\"key c{}\">{}</span>", colour,
                       htmlText(curve.name));
    }
    const std::string title = htmlText(chart.title);
    return fmt::format(
        "<figure class=\"chart\"><figcaption><b>{}</b>{}<span class=\"keys\">{}</span></figcaption>"
        "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">{}"
        "<g class=\"reading\"></g></svg><output></output>"
        "<script type=\"application/json\">{}</script></figure>\n",
        title, chart.unit.empty() ? "" : fmt::format(" <small>{}</small>", htmlText(chart.unit)),
        legend, kWidth, kHeight, title, picture, valuesOf(chart, scales));
}

}  // namespace lockstep::job
