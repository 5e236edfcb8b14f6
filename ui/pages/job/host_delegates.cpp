// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/host_delegates.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QSpinBox>

#include "core/config/job/cluster_spec.h"
#include "core/config/job/finding.h"
#include "ui/models/host_table_model.h"
#include "ui/pages/page_parts.h"
#include "ui/style/theme.h"

namespace lockstep::ui {
namespace {

constexpr int kIconSize = 16;
constexpr int kMostOffered = 12;

using Column = HostTableModel::Column;

bool isHost(const QModelIndex& index) {
    return index.column() == int(Column::Host);
}

/// The whole cell: inside its margins there is no room for a frame.
void fillCell(QWidget* editor, const QStyleOptionViewItem& option) {
    editor->setGeometry(option.rect);
}

QString headingOf(const QModelIndex& index) {
    return index.model()->headerData(index.column(), Qt::Horizontal).toString();
}

}  // namespace

HostTextDelegate::HostTextDelegate(QObject* parent) : CellDelegate(parent) {}

void HostTextDelegate::setNames(const QStringList& names) {
    if (names_.stringList() != names) names_.setStringList(names);
}

void HostTextDelegate::markWrong(bool wrong) {
    if (editor_) markProblem(editor_, "invalid", wrong);
}

QSize HostTextDelegate::sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const {
    const int icons = (index.data(HostTableModel::CheckedRole).toBool() ? 1 : 0) +
                      (index.data(HostTableModel::SeverityRole).toInt() >= 0 ? 1 : 0);
    return CellDelegate::sizeHint(option, index) +
           QSize(isHost(index) ? icons * (kIconSize + kGrid) : 0, 0);
}

void HostTextDelegate::paintContent(QPainter* painter, const QRectF& content,
                                    const QStyleOptionViewItem& option,
                                    const QModelIndex& index) const {
    const Theme& theme = Theme::of(option.widget);
    QRectF rest = content;
    const auto iconAt = [&](double left, Icon icon, const QColor& colour) {
        paintIcon(*painter, icon,
                  {left, content.center().y() - kIconSize / 2.0, kIconSize, kIconSize}, colour);
    };
    if (isHost(index)) {
        const int check = index.data(HostTableModel::CheckRole).toInt();
        if (check >= 0) {
            const ToneDelegate::Mark mark = CheckDelegate::markOf(job::CheckState(check));
            iconAt(rest.left(), mark.icon,
                   mark.tone == Tone::Neutral ? theme.textSecondary : theme.tone(mark.tone));
        }
        if (index.data(HostTableModel::CheckedRole).toBool())
            rest.adjust(kIconSize + kGrid, 0, 0, 0);
        const int severity = index.data(HostTableModel::SeverityRole).toInt();
        if (severity >= 0) {
            const bool wrong = severity == int(config::Severity::Error);
            iconAt(rest.right() - kIconSize, wrong ? Icon::Error : Icon::Warning,
                   theme.tone(wrong ? Tone::Bad : Tone::Warn));
            rest.adjust(0, 0, -kIconSize - kGrid, 0);
        }
    }
    const bool isQuiet = index.data(HostTableModel::QuietRole).toBool();
    painter->setFont(option.font);
    painter->setPen(isQuiet ? theme.textSecondary : theme.text);
    painter->drawText(
        rest, int(option.displayAlignment),
        option.fontMetrics.elidedText(option.text, Qt::ElideRight, int(rest.width())));
}

QWidget* HostTextDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                        const QModelIndex& index) const {
    auto* edit = new QLineEdit(parent);
    edit->setObjectName(QStringLiteral("hostCellEdit"));
    edit->setAccessibleName(headingOf(index));
    edit->setAutoFillBackground(true);
    if (isHost(index)) {
        edit->setPlaceholderText(tr("gpu1, or alice@gpu1"));
        offerNames(edit);
    }
    connect(edit, &QLineEdit::textEdited, this,
            [this, at = QPersistentModelIndex(index)](const QString& text) {
                if (at.isValid()) Q_EMIT typed(at, text);
            });
    editor_ = edit;
    filled_.clear();
    return edit;
}

void HostTextDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
    auto* edit = qobject_cast<QLineEdit*>(editor);
    // A name that is chosen among those offered leaves isModified() false.
    if (!edit || edit->isModified() || edit->text() != filled_) return;
    const QString text = index.data(Qt::EditRole).toString();
    if (text == filled_) return;
    filled_ = text;
    edit->setText(text);
}

void HostTextDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                            const QModelIndex&) const {
    fillCell(editor, option);
}

void HostTextDelegate::offerNames(QLineEdit* edit) const {
    auto* offers = new QCompleter(&names_, edit);
    offers->setCaseSensitivity(Qt::CaseInsensitive);
    offers->setFilterMode(Qt::MatchContains);
    offers->setMaxVisibleItems(kMostOffered);
    offers->popup()->setAccessibleName(tr("Names of the ssh settings"));
    edit->setCompleter(offers);
    connect(offers, qOverload<const QString&>(&QCompleter::activated), edit,
            [edit](const QString& name) { Q_EMIT edit->textEdited(name); });
}

/// Down shows all names that there are.
bool HostTextDelegate::eventFilter(QObject* watched, QEvent* event) {
    auto* edit = qobject_cast<QLineEdit*>(watched);
    if (edit && edit->completer() && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Down &&
        !edit->completer()->popup()->isVisible()) {
        edit->completer()->setCompletionPrefix(edit->text());
        edit->completer()->complete();
        return true;
    }
    return CellDelegate::eventFilter(watched, event);
}

QWidget* ProcessesDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                         const QModelIndex& index) const {
    auto* box = new QSpinBox(parent);
    box->setObjectName(QStringLiteral("hostProcessesEdit"));
    box->setAccessibleName(headingOf(index));
    box->setRange(1, config::kMostProcesses);
    box->setFrame(false);
    auto* delegate = const_cast<ProcessesDelegate*>(this);  // whose signals are of the view
    connect(box, &QSpinBox::editingFinished, delegate,
            [delegate, box] { Q_EMIT delegate->commitData(box); });
    return box;
}

void ProcessesDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                             const QModelIndex&) const {
    fillCell(editor, option);
}

QWidget* PartDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                    const QModelIndex& index) const {
    auto* box = new QComboBox(parent);
    box->setObjectName(QStringLiteral("hostPartEdit"));
    box->setAccessibleName(headingOf(index));
    box->addItems({HostTableModel::partWord(HostRow::Part::Trains),
                   HostTableModel::partWord(HostRow::Part::Spare)});
    return box;
}

void PartDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                        const QModelIndex&) const {
    fillCell(editor, option);
}

void PartDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
    auto* box = qobject_cast<QComboBox*>(editor);
    if (box) box->setCurrentText(index.data(Qt::EditRole).toString());
}

void PartDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                const QModelIndex& index) const {
    const auto* box = qobject_cast<QComboBox*>(editor);
    if (box) model->setData(index, box->currentText(), Qt::EditRole);
}

}  // namespace lockstep::ui
