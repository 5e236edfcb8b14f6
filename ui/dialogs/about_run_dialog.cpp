// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/about_run_dialog.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/style/theme.h"

namespace lockstep::ui {
namespace {

constexpr int kWidth = 56 * kGrid;
constexpr int kNoteHeight = 16 * kGrid;
constexpr int kLongestName = 100;  // of at most two bytes each; longer ones are refused in words

template <typename Field>
Field* addField(QVBoxLayout* layout, const QString& label, const char* name, Field* field) {
    auto* said = new QLabel(label, field->parentWidget());
    said->setBuddy(field);
    field->setObjectName(QLatin1String(name));
    field->setAccessibleName(label);
    layout->addWidget(said);
    layout->addWidget(field);
    return field;
}

}  // namespace

AboutRunDialog::AboutRunDialog(const QString& folder, const job::RunAbout& about, QWidget* parent)
    : QDialog(parent) {
    setObjectName(QStringLiteral("aboutRunDialog"));
    setWindowTitle(tr("Name, tags and note"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(3 * kGrid, 3 * kGrid, 3 * kGrid, 2 * kGrid);
    column->setSpacing(kGrid);
    name_ = addField(column, tr("Name"), "aboutName", new QLineEdit(this));
    name_->setText(QString::fromStdString(about.name));
    name_->setPlaceholderText(folder);
    name_->setMaxLength(kLongestName);
    name_->setToolTip(tr("What the run is called; its folder stays as it is"));
    name_->setMinimumWidth(kWidth);
    name_->selectAll();
    QStringList tags;
    for (const std::string& tag : about.tags)
        tags << QString::fromStdString(tag);
    tags_ = addField(column, tr("Tags"), "aboutTags", new QLineEdit(this));
    tags_->setText(tags.join(QLatin1Char(' ')));
    tags_->setPlaceholderText(tr("baseline keep"));
    tags_->setToolTip(tr("Words, with blanks between them; tag:word in the filter finds them"));
    note_ = addField(column, tr("Note"), "aboutNote", new QPlainTextEdit(this));
    note_->setPlainText(QString::fromStdString(about.note));
    note_->setTabChangesFocus(true);
    note_->setFixedHeight(kNoteHeight);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(kGrid);
    buttons->addStretch(1);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    auto* save = new QPushButton(tr("Save"), this);
    cancel->setObjectName(QStringLiteral("cancelAboutButton"));
    save->setObjectName(QStringLiteral("saveAboutButton"));
    save->setProperty("primary", true);
    save->setDefault(true);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(save, &QPushButton::clicked, this, &QDialog::accept);
    buttons->addWidget(cancel);
    buttons->addWidget(save);
    column->addSpacing(kGrid);
    column->addLayout(buttons);
    column->setSizeConstraint(QLayout::SetFixedSize);
    name_->setFocus();
}

job::RunAbout AboutRunDialog::about() const {
    return {name_->text().toStdString(), job::tagsIn(tags_->text().toStdString()),
            note_->toPlainText().toStdString()};
}

}  // namespace lockstep::ui
