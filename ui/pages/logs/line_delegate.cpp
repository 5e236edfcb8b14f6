// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/logs/line_delegate.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "ui/models/log_model.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

constexpr int kChevron = 16;
constexpr double kMarkShare = 0.38;

}  // namespace

LineDelegate::LineDelegate(const LogModel& model, QObject* parent)
    : CellDelegate(parent), model_(model) {}

bool LineDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                               const QStyleOptionViewItem& option, const QModelIndex& index) {
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const int fold = index.data(LogModel::FoldRole).toInt();
        const bool isOnChevron = mouse->position().x() < option.rect.left() + kGrid + kChevron + 4;
        if (mouse->button() == Qt::LeftButton && isOnChevron &&
            (fold == LogModel::Folded || fold == LogModel::Unfolded)) {
            Q_EMIT foldClicked(index.row());
            return true;
        }
    }
    return CellDelegate::editorEvent(event, model, option, index);
}

void LineDelegate::paintContent(QPainter* painter, const QRectF& content,
                                const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
    const Theme& theme = Theme::of(option.widget);
    const int fold = index.data(LogModel::FoldRole).toInt();
    QRectF place = content.adjusted(kChevron + 4, 0, 0, 0);
    if (fold == LogModel::Folded || fold == LogModel::Unfolded) {
        const QRectF chevron(content.left(), content.center().y() - kChevron / 2.0, kChevron,
                             kChevron);
        paintIcon(*painter, fold == LogModel::Folded ? Icon::ChevronRight : Icon::ChevronDown,
                  chevron, theme.textSecondary);
    }
    if (fold == LogModel::Folded) {
        const QString more =
            tr("%1 lines").arg(units::count(index.data(LogModel::FoldedLinesRole).toInt() + 1));
        painter->setFont(smallFont());
        painter->setPen(theme.textSecondary);
        painter->drawText(place, Qt::AlignRight | Qt::AlignVCenter, more);
        place.setRight(place.right() - QFontMetrics(smallFont()).horizontalAdvance(more) - kGrid);
    }
    paintLine(painter, place, option, option.state.testFlag(QStyle::State_Selected));
}

/// Marks lie behind the text. Of the chosen line the first of them is always in view.
void LineDelegate::paintLine(QPainter* painter, const QRectF& place,
                             const QStyleOptionViewItem& option, bool isCurrent) const {
    const Theme& theme = Theme::of(option.widget);
    const QFontMetricsF metrics(option.font);
    const QList<LogPattern::Span> spans = model_.find().spans(option.text);
    double shift = 0;
    if (!spans.isEmpty() && isCurrent) {
        const double end =
            metrics.horizontalAdvance(option.text.left(spans[0].begin + spans[0].length));
        shift = std::max(0.0, end + 4 * kGrid - place.width());
    }
    painter->setClipRect(place);
    const double top = place.center().y() - metrics.height() / 2;
    for (const LogPattern::Span& span : spans) {
        const double left = metrics.horizontalAdvance(option.text.left(span.begin));
        const double width = metrics.horizontalAdvance(option.text.mid(span.begin, span.length));
        if (left - shift > place.width()) break;
        painter->setPen(isCurrent ? QPen(theme.warn) : QPen(Qt::NoPen));
        painter->setBrush(mixed(theme.surface, theme.warn, kMarkShare));
        painter->drawRoundedRect(
            QRectF(place.left() + left - shift - 1, top, width + 2, metrics.height()), 2, 2);
    }
    painter->setFont(option.font);
    painter->setPen(theme.text);
    const QString text =
        shift > 0 ? option.text
                  : option.fontMetrics.elidedText(option.text, Qt::ElideRight, int(place.width()));
    painter->drawText(place.adjusted(-shift, 0, 0, 0),
                      int(Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine), text);
}

}  // namespace lockstep::ui
