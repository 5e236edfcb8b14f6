// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/notice_column.h"

#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/style/theme.h"
#include "ui/widgets/notice_bar.h"

namespace lockstep::ui {

NoticeColumn::NoticeColumn(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 0);
    layout->setSpacing(kGrid);
    hide();
}

void NoticeColumn::add(NoticeBar* bar) {
    bars_ << bar;
    layout()->addWidget(bar);
    bar->installEventFilter(this);
    match();
}

void NoticeColumn::setAside(bool on) {
    isAside_ = on;
    match();
}

bool NoticeColumn::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent) match();
    return QWidget::eventFilter(watched, event);
}

void NoticeColumn::match() {
    setHidden(isAside_ || std::ranges::all_of(bars_, &NoticeBar::isHidden));
}

}  // namespace lockstep::ui
