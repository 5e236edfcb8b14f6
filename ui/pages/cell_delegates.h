// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

#include "core/job/doctor.h"
#include "ui/style/icons.h"

namespace lockstep::ui {

/// A cell of text: the same margins chosen or not, the current cell outlined.
class CellDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const final;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    /// Inside the cell's margins, on its background.
    virtual void paintContent(QPainter* painter, const QRectF& content,
                              const QStyleOptionViewItem& option, const QModelIndex& index) const;
};

/// A cell whose word stands beside an icon in the tone of what it says.
class ToneDelegate : public CellDelegate {
    Q_OBJECT
public:
    struct Mark {
        Icon icon = Icon::Info;
        Tone tone = Tone::Neutral;
    };
    using CellDelegate::CellDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void paintContent(QPainter* painter, const QRectF& content, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
    [[nodiscard]] virtual Mark markOf(const QModelIndex& index) const = 0;
};

/// The level of a log line.
class LevelDelegate final : public ToneDelegate {
    Q_OBJECT
public:
    using ToneDelegate::ToneDelegate;

protected:
    Mark markOf(const QModelIndex& index) const override;
};

/// The state of a replica.
class LivenessDelegate final : public ToneDelegate {
    Q_OBJECT
public:
    using ToneDelegate::ToneDelegate;

protected:
    Mark markOf(const QModelIndex& index) const override;
};

/// How a run ended.
class RunStatusDelegate final : public ToneDelegate {
    Q_OBJECT
public:
    using ToneDelegate::ToneDelegate;

    /// As RunsModel::StatusRole says it.
    [[nodiscard]] static Mark markOf(const QString& status);

protected:
    Mark markOf(const QModelIndex& index) const override;
};

/// The score of a run: marked where it is the best of its job's.
class ScoreDelegate final : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void paintContent(QPainter* painter, const QRectF& content, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
};

/// A few values as a small curve.
class SparklineDelegate final : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void paintContent(QPainter* painter, const QRectF& content, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
};

/// A run with the mark of its curves, filled while they are shown: a click on the mark, or Space,
/// turns them on and off.
class CurveDelegate final : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

protected:
    void paintContent(QPainter* painter, const QRectF& content, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
};

/// A check of a host.
class CheckDelegate final : public ToneDelegate {
    Q_OBJECT
public:
    using ToneDelegate::ToneDelegate;

    [[nodiscard]] static Mark markOf(job::CheckState state);

protected:
    Mark markOf(const QModelIndex& index) const override;
};

/// The address of a process: with a mark where something is wrong with it.
class AddressDelegate final : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;

protected:
    void paintContent(QPainter* painter, const QRectF& content, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
};

/// The phases of a step as a bar.
class PhaseDelegate final : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;

protected:
    void paintContent(QPainter* painter, const QRectF& content, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
};

}  // namespace lockstep::ui
