// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/notice_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/style/accessible_role.h"
#include "ui/style/icons.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {

namespace {

constexpr int kIconSide = 20;
constexpr int kWords = 320;  ///< Less room is too little beside the buttons.

Icon iconOf(Tone tone) {
    switch (tone) {
        case Tone::Good:
            return Icon::Check;
        case Tone::Warn:
            return Icon::Warning;
        case Tone::Bad:
            return Icon::Error;
        default:
            return Icon::Info;
    }
}

QLabel* makeText(QWidget* parent) {
    QLabel* label = wrappedLabel(parent);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);  // by keys it would show a caret
    return label;
}

}  // namespace

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent),
      picture_(new QWidget(this)),
      sentence_(makeText(this)),
      remedy_(makeText(this)),
      verbs_(new QWidget(this)),
      copy_(new QToolButton(verbs_)),
      close_(new QToolButton(this)) {
    setAccessibleRole(*this, QAccessible::AlertMessage);
    picture_->setFixedWidth(kIconSide);
    sentence_->setFont(strongFont());
    copy_->setText(tr("Copy details"));
    copy_->setIcon(makeIcon(Icon::Copy));
    copy_->setIconSize({20, 16});  // with a gap to the word
    copy_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    close_->setIcon(makeIcon(Icon::Close));
    close_->setToolTip(tr("Dismiss"));
    close_->setAccessibleName(tr("Dismiss this message"));
    connect(copy_, &QToolButton::clicked, this, &NoticeBar::copyDetails);
    connect(close_, &QToolButton::clicked, this, [this] {
        clear();
        Q_EMIT dismissed();
    });

    auto* words = new QVBoxLayout;
    words->setSpacing(4);
    words->addStretch(1);
    words->addWidget(sentence_);
    words->addWidget(remedy_);
    words->addStretch(1);
    auto* verbs = new FlowLayout(verbs_, kGrid);
    verbs->addWidget(copy_);
    row_ = new QHBoxLayout;
    row_->setSpacing(kGrid);
    row_->addLayout(words, 1);
    row_->addWidget(verbs_);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(2 * kGrid, kGrid + 2, kGrid, kGrid + 2);
    layout->setSpacing(kGrid);
    layout->addWidget(picture_);
    layout->addLayout(row_, 1);
    layout->addWidget(close_, 0, Qt::AlignVCenter);
    hide();
}

void NoticeBar::showNotice(const Notice& notice) {
    for (QPushButton* button : actions_) {
        verbs_->layout()->removeWidget(button);
        button->deleteLater();
    }
    actions_.clear();
    notice_ = notice;
    sentence_->setText(notice.sentence);
    remedy_->setText(notice.remedy);
    remedy_->setVisible(!notice.remedy.isEmpty());
    copy_->setVisible(!notice.details.isEmpty());
    setAccessibleName(notice.sentence);
    setAccessibleDescription(notice.remedy);
    placeVerbs();
    show();
    update();
}

void NoticeBar::setSentence(const QString& sentence) {
    notice_.sentence = sentence;
    sentence_->setText(sentence);
    setAccessibleName(sentence);
}

void NoticeBar::setRemedy(const QString& remedy) {
    notice_.remedy = remedy;
    remedy_->setText(remedy);
    remedy_->setVisible(!remedy.isEmpty());
    setAccessibleDescription(remedy);
}

void NoticeBar::clear() {
    notice_ = {};
    hide();
}

QPushButton* NoticeBar::addAction(const QString& verb) {
    auto* button = new QPushButton(verb, verbs_);
    static_cast<FlowLayout*>(verbs_->layout())->insertWidget(int(actions_.size()), button);
    actions_ << button;
    placeVerbs();
    return button;
}

/// Below the words where these would have too little room.
void NoticeBar::placeVerbs() {
    const bool any = !actions_.isEmpty() || !notice_.details.isEmpty();
    verbs_->setVisible(any);
    const int others = kIconSide + close_->sizeHint().width() + 6 * kGrid;
    const bool isCrowded = width() < others + kWords + verbs_->sizeHint().width();
    row_->setDirection(isCrowded ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    // Beside the words all buttons stand in one row.
    verbs_->setSizePolicy(isCrowded ? QSizePolicy::Preferred : QSizePolicy::Fixed,
                          QSizePolicy::Preferred);
}

void NoticeBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    placeVerbs();
}

void NoticeBar::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor colour = theme.tone(notice_.tone);
    painter.setPen(QPen(mixed(theme.surface, colour, 0.45), 1));
    painter.setBrush(theme.toneSoft(notice_.tone));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kGrid, kGrid);
    const int line = sentence_->fontMetrics().height();
    const QRectF picture(picture_->x(), sentence_->y() + (line - kIconSide) / 2.0, kIconSide,
                         kIconSide);
    paintIcon(painter, iconOf(notice_.tone), picture, colour);
}

void NoticeBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        close_->click();
    else
        QFrame::keyPressEvent(event);
}

void NoticeBar::copyDetails() {
    QStringList lines{notice_.sentence, notice_.remedy, notice_.details};
    lines.removeAll(QString());
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

}  // namespace lockstep::ui
