// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/cell_delegates.h"

namespace lockstep::ui {

/// A sample: its picture, where it has one, and its name.
class SampleDelegate final : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;
    /// A side of the picture.
    static constexpr int kPicture = 64;

protected:
    void paintContent(QPainter* painter, const QRectF& content, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
};

/// An answer: the likeliest classes, each with its probability as a bar and a number; a number; or
/// why there is none.
class AnswerDelegate final : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;
    static constexpr int kShown = 3;  ///< Classes.
    static constexpr int kLine = 20;  ///< Height of one.

protected:
    void paintContent(QPainter* painter, const QRectF& content, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
};

}  // namespace lockstep::ui
