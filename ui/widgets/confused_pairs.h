// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListWidget>

#include "ui/widgets/confusion_picture.h"

namespace lockstep::ui {

/// The classes that are taken for each other most often, the worst first.
class ConfusedPairs final : public QListWidget {
    Q_OBJECT
public:
    explicit ConfusedPairs(QWidget* parent = nullptr);

    void setPairs(const QStringList& classNames, const std::vector<ConfusedPair>& pairs);

Q_SIGNALS:
    void pairChosen(int truth, int prediction);

private:
    std::vector<ConfusedPair> pairs_;
};

}  // namespace lockstep::ui
