// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/cell_delegates.h"

#include <QApplication>
#include <QPainter>

#include "ui/models/log_model.h"
#include "ui/models/replica_table_model.h"
#include "ui/models/runs_model.h"
#include "ui/widgets/phase_bar.h"

namespace lockstep::ui {
namespace {

constexpr int kIconSize = 16;

void paintBackground(QPainter* painter, const QStyleOptionViewItem& option,
                     const QModelIndex& index) {
    QStyleOptionViewItem background = option;
    background.text.clear();
    background.index = index;
    const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &background, painter, option.widget);
}

}  // namespace

void ToneDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    paintBackground(painter, option, index);
    const Mark mark = markOf(index);
    const Theme& theme = Theme::of(option.widget);
    const QRectF cell = QRectF(option.rect).adjusted(kGrid, 0, -kGrid, 0);
    const QRectF icon(cell.left(), cell.center().y() - kIconSize / 2.0, kIconSize, kIconSize);
    const bool plain = mark.tone == Tone::Neutral;
    paintIcon(*painter, mark.icon, icon, plain ? theme.textSecondary : theme.tone(mark.tone));

    QStyleOptionViewItem text = option;
    initStyleOption(&text, index);
    painter->save();
    painter->setFont(text.font);
    painter->setPen(theme.text);
    const QRectF words = cell.adjusted(kIconSize + kGrid, 0, 0, 0);
    painter->drawText(words, Qt::AlignVCenter | Qt::AlignLeft,
                      text.fontMetrics.elidedText(text.text, Qt::ElideRight, int(words.width())));
    painter->restore();
}

QSize ToneDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(kIconSize + 2 * kGrid, 0);
}

ToneDelegate::Mark LevelDelegate::markOf(const QModelIndex& index) const {
    switch (index.data(LogModel::LevelRole).toInt()) {
        case 0:
            return {Icon::Settings, Tone::Neutral};
        case 1:
            return {Icon::Info, Tone::Neutral};
        case 2:
            return {Icon::Warning, Tone::Warn};
        default:
            return {Icon::Error, Tone::Bad};
    }
}

ToneDelegate::Mark LivenessDelegate::markOf(const QModelIndex& index) const {
    switch (job::Liveness(index.data(ReplicaTableModel::LivenessRole).toInt())) {
        case job::Liveness::Waiting:
            return {Icon::Waiting, Tone::Neutral};
        case job::Liveness::Alive:
            return {Icon::Heart, Tone::Good};
        case job::Liveness::Late:
            return {Icon::Warning, Tone::Warn};
        case job::Liveness::Lost:
            return {Icon::Error, Tone::Bad};
        case job::Liveness::Left:
            return {Icon::Check, Tone::Neutral};
    }
    return {};
}

ToneDelegate::Mark RunStatusDelegate::markOf(const QModelIndex& index) const {
    const QString status = index.data(RunsModel::StatusRole).toString();
    if (status == QLatin1String("running")) return {Icon::Live, Tone::Accent};
    if (status == QLatin1String("completed")) return {Icon::Check, Tone::Good};
    if (status == QLatin1String("failed")) return {Icon::Error, Tone::Bad};
    if (status == QLatin1String("interrupted")) return {Icon::Warning, Tone::Warn};
    return {Icon::Stop, Tone::Neutral};
}

void PhaseDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    paintBackground(painter, option, index);
    const auto phases = index.data(ReplicaTableModel::PhasesRole).value<QList<float>>();
    const double middle = QRectF(option.rect).center().y();
    const QRectF bar(option.rect.left() + kGrid, middle - 6, option.rect.width() - 2 * kGrid, 12);
    PhaseBar::paint(*painter, bar, phases);
}

}  // namespace lockstep::ui
