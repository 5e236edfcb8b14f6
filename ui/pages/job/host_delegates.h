// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QStringListModel>

#include "ui/pages/cell_delegates.h"

class QLineEdit;

namespace lockstep::ui {

/// A host's name or address: in front how it was examined last, behind what is wrong with it.
/// What is typed is judged at each key.
class HostTextDelegate final : public CellDelegate {
    Q_OBJECT
public:
    explicit HostTextDelegate(QObject* parent = nullptr);

    /// What is offered while a host's name is typed.
    void setNames(const QStringList& names);
    /// Of the editor that is open: what it holds cannot be.
    void markWrong(bool wrong);

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
    /// What was typed or chosen stays, whatever comes from the model meanwhile.
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;

Q_SIGNALS:
    void typed(const QModelIndex& index, const QString& text) const;

protected:
    void paintContent(QPainter* painter, const QRectF& content, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void offerNames(QLineEdit* edit) const;

    mutable QStringListModel names_;
    mutable QPointer<QLineEdit> editor_;
    mutable QString filled_;  ///< What the model last put into it.
};

/// How many processes a host has.
class ProcessesDelegate final : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
};

/// Whether a host trains or is a spare.
class PartDelegate final : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model,
                      const QModelIndex& index) const override;
};

}  // namespace lockstep::ui
