// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVector>
#include <QWidget>

namespace lockstep::ui {

class NoticeBar;

/// Notices one below the other. Takes no room while none is shown, and can be put aside with all
/// that come meanwhile.
class NoticeColumn final : public QWidget {
    Q_OBJECT
public:
    explicit NoticeColumn(QWidget* parent = nullptr);

    void add(NoticeBar* bar);
    void setAside(bool on);

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void match();

    QVector<NoticeBar*> bars_;
    bool isAside_ = false;
};

}  // namespace lockstep::ui
