// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QTableView>
#include <QWidget>

#include "tests/ui/support/overlaps.h"

namespace lockstep::testsupport {

/// The widget with what it says, for a message.
inline QString nameOf(const QWidget& widget) {
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    return QStringLiteral("%1 %2 “%3”")
        .arg(QLatin1String(widget.metaObject()->className()), widget.objectName(),
             button ? button->text() : textOf(widget));
}

/// What is said of a label or a button that is narrower or lower than its words, and cannot elide
/// them; empty: it has its place.
inline QString cutWord(const QWidget& widget) {
    const auto* label = qobject_cast<const QLabel*>(&widget);
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    if ((!label && !button) || qobject_cast<QLineEdit*>(widget.parentWidget())) return {};
    if (label && label->wordWrap()) {
        // A word of the window's own; what a job says may be as long as it likes.
        for (const QString& word : label->text().split(QLatin1Char(' ')))
            if (word.contains(u'x') && word.endsWith(QLatin1String("x»")) &&
                label->fontMetrics().horizontalAdvance(word) > label->contentsRect().width() + 1)
                return nameOf(widget) + QStringLiteral(": a word is wider than %1 pixels")
                                            .arg(label->contentsRect().width());
        const int needed = label->heightForWidth(label->width());
        return label->height() + 1 >= needed
                   ? QString()
                   : nameOf(widget) +
                         QStringLiteral(": %1 of %2 high").arg(label->height()).arg(needed);
    }
    const QSize needed = widget.minimumSizeHint();
    const bool isWide = widget.width() + 1 >= needed.width();
    if (isWide && widget.height() + 1 >= needed.height()) return {};
    if (label && label->text().count(u'«') > 1) return {};  // longer twice
    return nameOf(widget) + QStringLiteral(": %1 × %2 of %3 × %4 pixels")
                                .arg(widget.width())
                                .arg(widget.height())
                                .arg(needed.width())
                                .arg(needed.height());
}

/// The word that is chosen in a box is wider than its room.
inline QString cutChoice(const QWidget& widget) {
    const auto* box = qobject_cast<const QComboBox*>(&widget);
    if (!box || box->isEditable()) return {};
    QStyleOptionComboBox option;
    option.initFrom(box);
    const int room =
        box->style()
            ->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, box)
            .width();
    const int needed = box->fontMetrics().horizontalAdvance(box->currentText());
    if (room + 1 >= needed) return {};
    return QStringLiteral("box %1 “%2”: %3 of %4 pixels")
        .arg(box->objectName(), box->currentText())
        .arg(room)
        .arg(needed);
}

/// Labels and buttons beyond the right edge of what they lie in, and cannot be scrolled to.
inline QString lostWord(const QWidget& widget) {
    if (!qobject_cast<const QLabel*>(&widget) && !qobject_cast<const QAbstractButton*>(&widget))
        return {};
    for (const QWidget* above = widget.parentWidget(); above; above = above->parentWidget()) {
        if (const auto* area = qobject_cast<const QAbstractScrollArea*>(above);
            area && area->horizontalScrollBar()->maximum() > 0 &&
            area->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff)
            return {};
        const int right = widget.mapTo(above, QPoint(widget.width(), 0)).x();
        if (right > above->width() + 1)
            return nameOf(widget) +
                   QStringLiteral(": ends %1 pixels outside %2 %3")
                       .arg(right - above->width())
                       .arg(QLatin1String(above->metaObject()->className()), above->objectName());
        if (above->isWindow()) break;
    }
    return {};
}

/// Headings of tables that are wider than their columns.
inline QStringList cutHeadings(const QWidget& window) {
    QStringList found;
    for (const auto* table : window.findChildren<QTableView*>()) {
        const QHeaderView* header = table->horizontalHeader();
        if (!header->isVisible()) continue;
        for (int section = 0; section < header->count(); ++section) {
            const int needed = header->sectionSizeHint(section);
            if (header->isSectionHidden(section) || header->sectionSize(section) + 1 >= needed)
                continue;
            // The evaluator's list lets its last column give way, with "…".
            if (table->objectName() == QLatin1String("evaluationTable") &&
                header->sectionResizeMode(section) == QHeaderView::Stretch)
                continue;
            found << QStringLiteral("heading %1 of %2: %3 of %4 pixels")
                         .arg(table->model()->headerData(section, Qt::Horizontal).toString(),
                              table->objectName())
                         .arg(header->sectionSize(section))
                         .arg(needed);
        }
    }
    return found;
}

/// Every word of the window that cannot be read to its end.
inline QStringList cutWords(const QWidget& window) {
    QStringList found;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->window() != &window) continue;
        found << lostWord(*widget);
        if (!widget->visibleRegion().isEmpty()) found << cutWord(*widget) << cutChoice(*widget);
    }
    found << cutHeadings(window);
    found.removeAll(QString());
    return found;
}

}  // namespace lockstep::testsupport
