// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

#include "ui/style/icons.h"

namespace lockstep::ui {

/// A cell whose word stands beside an icon in the tone of what it says.
class ToneDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    struct Mark {
        Icon icon = Icon::Info;
        Tone tone = Tone::Neutral;
    };
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
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

protected:
    Mark markOf(const QModelIndex& index) const override;
};

/// The phases of a step as a bar.
class PhaseDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

}  // namespace lockstep::ui
