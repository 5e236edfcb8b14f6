// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QImage>
#include <QVector>
#include <vector>

namespace lockstep::ui {

struct Theme;

/// How often each truth was predicted as each class.
struct ConfusionCounts {
    int classes = 0;
    QVector<quint32> counts{};  ///< classes x classes, a row a truth.
    QVector<quint64> rowSums{};

    ConfusionCounts() = default;
    ConfusionCounts(int size, QVector<quint32> all);
    [[nodiscard]] quint32 at(int truth, int prediction) const {
        return counts[qsizetype(truth) * classes + prediction];
    }
    /// Of a truth's samples, those with this prediction.
    [[nodiscard]] double shareAt(int truth, int prediction) const;
};

/// Right answers in the accent, wrong ones in the bad colour, the rare ones seen as well.
[[nodiscard]] QColor confusionColour(const Theme& theme, double share, bool isRight);

/// The cells of `source` (x: predictions, y: truths) as a picture of that size. Where several cells
/// fall on a pixel, the one with the largest share is seen: no mistake is averaged away.
[[nodiscard]] QImage confusionPicture(const ConfusionCounts& counts, const QRectF& source,
                                      const QSize& pixels, const Theme& theme);

/// A mistake that was made often.
struct ConfusedPair {
    int truth = 0;
    int prediction = 0;
    quint32 count = 0;
    double share = 0;  ///< Of the truth's samples.
};

/// The pairs of classes that were taken for each other most often, at most `most`.
[[nodiscard]] std::vector<ConfusedPair> mostConfused(const ConfusionCounts& counts,
                                                     std::size_t most);

}  // namespace lockstep::ui
