// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/host_check_details.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/style/core_words.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kIconSize = 16;

QLabel* selectableLabel(const QString& text, QWidget* parent) {
    QLabel* label = wrappedLabel(parent, text);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QLabel* iconLabel(config::Severity severity, QWidget* parent) {
    const bool wrong = severity == config::Severity::Error;
    auto* label = new QLabel(parent);
    label->setPixmap(makeIcon(wrong ? Icon::Error : Icon::Warning, wrong ? Tone::Bad : Tone::Warn)
                         .pixmap(kIconSize));
    label->setFixedWidth(kIconSize);
    label->setAlignment(Qt::AlignTop);
    return label;
}

}  // namespace

HostCheckDetails::HostCheckDetails(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("hostCheckDetails"));
    title_ = new QLabel(this);
    title_->setObjectName(QStringLiteral("hostCheckTitle"));
    title_->setFont(strongFont());
    title_->setTextFormat(Qt::PlainText);
    found_ = selectableLabel({}, this);
    found_->setObjectName(QStringLiteral("hostCheckFound"));
    found_->setProperty("secondary", true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(title_);
    layout->addWidget(found_);
    problems_ = new QVBoxLayout;
    problems_->setSpacing(2 * kGrid);
    layout->addLayout(problems_);
}

void HostCheckDetails::show(const QString& title, const QString& found,
                            const std::vector<const job::HostProblem*>& problems) {
    title_->setText(title);
    found_->setText(found);
    found_->setVisible(!found.isEmpty() && problems.empty());
    while (QLayoutItem* item = problems_->takeAt(0)) {
        if (item->widget()) {
            item->widget()->setParent(nullptr);
            item->widget()->deleteLater();  // it may be its own button that is clicked
        }
        delete item;
    }
    int number = 0;
    for (const job::HostProblem* problem : problems)
        problems_->addWidget(buildProblem(*problem, number++));
}

QWidget* HostCheckDetails::buildProblem(const job::HostProblem& problem, int number) {
    auto* row = new QWidget(this);
    auto* words = new QVBoxLayout;
    words->setSpacing(kGrid / 2);
    QString sentence = fromCore(problem.sentence);
    // A host's name stays as it is written.
    if (!sentence.isEmpty() && !sentence.startsWith(QString::fromStdString(problem.host)))
        sentence[0] = sentence[0].toUpper();
    auto* said = selectableLabel(sentence, row);
    said->setObjectName(QStringLiteral("problemSentence%1").arg(number));
    words->addWidget(said);
    if (!problem.advice.empty()) {
        auto* advice = selectableLabel(fromCore(problem.advice), row);
        advice->setProperty("secondary", true);
        words->addWidget(advice);
    }
    if (!problem.command.empty())
        words->addWidget(buildCommand(QString::fromStdString(problem.command), number));
    if (!problem.key.empty()) {
        auto* change = new QPushButton(fromCore(problem.change), row);
        change->setObjectName(QStringLiteral("problemChange%1").arg(number));
        change->setToolTip(
            tr("Sets %1 to %2 in the job file; Undo takes it back")
                .arg(QString::fromStdString(problem.key), QString::fromStdString(problem.value)));
        const QString key = QString::fromStdString(problem.key);
        const QString value = QString::fromStdString(problem.value);
        connect(change, &QPushButton::clicked, this,
                [this, key, value] { Q_EMIT changeRequested(key, value); });
        words->addWidget(change, 0, Qt::AlignLeft);
    }
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(iconLabel(problem.severity, row), 0, Qt::AlignTop);
    layout->addLayout(words, 1);
    return row;
}

QWidget* HostCheckDetails::buildCommand(const QString& command, int number) {
    auto* row = new QWidget(this);
    auto* text = new QLineEdit(command, row);
    text->setObjectName(QStringLiteral("problemCommand%1").arg(number));
    text->setAccessibleName(tr("Command that helps"));
    text->setReadOnly(true);
    text->setFont(fixedFont());
    text->setCursorPosition(0);
    text->setToolTip(command);
    auto* copy = new QPushButton(makeIcon(Icon::Copy), tr("Copy"), row);
    copy->setObjectName(QStringLiteral("problemCopy%1").arg(number));
    copy->setAccessibleName(tr("Copy the command"));
    connect(copy, &QPushButton::clicked, this,
            [command] { QApplication::clipboard()->setText(command); });
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(text, 1);
    layout->addWidget(copy);
    return row;
}

}  // namespace lockstep::ui
