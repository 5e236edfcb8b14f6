// SPDX-License-Identifier: GPL-3.0-or-later
// The window while it shows a run as it was.
#include <QStackedWidget>

#include "ui/pages/evaluator/evaluator_desk.h"
#include "ui/pages/live/live_page.h"
#include "ui/pages/logs/logs_page.h"
#include "ui/pages/replicas/replicas_page.h"
#include "ui/shell/chart_verbs.h"
#include "ui/shell/drill_desk.h"
#include "ui/shell/main_window.h"
#include "ui/shell/run_controller.h"
#include "ui/shell/time_travel.h"
#include "ui/widgets/notice_column.h"

namespace lockstep::ui {

void MainWindow::connectPast() {
    connect(travel_, &TimeTravel::entered, this, &MainWindow::enterPast);
    connect(travel_, &TimeTravel::left, this, &MainWindow::leavePast);
    connect(travel_, &TimeTravel::failed, this,
            [this](const Error& error) { showNotice(noticeOf(error)); });
    connect(travel_, &TimeTravel::viewShown, this, &MainWindow::showPast);
    connect(travel_, &TimeTravel::arrived, this,
            [this](const job::Arrivals& arrivals) { past_->add(arrivals); });
    connect(travel_, &TimeTravel::logShown, this,
            [this](const std::shared_ptr<const job::LogBook>& log) { past_->log().follow(log); });
    // Nobody sees how the pages of a moment are filled.
    connect(travel_, &TimeTravel::fillingBegan, this, [this](bool anew) {
        for (QWidget* page : past_->pages())
            page->setUpdatesEnabled(false);
        if (anew) past_->beginAnew();
    });
    connect(travel_, &TimeTravel::fillingEnded, this, [this] {
        for (QWidget* page : past_->pages())
            page->setUpdatesEnabled(true);
        past_->finish();
        placePages(*past_);
        showSituation();
    });
}

void MainWindow::hear(const RunPages& pages) {
    connect(&pages, &RunPages::liveWanted, this, [this] { showPage(Page::Live); });
    connect(&pages, &RunPages::evaluatorWanted, this, [this] { showPage(Page::Evaluator); });
    connect(&pages, &RunPages::momentWanted, this, &MainWindow::showMoment);
}

/// The lines of that time tell of it where the run's past cannot be shown.
void MainWindow::showMoment(double wallTime) {
    if (travel_->goToTime(wallTime)) return;
    showPage(Page::Logs);
    shownPages().logs().showTime(wallTime);
}

/// Until the first moment is there, the present stays to be seen.
void MainWindow::enterPast() {
    past_ = std::make_unique<RunPages>(services_, stack_);
    hear(*past_);
    for (QWidget* page : past_->pages())
        page->hide();
    for (QWidget* page : past_->pages())
        chartVerbs_->hear(*page);
    notices_->setAside(true);
    drills_->setPast(true);
    showSituation();
}

void MainWindow::leavePast() {
    placePages(*now_);
    past_.reset();
    notices_->setAside(false);
    drills_->setPast(false);
    if (stack_->currentWidget() == &now_->replicas()) now_->replicas().refreshPanel();
    showSituation();
}

void MainWindow::showPast(const View& view) {
    past_->showView(view);
}

/// Those of the present or of the past, in the place of the others.
void MainWindow::placePages(RunPages& pages) {
    if (stack_->widget(int(Page::Live)) == &pages.live()) return;
    pages.lookLike(&pages == now_.get() ? *past_ : *now_);
    const int current = stack_->currentIndex();
    stack_->setUpdatesEnabled(false);
    int index = int(Page::Live);
    for (QWidget* page : pages.pages()) {
        stack_->removeWidget(stack_->widget(index));
        stack_->insertWidget(index++, page);
    }
    stack_->setCurrentIndex(current);
    stack_->setUpdatesEnabled(true);
}

RunPages& MainWindow::shownPages() const {
    return travel_->view() && past_ ? *past_ : *now_;
}

View MainWindow::shownView() const {
    return travel_->view() ? travel_->view() : bridge_.view();
}

}  // namespace lockstep::ui
