// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QVector>
#include <QWidget>

#include "ui/style/accessible_role.h"

namespace lockstep::ui {

/// Sample images with what they are and what the model took them for. Flows to the width it has
/// and fills it; arrow keys move the focus.
class SampleGrid final : public QWidget, public AccessibleParts {
    Q_OBJECT
public:
    struct Sample {
        QImage image;  ///< Small; shown enlarged without smoothing.
        QString truth;
        QString prediction;
        float probability = 0;  ///< How sure the prediction is.
        int index = 0;          ///< In its split.
        bool correct = false;
    };

    explicit SampleGrid(QWidget* parent = nullptr);

    /// The one that was chosen stays so, where it is among them.
    void setSamples(QVector<Sample> samples);
    /// Said while there are none.
    void setEmptyText(const QString& text);
    [[nodiscard]] const QString& emptyText() const { return emptyText_; }
    [[nodiscard]] qsizetype sampleCount() const { return samples_.size(); }
    [[nodiscard]] const QVector<Sample>& samples() const { return samples_; }
    /// Null: there are none.
    [[nodiscard]] const Sample* chosen() const {
        return chosen_ < 0 ? nullptr : &samples_[chosen_];
    }
    /// The sample of this place in its split is marked where it is shown; -1: none.
    void setMarked(int index);
    /// Where a sample is drawn.
    [[nodiscard]] QRect tile(int index) const;
    [[nodiscard]] int columns() const;
    /// How high so many rows of samples are.
    [[nodiscard]] static int heightOfRows(int rows);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// Where the sample that the user chose is drawn: by a click, the arrow keys, or Enter.
    void chosenAt(const QRect& place);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    // For who cannot see it.
    [[nodiscard]] int partCount() const override { return int(samples_.size()); }
    [[nodiscard]] QString partWords(int part) const override { return describe(part); }
    [[nodiscard]] QRect partArea(int part) const override { return tile(part); }
    [[nodiscard]] int chosenPart() const override { return chosen_; }

    [[nodiscard]] int tileAt(const QPoint& position) const;
    [[nodiscard]] QString describe(int index) const;
    void choose(int index);
    void paintTile(QPainter& painter, int index) const;

    QVector<Sample> samples_;
    QString emptyText_;
    int chosen_ = -1;
    int marked_ = -1;  ///< A place in the split.
};

}  // namespace lockstep::ui
