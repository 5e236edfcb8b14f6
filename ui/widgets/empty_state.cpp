// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/empty_state.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/style/accessible_role.h"

namespace lockstep::ui {

namespace {
constexpr int kIconSide = 40;
constexpr int kTextWidth = 420;
}  // namespace

EmptyState::EmptyState(Icon icon, const QString& title, const QString& text, QWidget* parent)
    : QWidget(parent),
      icon_(icon),
      picture_(new QLabel(this)),
      title_(new QLabel(this)),
      text_(new QLabel(this)),
      buttons_(new QHBoxLayout) {
    setAccessibleRole(*this, QAccessible::Grouping);
    QFont font = strongFont();
    font.setPointSizeF(font.pointSizeF() * 1.2);
    title_->setFont(font);
    text_->setProperty("secondary", true);
    text_->setWordWrap(true);
    text_->setFixedWidth(kTextWidth);
    for (QLabel* label : {picture_, title_, text_})
        label->setAlignment(Qt::AlignCenter);
    buttons_->setSpacing(kGrid);

    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(kGrid);
    layout->addStretch(2);
    layout->addWidget(picture_);
    layout->addWidget(title_);
    // A row of its own: an aligned label would be given the height of the whole width's lines.
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(text_);
    row->addStretch(1);
    layout->addLayout(row);
    layout->addSpacing(kGrid);
    layout->addLayout(buttons_);
    layout->setAlignment(buttons_, Qt::AlignHCenter);
    layout->addStretch(3);
    setTitle(title);
    setText(text);
    refreshIcon();
}

void EmptyState::setTitle(const QString& title) {
    title_->setText(title);
    setAccessibleName(title);
}

void EmptyState::setText(const QString& text) {
    text_->setText(text);
    setAccessibleDescription(text);
}

QPushButton* EmptyState::addButton(const QString& text) {
    auto* button = new QPushButton(text, this);
    button->setProperty("primary", buttons_->count() == 0);
    buttons_->addWidget(button);
    return button;
}

void EmptyState::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        refreshIcon();
    }
    QWidget::changeEvent(event);
}

void EmptyState::refreshIcon() {
    const QIcon icon = makeIcon(icon_, Theme::of(this).accent);
    picture_->setPixmap(icon.pixmap(QSize(kIconSide, kIconSide), devicePixelRatioF()));
}

}  // namespace lockstep::ui
