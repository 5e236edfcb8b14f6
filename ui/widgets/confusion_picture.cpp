// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/confusion_picture.h"

#include <algorithm>
#include <cmath>

#include "ui/style/theme.h"

namespace lockstep::ui {
namespace {

/// Which pixels a cell covers: at least one.
struct Stretch {
    int first = 0;
    int last = -1;
};

Stretch stretchOf(int cell, double begin, double scale, int pixels) {
    const int first = int(std::floor((cell - begin) * scale));
    const int last = std::max(first, int(std::ceil((cell + 1 - begin) * scale)) - 1);
    return {std::max(first, 0), std::min(last, pixels - 1)};
}

}  // namespace

ConfusionCounts::ConfusionCounts(int size, QVector<quint32> all)
    : classes(size), counts(std::move(all)) {
    rowSums.fill(0, classes);
    for (qsizetype i = 0; i < counts.size(); ++i)
        rowSums[i / classes] += counts[i];
}

double ConfusionCounts::shareAt(int truth, int prediction) const {
    const quint64 all = rowSums[truth];
    return all > 0 ? double(at(truth, prediction)) / double(all) : 0;
}

QColor confusionColour(const Theme& theme, double share, bool isRight) {
    if (share <= 0) return mixed(theme.surface, theme.text, 0.04);
    const QColor full = isRight ? theme.accent : theme.bad;
    return mixed(theme.surface, full, 0.12 + 0.88 * std::sqrt(std::min(1.0, share)));
}

QImage confusionPicture(const ConfusionCounts& counts, const QRectF& source, const QSize& pixels,
                        const Theme& theme) {
    QImage picture(pixels, QImage::Format_RGB32);
    picture.fill(confusionColour(theme, 0, false));
    if (counts.classes == 0 || source.isEmpty() || pixels.isEmpty()) return picture;
    std::vector<float> largest(std::size_t(pixels.width()) * std::size_t(pixels.height()), 0.0F);
    const double scaleX = pixels.width() / source.width();
    const double scaleY = pixels.height() / source.height();
    const auto firstOf = [](double at) { return std::max(0, int(std::floor(at))); };
    const auto endOf = [&counts](double at) {
        return std::min(counts.classes, int(std::ceil(at)));
    };
    for (int truth = firstOf(source.top()); truth < endOf(source.bottom()); ++truth) {
        const Stretch rows = stretchOf(truth, source.top(), scaleY, pixels.height());
        for (int prediction = firstOf(source.left()); prediction < endOf(source.right());
             ++prediction) {
            if (counts.at(truth, prediction) == 0) continue;
            const auto share = float(counts.shareAt(truth, prediction));
            const QRgb colour = confusionColour(theme, share, truth == prediction).rgb();
            const Stretch columns = stretchOf(prediction, source.left(), scaleX, pixels.width());
            for (int y = rows.first; y <= rows.last; ++y)
                for (int x = columns.first; x <= columns.last; ++x) {
                    float& seen =
                        largest[std::size_t(y) * std::size_t(pixels.width()) + std::size_t(x)];
                    if (share <= seen) continue;
                    seen = share;
                    picture.setPixel(x, y, colour);
                }
        }
    }
    return picture;
}

std::vector<ConfusedPair> mostConfused(const ConfusionCounts& counts, std::size_t most) {
    std::vector<ConfusedPair> pairs;
    for (int truth = 0; truth < counts.classes; ++truth)
        for (int prediction = 0; prediction < counts.classes; ++prediction) {
            const quint32 count = counts.at(truth, prediction);
            if (truth != prediction && count > 0)
                pairs.push_back({truth, prediction, count, counts.shareAt(truth, prediction)});
        }
    const auto isWorse = [](const ConfusedPair& a, const ConfusedPair& b) {
        return a.count != b.count ? a.count > b.count : a.share > b.share;
    };
    const std::size_t kept = std::min(most, pairs.size());
    std::partial_sort(pairs.begin(), pairs.begin() + std::ptrdiff_t(kept), pairs.end(), isWorse);
    pairs.resize(kept);
    return pairs;
}

}  // namespace lockstep::ui
