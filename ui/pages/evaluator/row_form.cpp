// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/row_form.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <algorithm>

#include "core/job/handover/answers_text.h"
#include "ui/style/theme.h"

namespace lockstep::ui {
namespace {

QString fromText(const std::string& text) {
    return QString::fromStdString(text);
}

/// With as few digits as its size needs.
QString ordinaryNumber(double mean) {
    return QString::number(mean, 'g', 4).contains(QLatin1Char('e')) ? QString::number(mean, 'f', 0)
                                                                    : QString::number(mean, 'g', 4);
}

/// The cells of a line, which may be quoted.
QStringList cellsOf(const QString& line, QChar separator) {
    QStringList cells{QString()};
    bool quoted = false;
    for (const QChar letter : line) {
        if (letter == QLatin1Char('"'))
            quoted = !quoted;
        else if (letter == separator && !quoted)
            cells << QString();
        else
            cells.last() += letter;
    }
    return cells;
}

}  // namespace

RowForm::RowForm(QWidget* parent) : QWidget(parent), layout_(new QGridLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(kGrid);
    layout_->setColumnStretch(1, 1);
}

void RowForm::setColumns(const std::vector<job::NetworkFacts::Column>& columns) {
    while (QLayoutItem* item = layout_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    values_.clear();
    columns_ = columns;
    for (const auto& column : columns_) {
        QWidget* field = nullptr;
        if (column.isCategory) {
            auto* choice = new QComboBox(this);
            choice->setEditable(true);  // a category that is new is worth a try
            for (const std::string& word : column.categories)
                choice->addItem(fromText(word));
            values_.emplace_back([choice] { return choice->currentText(); });
            field = choice;
        } else {
            auto* number = new QLineEdit(ordinaryNumber(column.mean), this);
            connect(number, &QLineEdit::returnPressed, this, &RowForm::entered);
            values_.emplace_back([number] { return number->text(); });
            field = number;
        }
        field->setObjectName(QStringLiteral("row_") + fromText(column.name));
        field->setAccessibleName(fromText(column.name));
        const int line = layout_->rowCount();
        auto* name = new QLabel(fromText(column.name), this);
        name->setBuddy(field);
        layout_->addWidget(name, line, 0);
        layout_->addWidget(field, line, 1);
    }
    layout_->setRowStretch(layout_->rowCount(), 1);
}

std::vector<std::string> RowForm::names() const {
    std::vector<std::string> names;
    for (const auto& column : columns_)
        names.push_back(column.name);
    return names;
}

std::string RowForm::csv() const {
    std::vector<std::string> cells;
    for (const auto& value : values_)
        cells.push_back(value().trimmed().toStdString());
    return job::csvLine(names()) + job::csvLine(cells);
}

std::string RowForm::csvOf(const QString& pasted) const {
    const QString text = QString(pasted).remove(QLatin1Char('\r'));
    const QStringList lines = text.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    if (lines.isEmpty()) return {};
    const QChar separator =
        lines.front().contains(QLatin1Char('\t')) ? QLatin1Char('\t') : QLatin1Char(',');
    const QStringList first = cellsOf(lines.front(), separator);
    const bool hasNames = std::ranges::any_of(columns_, [&first](const auto& column) {
        return std::ranges::any_of(
            first, [&](const QString& cell) { return cell.trimmed() == fromText(column.name); });
    });
    std::string csv;
    if (!hasNames && first.size() == qsizetype(columns_.size())) csv = job::csvLine(names());
    for (const QString& line : lines) {
        std::vector<std::string> cells;
        for (const QString& cell : cellsOf(line, separator))
            cells.push_back(cell.trimmed().toStdString());
        csv += job::csvLine(cells);
    }
    return csv;
}

}  // namespace lockstep::ui
