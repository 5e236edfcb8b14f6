// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QPushButton>
#include <QTimer>
#include <functional>

namespace lockstep::testsupport {

/// Answers the next modal dialog, however long it takes to come.
class NextDialog : public QObject {
public:
    explicit NextDialog(std::function<void(QWidget&)> answer) : answer_(std::move(answer)) {
        timer_.callOnTimeout(this, [this] {
            QWidget* dialog = QApplication::activeModalWidget();
            if (!dialog) return;
            timer_.stop();
            name_ = dialog->objectName();
            answer_(*dialog);
        });
        timer_.start(20);
    }
    [[nodiscard]] QString name() const { return name_; }
    [[nodiscard]] bool came() const { return !timer_.isActive(); }

private:
    std::function<void(QWidget&)> answer_;
    QTimer timer_;
    QString name_;
};

inline std::function<void(QWidget&)> press(const char* button) {
    return [button](QWidget& dialog) {
        dialog.findChild<QPushButton*>(QLatin1String(button))->click();
    };
}

}  // namespace lockstep::testsupport
