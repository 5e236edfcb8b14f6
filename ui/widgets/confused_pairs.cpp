// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/confused_pairs.h"

#include <cmath>

#include "ui/style/units.h"

namespace lockstep::ui {

ConfusedPairs::ConfusedPairs(QWidget* parent) : QListWidget(parent) {
    setAccessibleName(tr("Most confused classes"));
    setFrameShape(QFrame::NoFrame);
    setTextElideMode(Qt::ElideRight);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(this, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
        const ConfusedPair& pair = pairs_[std::size_t(row(item))];
        Q_EMIT pairChosen(pair.truth, pair.prediction);
    });
    connect(this, &QListWidget::itemClicked, this, &QListWidget::itemActivated);
}

void ConfusedPairs::setPairs(const QStringList& classNames,
                             const std::vector<ConfusedPair>& pairs) {
    clear();
    pairs_ = pairs;
    for (const ConfusedPair& pair : pairs) {
        const QString share = std::isnan(pair.share)
                                  ? QString()
                                  : QStringLiteral(" (%1)").arg(units::percent(pair.share));
        const QString words = tr("%1 × %2 → %3%4")
                                  .arg(units::count(pair.count), classNames.value(pair.truth),
                                       classNames.value(pair.prediction), share);
        addItem(words);
        item(count() - 1)->setToolTip(words);
    }
}

}  // namespace lockstep::ui
