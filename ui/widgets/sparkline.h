// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVector>
#include <QWidget>

class QPainter;

namespace lockstep::ui {

struct Theme;

/// The last values of one figure as a small line without axes. Non-finite values leave a gap.
class Sparkline final : public QWidget {
    Q_OBJECT
public:
    explicit Sparkline(QWidget* parent = nullptr);

    /// Keeps the newest kLimit.
    void append(float value);
    void setValues(QVector<float> values);

    /// The same line inside a table's cell.
    static void paint(QPainter& painter, const QRectF& rect, const QVector<float>& values,
                      const Theme& theme);

    static constexpr int kLimit = 512;

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QVector<float> values_;
};

}  // namespace lockstep::ui
