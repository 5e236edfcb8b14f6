// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/cell_delegates.h"

namespace lockstep::ui {

class LogModel;

/// What a log line says: with what is looked for marked, and, where a traceback is one row, a
/// chevron that unfolds it and how many lines it has.
class LineDelegate final : public CellDelegate {
    Q_OBJECT
public:
    LineDelegate(const LogModel& model, QObject* parent);

    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

Q_SIGNALS:
    void foldClicked(int row);

protected:
    void paintContent(QPainter* painter, const QRectF& content, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;

private:
    void paintLine(QPainter* painter, const QRectF& place, const QStyleOptionViewItem& option,
                   bool isCurrent) const;

    const LogModel& model_;
};

}  // namespace lockstep::ui
