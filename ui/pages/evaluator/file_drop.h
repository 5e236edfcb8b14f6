// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QBoxLayout;
class QLabel;

namespace lockstep::ui {

/// A place that asks for files: to be dropped on it, or chosen by its button.
class FileDrop final : public QWidget {
    Q_OBJECT
public:
    explicit FileDrop(QWidget* parent = nullptr);

    void setWords(const QString& words, const QString& hint);
    /// Beside other ways to ask: one row, without a picture.
    void setCompact(bool on);
    /// Something is held over the page that may be dropped.
    void setTarget(bool on);

Q_SIGNALS:
    void chosen(const QStringList& files);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void browse();

    QBoxLayout* layout_;
    QLabel* words_;
    QLabel* hint_;
    bool isCompact_ = false;
    bool isTarget_ = false;
};

}  // namespace lockstep::ui
