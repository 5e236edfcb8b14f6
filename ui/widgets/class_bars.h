// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QVector>
#include <QWidget>

namespace lockstep::ui {

/// The accuracy of each class as a bar with its number; the weakest is marked.
class ClassBars final : public QWidget {
    Q_OBJECT
public:
    explicit ClassBars(QWidget* parent = nullptr);

    /// Fractions, 0 to 1; NaN: no sample of that class.
    void setValues(const QStringList& classNames, QVector<float> accuracies);

    /// What stands before a bar: the class's name, cut where it has no room.
    [[nodiscard]] QString shownName(int index) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] int weakest() const;
    [[nodiscard]] int nameWidth() const;

    QStringList names_;
    QVector<float> values_;
};

}  // namespace lockstep::ui
