// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTableView>

#include "ui/widgets/elided_label.h"
#include "ui/widgets/state_pill.h"

namespace lockstep::testsupport {

/// All that a window says now, also in menus, tool tips and to screen readers: text and who says
/// it.
class ShownWords {
public:
    explicit ShownWords(const QWidget& window) {
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            if (widget->isVisible()) take(*widget);
        }
        for (const QAction* action : window.findChildren<QAction*>()) {
            if (!action->isVisible()) continue;
            add(action->text(), *action, "text");
            if (action->toolTip() != QString(action->text()).remove(u'&'))
                add(action->toolTip(), *action, "tool tip");
        }
        add(window.windowTitle(), window, "title");
    }

    [[nodiscard]] const QMap<QString, QString>& all() const { return words_; }

private:
    void take(const QWidget& widget) {
        add(widget.toolTip(), widget, "tool tip");
        add(widget.accessibleName(), widget, "accessible name");
        add(widget.accessibleDescription(), widget, "accessible description");
        if (auto* label = qobject_cast<const QLabel*>(&widget)) add(label->text(), widget, "text");
        if (auto* label = qobject_cast<const ui::ElidedLabel*>(&widget))
            add(label->text(), widget, "text");
        if (auto* pill = qobject_cast<const ui::StatePill*>(&widget))
            add(pill->word(), widget, "text");
        if (auto* button = qobject_cast<const QAbstractButton*>(&widget))
            add(button->text(), widget, "text");
        if (auto* edit = qobject_cast<const QLineEdit*>(&widget))
            add(edit->placeholderText(), widget, "placeholder");
        if (auto* combo = qobject_cast<const QComboBox*>(&widget)) {
            for (int i = 0; i < combo->count(); ++i)
                add(combo->itemText(i), widget, "choice");
        }
        if (auto* view = qobject_cast<const QTableView*>(&widget)) takeHeader(*view);
    }
    void takeHeader(const QTableView& view) {
        if (!view.model() || !view.horizontalHeader()->isVisible()) return;
        for (int column = 0; column < view.model()->columnCount(); ++column) {
            if (view.isColumnHidden(column)) continue;
            add(view.model()->headerData(column, Qt::Horizontal).toString(), view, "header");
        }
    }
    void add(const QString& text, const QObject& who, const char* what) {
        if (text.isEmpty() || words_.contains(text)) return;
        QString name = who.objectName();
        if (name.isEmpty() && who.parent()) name = who.parent()->objectName() + QStringLiteral("/");
        words_[text] =
            QStringLiteral("%1 %2 (%3)")
                .arg(QLatin1String(who.metaObject()->className()), name, QLatin1String(what));
    }

    QMap<QString, QString> words_;
};

}  // namespace lockstep::testsupport
