// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/cell_delegates.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "core/config/job/finding.h"
#include "ui/models/cluster_table_model.h"
#include "ui/models/host_check_model.h"
#include "ui/models/log_model.h"
#include "ui/models/replica_table_model.h"
#include "ui/models/runs_model.h"
#include "ui/widgets/phase_bar.h"
#include "ui/widgets/sparkline.h"

namespace lockstep::ui {
namespace {

constexpr int kIconSize = 16;
constexpr double kCurveMark = 4;
constexpr int kSparklineWidth = 12 * kGrid;

void paintBackground(QPainter* painter, const QStyleOptionViewItem& option) {
    const Theme& theme = Theme::of(option.widget);
    if (option.state.testFlag(QStyle::State_Selected))
        painter->fillRect(option.rect, theme.selection);
    const QRectF outline = QRectF(option.rect).adjusted(1, 1, -1, -1);
    if (!option.state.testFlag(QStyle::State_HasFocus)) return;
    painter->setPen(theme.accent);
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(outline, 4, 4);
}

void paintText(QPainter* painter, const QRectF& rect, const QStyleOptionViewItem& option) {
    const Theme& theme = Theme::of(option.widget);
    painter->setFont(option.font);
    painter->setPen(theme.text);
    painter->drawText(
        rect, int(option.displayAlignment),
        option.fontMetrics.elidedText(option.text, Qt::ElideRight, int(rect.width())));
}

}  // namespace

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    QStyleOptionViewItem filled = option;
    initStyleOption(&filled, index);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    paintBackground(painter, filled);
    paintContent(painter, QRectF(option.rect).adjusted(kGrid, 0, -kGrid, 0), filled, index);
    painter->restore();
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem filled = option;
    initStyleOption(&filled, index);
    // The sheet's padding is not counted beside the margins that are painted.
    return {filled.fontMetrics.horizontalAdvance(filled.text) + 2 * kGrid + 2,
            QStyledItemDelegate::sizeHint(option, index).height()};
}

void CellDelegate::paintContent(QPainter* painter, const QRectF& content,
                                const QStyleOptionViewItem& option, const QModelIndex&) const {
    paintText(painter, content, option);
}

void ToneDelegate::paintContent(QPainter* painter, const QRectF& content,
                                const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
    const Mark mark = markOf(index);
    const Theme& theme = Theme::of(option.widget);
    const QRectF icon(content.left(), content.center().y() - kIconSize / 2.0, kIconSize, kIconSize);
    paintIcon(*painter, mark.icon, icon,
              mark.tone == Tone::Neutral ? theme.textSecondary : theme.tone(mark.tone));
    paintText(painter, content.adjusted(kIconSize + kGrid, 0, 0, 0), option);
}

QSize ToneDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return CellDelegate::sizeHint(option, index) + QSize(kIconSize + kGrid, 0);
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
            if (index.data(ReplicaTableModel::AccusedRole).toBool())
                return {Icon::Warning, Tone::Warn};
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
    return markOf(index.data(RunsModel::StatusRole).toString());
}

ToneDelegate::Mark RunStatusDelegate::markOf(const QString& status) {
    if (status == QLatin1String("running")) return {Icon::Live, Tone::Accent};
    if (status == QLatin1String("completed")) return {Icon::Check, Tone::Good};
    if (status == QLatin1String("failed")) return {Icon::Error, Tone::Bad};
    if (status == QLatin1String("interrupted") || status == QLatin1String("unknown"))
        return {Icon::Warning, Tone::Warn};
    return {Icon::Stop, Tone::Neutral};
}

void ScoreDelegate::paintContent(QPainter* painter, const QRectF& content,
                                 const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const {
    paintText(painter, content, option);
    if (!index.data(RunsModel::BestRole).toBool()) return;
    const QRectF left =
        content.adjusted(0, 0, -option.fontMetrics.horizontalAdvance(option.text) - kGrid, 0);
    painter->setFont(smallFont());
    painter->setPen(Theme::of(option.widget).good);
    painter->drawText(left, Qt::AlignRight | Qt::AlignVCenter, tr("best"));
}

QSize ScoreDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const int words = QFontMetrics(smallFont()).horizontalAdvance(tr("best"));
    return CellDelegate::sizeHint(option, index) + QSize(words + kGrid, 0);
}

