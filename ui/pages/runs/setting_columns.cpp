// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/setting_columns.h"

#include <QMenu>
#include <QSettings>
#include <algorithm>

#include "ui/models/run_settings.h"
#include "ui/style/translated.h"

namespace lockstep::ui {
namespace {

constexpr int kUnasked = 5;

QString choiceOf(const QString& key) {
    return QStringLiteral("runs/columns/") + key;
}

}  // namespace

/// What people turn first; of what is not named here, what trains goes before where it does.
int SettingColumns::rankOf(const QString& key) {
    static const QStringList kFirst{
        QStringLiteral("training.learning_rate"), QStringLiteral("training.global_batch_size"),
        QStringLiteral("training.optimizer"),     QStringLiteral("model.layers"),
        QStringLiteral("training.epochs"),        QStringLiteral("cluster.job_addresses"),
        QStringLiteral("training.seed")};
    static const QStringList kSections{QStringLiteral("training."), QStringLiteral("model."),
                                       QStringLiteral("data."), QStringLiteral("cluster.")};
    if (const auto named = kFirst.indexOf(key); named >= 0) return int(named);
    for (int i = 0; i < kSections.size(); ++i)
        if (key.startsWith(kSections[i])) return int(kFirst.size()) + i;
    return int(kFirst.size() + kSections.size());
}

SettingColumns::SettingColumns(QWidget* parent) : QPushButton(parent) {
    setText(tr("Columns"));
    auto* menu = new QMenu(this);
    connect(menu, &QMenu::aboutToShow, this, &SettingColumns::buildMenu);
    setMenu(menu);
    offer({});
}

void SettingColumns::offer(const QStringList& differing) {
    offered_ = differing;
    unasked_ = differing;
    std::stable_sort(unasked_.begin(), unasked_.end(),
                     [](const QString& a, const QString& b) { return rankOf(a) < rankOf(b); });
    unasked_ = unasked_.mid(0, kUnasked);
    showOffer();
}

void SettingColumns::setWithoutRoom(const QStringList& headings) {
    withoutRoom_ = headings;
    showOffer();
}

void SettingColumns::showOffer() {
    QStringList lines{tr("Which settings of the jobs are shown")};
    if (!withoutRoom_.isEmpty()) lines << roomWords();
    setToolTip(lines.join(QLatin1Char('\n')));
    setEnabled(!offered_.isEmpty() || !withoutRoom_.isEmpty());
}

QString SettingColumns::roomWords() const {
    return tr("No room for: %1").arg(listed(withoutRoom_));
}

QStringList SettingColumns::chosen() const {
    QStringList keys;
    const QSettings settings;
    for (const QString& key : offered_)
        if (settings.value(choiceOf(key), unasked_.contains(key)).toBool()) keys << key;
    return keys;
}

void SettingColumns::buildMenu() {
    menu()->clear();
    if (!withoutRoom_.isEmpty()) {
        menu()->addAction(roomWords())->setEnabled(false);
        menu()->addSeparator();
    }
    const QStringList shown = chosen();
    for (const QString& key : offered_) {
        QAction* action = menu()->addAction(settingLabel(key) + QLatin1Char('\t') + key);
        action->setCheckable(true);
        action->setChecked(shown.contains(key));
        connect(action, &QAction::toggled, this, [this, key](bool on) {
            QSettings().setValue(choiceOf(key), on);
            Q_EMIT chosenChanged();
        });
    }
}

}  // namespace lockstep::ui
