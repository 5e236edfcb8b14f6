// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QVector>
#include <QWidget>

namespace lockstep::ui {

/// The accuracy of each class as a bar with its number; the weakest is marked. A class is chosen by
/// a click, or by the arrow keys and Enter.
class ClassBars final : public QWidget {
    Q_OBJECT
public:
    explicit ClassBars(QWidget* parent = nullptr);

    /// Fractions, 0 to 1; NaN: no sample of that class.
    void setValues(const QStringList& classNames, QVector<float> accuracies);

    /// What stands before a bar: the class's name, cut where it has no room.
    [[nodiscard]] QString shownName(int index) const;

    /// The class that others show something of; -1: none.
    void setMarked(int index);
    /// Where a class's bar is.
    [[nodiscard]] QRectF rowOf(int index) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void classChosen(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    [[nodiscard]] int weakest() const;
    [[nodiscard]] int nameWidth() const;

    QStringList names_;
    QVector<float> values_;
    int marked_ = -1;
    int current_ = 0;  ///< Of the keys.
};

}  // namespace lockstep::ui