void SparklineDelegate::paintContent(QPainter* painter, const QRectF& content,
                                     const QStyleOptionViewItem& option,
                                     const QModelIndex& index) const {
    const auto values = index.data(RunsModel::CurveRole).value<QList<float>>();
    if (values.isEmpty()) return;
    const double inset = kGrid * 0.75;
    Sparkline::paint(*painter, content.adjusted(0, inset, 0, -inset), values,
                     Theme::of(option.widget));
}

QSize SparklineDelegate::sizeHint(const QStyleOptionViewItem& option,
                                  const QModelIndex& index) const {
    return {kSparklineWidth, CellDelegate::sizeHint(option, index).height()};
}

void CurveDelegate::paintContent(QPainter* painter, const QRectF& content,
                                 const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const {
    const auto colour = index.data(Qt::DecorationRole).value<QColor>();
    const bool isShown = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    painter->setPen(QPen(colour, 1.5));
    painter->setBrush(isShown ? QBrush(colour) : QBrush(Qt::NoBrush));
    painter->drawEllipse(QPointF(content.left() + kIconSize / 2.0, content.center().y()),
                         kCurveMark, kCurveMark);
    paintText(painter, content.adjusted(kIconSize + kGrid, 0, 0, 0), option);
}

QSize CurveDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return CellDelegate::sizeHint(option, index) + QSize(kIconSize + kGrid, 0);
}

bool CurveDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                                const QStyleOptionViewItem& option, const QModelIndex& index) {
    bool toggles = false;
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        toggles = mouse->button() == Qt::LeftButton &&
                  mouse->position().x() < option.rect.left() + 2 * kGrid + kIconSize;
    } else if (event->type() == QEvent::KeyPress) {
        toggles = static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
    }
    if (!toggles) return false;
    const bool wasShown = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, int(wasShown ? Qt::Unchecked : Qt::Checked), Qt::CheckStateRole);
}

ToneDelegate::Mark CheckDelegate::markOf(const QModelIndex& index) const {
    return markOf(job::CheckState(index.data(HostCheckModel::StateRole).toInt()));
}

ToneDelegate::Mark CheckDelegate::markOf(job::CheckState state) {
    switch (state) {
        case job::CheckState::Pending:
        case job::CheckState::Running:
            return {Icon::Waiting, Tone::Neutral};
        case job::CheckState::Unknown:
        case job::CheckState::NotApplicable:
            return {Icon::Minus, Tone::Neutral};
        case job::CheckState::Ok:
            return {Icon::Check, Tone::Good};
        case job::CheckState::Note:
            return {Icon::Info, Tone::Accent};
        case job::CheckState::Warning:
            return {Icon::Warning, Tone::Warn};
        case job::CheckState::Failure:
            return {Icon::Error, Tone::Bad};
    }
    return {};
}

void AddressDelegate::paintContent(QPainter* painter, const QRectF& content,
                                   const QStyleOptionViewItem& option,
                                   const QModelIndex& index) const {
    const int severity = index.data(ClusterTableModel::SeverityRole).toInt();
    if (severity < 0) return paintText(painter, content, option);
    const bool wrong = severity == int(config::Severity::Error);
    const QRectF icon(content.right() - kIconSize, content.center().y() - kIconSize / 2.0,
                      kIconSize, kIconSize);
    paintIcon(*painter, wrong ? Icon::Error : Icon::Warning, icon,
              Theme::of(option.widget).tone(wrong ? Tone::Bad : Tone::Warn));
    paintText(painter, content.adjusted(0, 0, -kIconSize - kGrid, 0), option);
}

void PhaseDelegate::paintContent(QPainter* painter, const QRectF& content,
                                 const QStyleOptionViewItem&, const QModelIndex& index) const {
    const auto phases = index.data(ReplicaTableModel::PhasesRole).value<QList<float>>();
    PhaseBar::paint(*painter, {content.left(), content.center().y() - 6, content.width(), 12},
                    phases);
}

}  // namespace lockstep::ui
