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
    /// The width follows them.
    void setEntries(QVector<Entry> entries);
    /// The first phases, in the order of Theme::phaseColour().
    void setNames(const QStringList& names);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    static void paintSwatch(QPainter& painter, const QRectF& place, int phase);

    QVector<Entry> entries_;
};

}  // namespace lockstep::ui
