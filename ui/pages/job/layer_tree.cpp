// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/layer_tree.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QStyledItemDelegate>

#include "ui/models/layer_tree_model.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"

namespace lockstep::ui {
namespace {

using Kind = config::OutlineRow::Kind;

constexpr int kLine = 28;     ///< Height of a row.
constexpr int kProblem = 20;  ///< And of the sentence beneath it.
constexpr int kIndent = 18;
constexpr int kIcon = 14;
constexpr int kMostShown = 15;  ///< Rows; more are scrolled to.

bool hasProblem(const QModelIndex& index) {
    return !index.siblingAtColumn(0).data(LayerTreeModel::ProblemRole).toString().isEmpty();
}

class LayerDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const int width = QStyledItemDelegate::sizeHint(option, index).width();
        return {width, kLine + (hasProblem(index) ? kProblem : 0)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Theme& theme = Theme::of(option.widget);
        painter->save();
        QRect line = option.rect;
        line.setHeight(kLine);
        line.adjust(index.column() == 0 ? 2 : kGrid, 0, -kGrid, 0);
        if (index.column() == 0)
            paintLayer(*painter, line, index, theme);
        else
            paintFigure(*painter, line, index, theme);
        painter->restore();
    }

private:
    static void paintFigure(QPainter& painter, const QRect& line, const QModelIndex& index,
                            const Theme& theme) {
        painter.setPen(theme.textSecondary);
        const QString words = index.data().toString();
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(words, Qt::ElideRight, line.width()));
    }

    static void paintLayer(QPainter& painter, QRect line, const QModelIndex& index,
                           const Theme& theme) {
        if (hasProblem(index)) {
            const bool isWrong = index.data(LayerTreeModel::WrongRole).toBool();
            const QRectF icon(line.left(), line.center().y() - kIcon / 2.0 + 0.5, kIcon, kIcon);
            paintIcon(painter, isWrong ? Icon::Error : Icon::Warning, icon,
                      theme.tone(isWrong ? Tone::Bad : Tone::Warn));
            line.setLeft(line.left() + kIcon + 5);
        }
        if (index.data(LayerTreeModel::GroupRole).toBool()) painter.setFont(strongFont());
        const QString title = index.data().toString();
        painter.setPen(theme.text);
        const QFontMetrics metrics = painter.fontMetrics();
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(title, Qt::ElideRight, line.width()));
        line.setLeft(line.left() + metrics.horizontalAdvance(title) + 10);
        if (line.width() < 24) return;
        painter.setFont(smallFont());
        painter.setPen(theme.textSecondary);
        painter.drawText(
            line, Qt::AlignLeft | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(index.data(LayerTreeModel::SummaryRole).toString(),
                                             Qt::ElideRight, line.width()));
    }
};

}  // namespace

LayerTree::LayerTree(LayerTreeModel& model, QWidget* parent) : QTreeView(parent), model_(model) {
    setObjectName(QStringLiteral("layerTree"));
    setAccessibleName(tr("Layers of the network"));
    setModel(&model_);
    setItemDelegate(new LayerDelegate(this));
    setIndentation(kIndent);
    setUniformRowHeights(false);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setAllColumnsShowFocus(true);
    setDragDropMode(QAbstractItemView::InternalMove);
    setDropIndicatorShown(true);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    header()->setStretchLastSection(false);
    header()->setSectionsMovable(false);
    header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    header()->setSectionResizeMode(int(LayerTreeModel::Column::Layer), QHeaderView::Stretch);
    connect(this, &QTreeView::expanded, this, [this](const QModelIndex& i) { note(i, false); });
    connect(this, &QTreeView::collapsed, this, [this](const QModelIndex& i) { note(i, true); });
    connect(&model_, &QAbstractItemModel::modelReset, this, &LayerTree::restore);
    connect(&model_, &QAbstractItemModel::dataChanged, this, [this] {
        scheduleDelayedItemsLayout();  // a problem makes its row higher
        updateGeometry();
    });
    restore();
}

void LayerTree::note(const QModelIndex& index, bool folded) {
    const config::OutlineRow* row = model_.rowOf(index);
    if (restoring_ || !row) return;
    if (folded)
        folded_.insert(row->key);
    else
        folded_.erase(row->key);
    updateGeometry();
}

