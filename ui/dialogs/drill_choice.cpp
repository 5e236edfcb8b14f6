// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/drill_choice.h"

#include <QButtonGroup>
#include <QRadioButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/job/fold/drill_plan.h"
#include "ui/style/core_words.h"
#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kIndent = 3 * kGrid;  ///< Beneath the word, not beneath its circle.

}  // namespace

DrillChoice::DrillChoice(QWidget* parent) : QWidget(parent), group_(new QButtonGroup(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (const std::string& word : job::drillWords()) {
        const job::DrillKind kind = *job::drillKindOf(word);
        Row& row = rows_[kind];
        row.button = new QRadioButton(QString::fromStdString(word), this);
        row.button->setObjectName(QStringLiteral("drill_") + QString::fromStdString(word));
        row.button->setFont(strongFont());
        row.words = wrappedLabel(this);
        row.words->setObjectName(QStringLiteral("drillWords_") + QString::fromStdString(word));
        row.words->setProperty("secondary", true);
        row.words->setContentsMargins(kIndent, 0, 0, kGrid);
        group_->addButton(row.button, int(kind));
        layout->addWidget(row.button);
        layout->addWidget(row.words);
    }
    layout->addStretch(1);
    rows_.begin()->second.button->setChecked(true);
    setRefusals({});
    connect(group_, &QButtonGroup::idToggled, this, [this](int, bool on) {
        if (on) Q_EMIT changed();
    });
}

void DrillChoice::setRefusals(const Refusals& refusals) {
    for (const auto& [kind, row] : rows_) {
        const auto found = refusals.find(kind);
        const QString why = found == refusals.end() ? QString() : found->second;
        const QString words = why.isEmpty() ? fromCore(std::string(job::consequenceOf(kind)))
                                            : tr("Not here: %1.").arg(why);
        row.button->setEnabled(why.isEmpty());
        row.words->setEnabled(why.isEmpty());
        if (row.words->text() == words) continue;
        row.words->setText(words);
        row.button->setAccessibleDescription(words);
    }
    if (rows_[kind()].button->isEnabled()) return;
    const auto other = std::ranges::find_if(
        rows_, [](const auto& each) { return each.second.button->isEnabled(); });
    if (other != rows_.end()) other->second.button->setChecked(true);
}

job::DrillKind DrillChoice::kind() const {
    return job::DrillKind(group_->checkedId());
}

bool DrillChoice::hasChoice() const {
    return std::ranges::any_of(rows_,
                               [](const auto& each) { return each.second.button->isEnabled(); });
}

}  // namespace lockstep::ui
