// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <QStringList>

namespace lockstep::ui {

/// Which settings have a column: of those that tell the listed runs apart the few that matter most,
/// until the user chooses others from the button's menu, which is remembered.
class SettingColumns final : public QPushButton {
    Q_OBJECT
public:
    explicit SettingColumns(QWidget* parent = nullptr);

    /// Those that tell the runs apart, in the file's order.
    void offer(const QStringList& differing);
    [[nodiscard]] QStringList chosen() const;
    /// The smaller, the more it matters.
    [[nodiscard]] static int rankOf(const QString& key);
    /// Says that the list has no room for columns of these headings.
    void setWithoutRoom(const QStringList& headings);

Q_SIGNALS:
    void chosenChanged();

private:
    void buildMenu();
    void showOffer();
    [[nodiscard]] QString roomWords() const;

    QStringList offered_;
    QStringList unasked_;  ///< Of them, those that are shown by themselves.
    QStringList withoutRoom_;
};

}  // namespace lockstep::ui
