// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVector>
#include <QWidget>

namespace lockstep::ui {

/// The colours of the phases of a step with their names, in a row.
class PhaseLegend final : public QWidget {
    Q_OBJECT
public:
    explicit PhaseLegend(QWidget* parent = nullptr);

    /// Besides a phase: what a silence and a loss look like among heartbeats.
    static constexpr int kSilent = -1;
    static constexpr int kLost = -2;
    struct Entry {
        QString name;
        int phase = 0;  ///< As Theme::phaseColour() counts, or one of the above.
    };
    /// The width follows them; where there is less, they go on in further rows.
    void setEntries(QVector<Entry> entries);
    /// The first phases, in the order of Theme::phaseColour().
    void setNames(const QStringList& names);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    static void paintSwatch(QPainter& painter, const QRectF& place, int phase);
    [[nodiscard]] int rowHeight() const;
    [[nodiscard]] int widthOf(const Entry& entry) const;
    /// Where each entry begins in that width; the last one is the end of them all.
    [[nodiscard]] QVector<QPoint> placesIn(int width) const;

    QVector<Entry> entries_;
};

}  // namespace lockstep::ui
