// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/navigation_rail.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/style/accessible_role.h"

namespace lockstep::ui {

namespace {

constexpr int kWidth = 92;
constexpr int kWidest = 124;  ///< Longer words end in "…".
constexpr int kEntryHeight = 60;
constexpr int kIconSide = 22;

/// One entry: icon over word. Only the chosen one takes the keyboard focus by Tab.
class RailButton final : public QAbstractButton {
public:
    RailButton(Icon icon, const QString& word, QWidget* parent)
        : QAbstractButton(parent), icon_(icon) {
        setText(word);
        setCheckable(true);
        setAutoExclusive(true);  // one of all: its group does it, and this is what is told
        setAttribute(Qt::WA_Hover);
        setFixedHeight(kEntryHeight);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        setCursor(Qt::PointingHandCursor);
        QString plain = word;
        setAccessibleName(plain.remove(QLatin1Char('&')));
    }

    void setBadge(Tone tone, const QString& meaning) {
        if (tone == badge_ && meaning == accessibleDescription()) return;
        badge_ = tone;
        setAccessibleDescription(meaning);
        setToolTip(meaning);
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = Theme::of(this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF ground = QRectF(rect()).adjusted(0.5, 1.5, -0.5, -1.5);
        if (isChecked() || underMouse()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(isChecked() ? theme.accentSoft : theme.hover);
            painter.drawRoundedRect(ground, kGrid, kGrid);
        }
        if (hasFocus()) {
            painter.setPen(QPen(theme.accent, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(ground, kGrid, kGrid);
        }
        const QColor colour = isChecked()    ? theme.accent
                              : underMouse() ? theme.text
                                             : theme.textSecondary;
        const QRectF picture((width() - kIconSide) / 2.0, 9, kIconSide, kIconSide);
        paintIcon(painter, icon_, picture, colour);
        painter.setPen(colour);
        painter.setFont(smallFont());
        painter.drawText(QRectF(0, picture.bottom() + 3, width(), 18),
                         Qt::AlignCenter | Qt::TextHideMnemonic,
                         painter.fontMetrics().elidedText(text(), Qt::ElideRight, width(),
                                                          Qt::TextShowMnemonic));
        if (badge_ == Tone::Neutral) return;
        painter.setPen(QPen(isChecked() ? theme.accentSoft : theme.surface, 2));
        painter.setBrush(theme.tone(badge_));
        painter.drawEllipse(picture.topRight() + QPointF(1, 2), 5, 5);
    }

private:
    Icon icon_;
    Tone badge_ = Tone::Neutral;
};

}  // namespace

NavigationRail::NavigationRail(QWidget* parent)
    : QWidget(parent), group_(new QButtonGroup(this)), entries_(new QVBoxLayout) {
    setFixedWidth(kWidth);
    setAccessibleRole(*this, QAccessible::Grouping);
    setAccessibleName(tr("Pages"));
    entries_->setSpacing(2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
    layout->addLayout(entries_);
    layout->addStretch(1);
    group_->setExclusive(true);
    connect(group_, &QButtonGroup::idToggled, this, [this](int id, bool checked) {
        group_->button(id)->setFocusPolicy(checked ? Qt::StrongFocus : Qt::ClickFocus);
        if (checked) Q_EMIT currentChanged(id);
    });
}

int NavigationRail::addEntry(Icon icon, const QString& word) {
    const int index = int(group_->buttons().size());
    auto* button = new RailButton(icon, word, this);
    button->setFocusPolicy(Qt::ClickFocus);
    const QFontMetrics metrics(smallFont());
    const int wanted = metrics.size(Qt::TextShowMnemonic, word).width() + 3 * kGrid;
    setFixedWidth(std::clamp(wanted, width(), kWidest));
    entries_->addWidget(button);
    group_->addButton(button, index);
    if (index == 0) button->setChecked(true);
    return index;
}

void NavigationRail::setCurrent(int index) {
    if (QAbstractButton* button = group_->button(index)) button->setChecked(true);
}

int NavigationRail::current() const {
    return group_->checkedId();
}

void NavigationRail::setBadge(int index, Tone tone, const QString& meaning) {
    if (QAbstractButton* button = group_->button(index)) {
        static_cast<RailButton*>(button)->setBadge(tone, meaning);
    }
}

void NavigationRail::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    painter.fillRect(QRect(width() - 1, 0, 1, height()), theme.hairline);
}

void NavigationRail::keyPressEvent(QKeyEvent* event) {
    const int last = int(group_->buttons().size()) - 1;
    int next = current();
    switch (event->key()) {
        case Qt::Key_Up:
            next = std::max(0, next - 1);
            break;
        case Qt::Key_Down:
            next = std::min(last, next + 1);
            break;
        case Qt::Key_Home:
            next = 0;
            break;
        case Qt::Key_End:
            next = last;
            break;
        default:
            QWidget::keyPressEvent(event);
            return;
    }
    setCurrent(next);
    if (QAbstractButton* button = group_->button(next)) button->setFocus(Qt::TabFocusReason);
}

}  // namespace lockstep::ui