void LayerTree::restoreBelow(const QModelIndex& parent) {
    for (int i = 0; i < model_.rowCount(parent); ++i) {
        const QModelIndex index = model_.index(i, 0, parent);
        setExpanded(index, !folded_.contains(model_.rowOf(index)->key));
        restoreBelow(index);
    }
}

void LayerTree::restore() {
    {
        const QScopedValueRollback guard(restoring_, true);
        restoreBelow({});
        const QModelIndex index = chosen_.empty() ? QModelIndex() : model_.indexOf(chosen_);
        if (index.isValid()) setCurrentIndex(index);
    }
    if (!currentIndex().isValid() && !chosen_.empty()) {
        chosen_.clear();
        Q_EMIT chosenChanged();
    }
    updateGeometry();
}

void LayerTree::choose(const config::TomlPath& path) {
    const QModelIndex index = model_.indexOf(path);
    if (!index.isValid()) return;
    for (QModelIndex above = index.parent(); above.isValid(); above = above.parent())
        expand(above);
    setCurrentIndex(index);
    scrollTo(index);
}

void LayerTree::foldAll(bool fold) {
    if (fold)
        collapseAll();
    else
        expandAll();
    folded_.clear();
    const auto noteAll = [this](const QModelIndex& parent, const auto& self) -> void {
        for (int i = 0; i < model_.rowCount(parent); ++i) {
            const QModelIndex index = model_.index(i, 0, parent);
            if (model_.rowCount(index) == 0) continue;
            folded_.insert(model_.rowOf(index)->key);
            self(index, self);
        }
    };
    if (fold) noteAll({}, noteAll);
    updateGeometry();
}

void LayerTree::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QTreeView::currentChanged(current, previous);
    if (restoring_) return;
    const config::OutlineRow* row = model_.rowOf(current);
    const config::TomlPath path = row ? row->path : config::TomlPath();
    if (path == chosen_) return;
    chosen_ = path;
    Q_EMIT chosenChanged();
}

void LayerTree::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Delete)) return Q_EMIT removeRequested();
    QTreeView::keyPressEvent(event);
}

void LayerTree::drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    const Theme& theme = Theme::of(this);
    if (index.siblingAtColumn(0) == currentIndex().siblingAtColumn(0)) {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(hasFocus() ? QPen(theme.accent) : QPen(Qt::NoPen));
        painter->setBrush(theme.selection);
        painter->drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        painter->restore();
    }
    // The view would fill what is before the layer once more, with corners of its own.
    QStyleOptionViewItem plain = option;
    plain.palette.setColor(QPalette::Highlight, Qt::transparent);
    QTreeView::drawRow(painter, plain, index);
    const QString problem = index.siblingAtColumn(0).data(LayerTreeModel::ProblemRole).toString();
    if (problem.isEmpty()) return;
    const bool isWrong = index.siblingAtColumn(0).data(LayerTreeModel::WrongRole).toBool();
    QRect line = option.rect;
    line.setTop(line.top() + kLine - 4);
    line.setHeight(kProblem);
    line.setLeft(visualRect(index.siblingAtColumn(0)).left() + kIcon + 7);
    painter->save();
    painter->setFont(smallFont());
    painter->setPen(theme.tone(isWrong ? Tone::Bad : Tone::Warn));
    painter->drawText(
        line, Qt::AlignLeft | Qt::AlignVCenter,
        painter->fontMetrics().elidedText(problem, Qt::ElideRight, line.width() - kGrid));
    painter->restore();
}

void LayerTree::drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const {
    if (model_.rowCount(index) == 0) return;
    const QRectF place(rect.right() - kIndent + 1.0, rect.top() + (kLine - 12) / 2.0, 12, 12);
    paintIcon(*painter, isExpanded(index) ? Icon::ChevronDown : Icon::ChevronRight, place,
              Theme::of(this).textSecondary);
}

/// As high as its rows, within limits.
QSize LayerTree::sizeHint() const {
    int height = header()->sizeHint().height() + 4;
    int rows = 0;
    for (QModelIndex each = model_.index(0, 0); each.isValid() && rows < kMostShown;
         each = indexBelow(each), ++rows)
        height += kLine + (hasProblem(each) ? kProblem : 0);
    return {480, height};
}

QSize LayerTree::minimumSizeHint() const {
    return {260, std::max(kLine * 5, sizeHint().height())};
}

}  // namespace lockstep::ui
