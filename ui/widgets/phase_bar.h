// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QVector>
#include <QWidget>

class QPainter;

namespace lockstep::ui {

/// How a step's time divides into phases: one bar of coloured parts.
class PhaseBar final : public QWidget {
    Q_OBJECT
public:
    struct Part {
        QString name;
        double value = 0;  ///< Any unit; negative or non-finite counts as nothing.
        QColor colour;
    };

    explicit PhaseBar(QWidget* parent = nullptr);

    void setParts(QVector<Part> parts);
    /// The part under a horizontal position, -1: none.
    [[nodiscard]] int partAt(int x) const;

    /// The same bar inside a table's cell. Colours are taken from Theme::phaseColour by index.
    static void paint(QPainter& painter, const QRectF& rect, const QList<float>& values);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QVector<Part> parts_;
};

}  // namespace lockstep::ui
