// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/card.h"

#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flow_layout.h"

namespace lockstep::ui {
namespace {

/// One line where there is room for it, else as many as it needs.
class Subtitle final : public QLabel {
public:
    explicit Subtitle(QWidget* parent) : QLabel(parent) {
        setTextFormat(Qt::PlainText);
        setWordWrap(true);
    }
    QSize sizeHint() const override {
        return {fontMetrics().horizontalAdvance(text()) + 2, fontMetrics().height()};
    }
};

}  // namespace

Card::Card(const QString& title, QWidget* parent)
    : QFrame(parent),
      head_(new QWidget(this)),
      title_(new ElidedLabel({}, head_)),
      subtitle_(new Subtitle(head_)),
      headLayout_(new FlowLayout(head_, kGrid)),
      body_(new QVBoxLayout) {
    setAccessibleRole(*this, QAccessible::Grouping);
    title_->setFont(strongFont());
    subtitle_->setFont(smallFont());
    subtitle_->setProperty("secondary", true);
    head_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    // Controls may grow when they are first shown: the head is never lower than they are.
    headLayout_->setSizeConstraint(QLayout::SetMinimumSize);
    headLayout_->addWidget(title_);
    headLayout_->addWidget(subtitle_);
    headLayout_->addStretch();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(2 * kGrid, kGrid + 4, 2 * kGrid, 2 * kGrid);
    layout->setSpacing(kGrid);
    layout->addWidget(head_);
    body_->setSpacing(kGrid);
    layout->addLayout(body_, 1);
    setTitle(title);
    setSubtitle({});
}

void Card::setTitle(const QString& title) {
    title_->setText(title);
    setAccessibleName(title);
    head_->setVisible(!title.isEmpty() || headLayout_->count() > 3);
}

QString Card::title() const {
    return title_->text();
}

void Card::setTitleElide(Qt::TextElideMode mode) {
    title_->setElideMode(mode);
}

void Card::setSubtitle(const QString& subtitle) {
    subtitle_->setText(subtitle);
    subtitle_->setVisible(!subtitle.isEmpty());
}

void Card::addHeadWidget(QWidget* widget) {
    headLayout_->addWidget(widget);
    head_->show();
}

void Card::addTitleWidget(QWidget* widget) {
    headLayout_->insertWidget(headLayout_->indexOf(subtitle_) + 1, widget);
    head_->show();
}

void Card::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.hairline, 1));
    painter.setBrush(theme.surface);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kGrid, kGrid);
}

}  // namespace lockstep::ui
