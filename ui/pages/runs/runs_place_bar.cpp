// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/runs_place_bar.h"

#include <QDesktopServices>
#include <QHBoxLayout>
#include <QPushButton>
#include <QUrl>

#include "ui/style/theme.h"
#include "ui/widgets/elided_label.h"

namespace lockstep::ui {

RunsPlaceBar::RunsPlaceBar(QWidget* parent) : QWidget(parent) {
    words_ = new ElidedLabel({}, this);
    words_->setObjectName(QStringLiteral("runsPlace"));
    words_->setSecondary(true);
    words_->setElideMode(Qt::ElideMiddle);
    words_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    auto* change = new QPushButton(tr("Change …"), this);
    change->setObjectName(QStringLiteral("changePlaceButton"));
    change->setToolTip(tr("Choose one folder for the runs of all jobs, here and on the terminal"));
    connect(change, &QPushButton::clicked, this, &RunsPlaceBar::changeRequested);
    reset_ = new QPushButton(tr("Beside the job file"), this);
    reset_->setObjectName(QStringLiteral("resetPlaceButton"));
    reset_->setToolTip(tr("Runs lie beside their job files again"));
    connect(reset_, &QPushButton::clicked, this, &RunsPlaceBar::resetRequested);
    open_ = new QPushButton(tr("Open folder"), this);
    open_->setObjectName(QStringLiteral("openPlaceButton"));
    connect(open_, &QPushButton::clicked, this,
            [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder_)); });
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
    row->setSpacing(kGrid);
    row->addWidget(words_, 1);
    row->addWidget(change);
    row->addWidget(reset_);
    row->addWidget(open_);
    showPlace({});
}

void RunsPlaceBar::showPlace(const Place& place) {
    folder_ = place.folder;
    words_->setText(place.folder.isEmpty() ? QString()
                                           : tr("New runs: %1 (%2)").arg(place.folder, place.why));
    reset_->setVisible(place.chosen);
    open_->setEnabled(place.exists);
    open_->setToolTip(place.exists ? tr("Show it in the file manager")
                                   : tr("It is made with the first run"));
}

}  // namespace lockstep::ui
