// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QVector>
#include <QWidget>

namespace lockstep::ui {

/// Training images, a row each: as they are, and beside it what epochs make of them.
class AugmentedSamples final : public QWidget {
    Q_OBJECT
public:
    struct Version {
        QImage image;
        QString note;  ///< "60 % cat, 40 % dog"; empty: nothing is to be said.
    };
    struct Sample {
        QString label;
        QImage image;
        QVector<Version> versions{};
    };
    explicit AugmentedSamples(QWidget* parent = nullptr);

    void setSamples(QVector<Sample> samples);
    [[nodiscard]] qsizetype sampleCount() const { return samples_.size(); }
    /// How many rows and columns of images are shown.
    [[nodiscard]] QSize shown() const;

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] int columnsAt(int width) const;
    [[nodiscard]] qsizetype mostVersions() const;
    [[nodiscard]] QRect tile(int row, int column) const;
    [[nodiscard]] QString wordsAt(const QPoint& position) const;
    void paintTile(QPainter& painter, const QRect& place, const QImage& image, bool isMarked) const;

    QVector<Sample> samples_;
};

}  // namespace lockstep::ui
