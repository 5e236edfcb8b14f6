// SPDX-License-Identifier: Apache-2.0
#include "core/job/best_validation.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>

#include "core/base/file.h"
#include "core/config/job/metric.h"
#include "core/telemetry/event_reader.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPieceBytes = 64 << 10;
constexpr std::size_t kMostKept = 64 * kMostCurveValues;
constexpr std::string_view kValidation = "validation/";

bool isLargerBetter(const std::string& name) {
    const auto metric = config::parseMetric(name);
    return metric && metric->largerIsBetter();
}

/// A figure by steps, though what was trained anew takes back what came before it.
class FigureOfSteps {
public:
    explicit FigureOfSteps(bool larger) : larger_(larger) {}

    void add(std::int64_t step, double value) {
        takeBack(bests_, step);
        takeBack(curve_, step);
        if (!std::isfinite(value)) return;
        const bool isBest =
            bests_.empty() || (larger_ ? value > bests_.back().value : value < bests_.back().value);
        if (isBest) bests_.push_back({step, value});
        if (curve_.size() >= kMostKept) thinCurve();
        curve_.push_back({step, value});
    }
    [[nodiscard]] std::optional<double> best() const {
        return bests_.empty() ? std::nullopt : std::optional(bests_.back().value);
    }
    [[nodiscard]] std::vector<double> curve() const {
        std::vector<double> values;
        if (curve_.size() <= kMostCurveValues) {
            std::ranges::transform(curve_, std::back_inserter(values), &Point::value);
            return values;
        }
        for (std::size_t i = 0; i < kMostCurveValues; ++i) {
            const double share = static_cast<double>(i) / (kMostCurveValues - 1);
            const double step = std::lerp(stepOf(curve_.front()), stepOf(curve_.back()), share);
            const auto at = std::ranges::lower_bound(curve_, step, {}, stepOf);
            values.push_back((at == curve_.end() ? curve_.back() : *at).value);
        }
        return values;
    }
    [[nodiscard]] bool isLargerBetter() const { return larger_; }

private:
    struct Point {
        std::int64_t step = 0;
        double value = 0;
    };
    using Points = std::vector<Point>;  // by step

    static void takeBack(Points& points, std::int64_t step) {
        while (!points.empty() && points.back().step >= step)
            points.pop_back();
    }
    /// Steps of a stranger's file may be any: their differences are no integers.
    static double stepOf(const Point& point) { return static_cast<double>(point.step); }
    /// To half of them, at equal distances; the first stays.
    void thinCurve() {
        const double distance = (stepOf(curve_.back()) - stepOf(curve_.front())) / (kMostKept / 2);
        Points kept{curve_.front()};
        for (const Point& point : curve_) {
            const double gap = stepOf(point) - stepOf(kept.back());
            if (gap > 0 && gap >= distance) kept.push_back(point);
        }
        curve_ = std::move(kept);
    }

    bool larger_;
    Points bests_;  ///< Better than all of earlier steps: no other can become the best.
    Points curve_;
};

using Figures = std::map<std::string, FigureOfSteps>;  // by name, without "validation/"

/// In pieces: a run of very many epochs has files of any size. What lies before damage is as good
/// as ever.
void readFigures(const fs::path& path, Figures& figures) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (!file.valid() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    telemetry::EventReader reader;
    const auto take = [&](const telemetry::EventScalar& scalar) {
        if (!scalar.tag.starts_with(kValidation)) return;
        const auto wanted = figures.find(scalar.tag.substr(kValidation.size()));
        if (wanted != figures.end()) wanted->second.add(scalar.step, scalar.value);
    };
    std::array<char, kPieceBytes> piece;
    for (;;) {
        const ssize_t got = ::read(file.get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0 || !reader.feed({piece.data(), static_cast<std::size_t>(got)}, take)) return;
    }
}

void readFolder(const fs::path& folder, Figures& figures) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator next(folder, error), end; !error && next != end;
         next.increment(error))
        files.push_back(next->path());
    std::ranges::sort(files);  // their names begin with when they were made
    for (const fs::path& file : files)
        readFigures(file, figures);
}

}  // namespace

std::optional<Validation> validationIn(const fs::path& events,
                                       const std::vector<std::string>& metrics) {
    std::vector<std::string> names{"accuracy"};
    names.insert(names.end(), metrics.begin(), metrics.end());
    names.emplace_back("loss");
    Figures figures;
    for (const std::string& name : names)
        figures.try_emplace(name, isLargerBetter(name));
    readFolder(events / "validation", figures);
    for (const std::string& name : names) {
        const FigureOfSteps& figure = figures.at(name);
        if (const auto best = figure.best())
            return Validation{{name, *best, figure.isLargerBetter()}, figure.curve()};
    }
    return std::nullopt;
}

}  // namespace lockstep::job
