// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/live/live_page.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <algorithm>

#include "ui/charts/surface/chart_card.h"
#include "ui/charts/surface/chart_group.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/words.h"
#include "ui/pages/live/chart_export.h"
#include "ui/pages/live/chart_grid.h"
#include "ui/pages/live/figure_shelf.h"
#include "ui/pages/live/lane_card.h"
#include "ui/pages/live/replica_chips.h"
#include "ui/pages/live/report_hint.h"
#include "ui/pages/live/scalar_feed.h"
#include "ui/pages/live/smoothing_control.h"
#include "ui/pages/live/step_timeline.h"
#include "ui/pages/live/x_axis_control.h"
#include "ui/pages/page_parts.h"
#include "ui/style/icons.h"
#include "ui/style/units.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/flow_layout.h"

namespace lockstep::ui {
namespace {

constexpr qint64 kHeadlineSteps = 50;
constexpr int kLeastChart = 170;  // pixels high

}  // namespace

LivePage::LivePage(QWidget* parent) : QWidget(parent), group_(new ChartGroup) {
    buildCharts();
    buildLayout();
    group_->setParent(this);  // after the charts, which it must outlive
    LiveFeed::Charts charts{};
    for (std::size_t i = 0; i < cards_.size(); ++i)
        charts[i] = &cards_[i]->chart();
    feed_ = new LiveFeed(*group_, charts, lanes_->heartbeats(), this);
    scalars_ = new ScalarFeed(*group_, *feed_, *figures_, this);
    connect(group_, &ChartGroup::markChosen, this, &LivePage::choose);
    auto* pictures = new ChartExport(*this);
    pictures->serve(*grid_);
    pictures->serve(figures_->grid());
    reset();
}

bool LivePage::showMoment(double wallTime) {
    return group_->showMoment(wallTime);
}

void LivePage::choose(AxisMark mark) {
    if (mark.wallTime <= 0) mark.wallTime = group_->wallTimeOf(mark.step);
    Q_EMIT markChosen(mark);
}

LiveChart& LivePage::chart(LiveFeed::Figure figure) const {
    return cards_[figure]->chart();
}

void LivePage::buildCharts() {
    grid_ = new ChartGrid(this);
    figures_ = new FigureShelf(this);
    struct Figure {
        const char* name;
        QString title;
        QString unit;
        std::optional<double> low;
        std::optional<double> ceiling;
        LiveChart::ValueFormat format;
    };
    const auto four = [](double value) { return units::number(value); };
    const auto percent = [](double value) { return units::percent(value); };
    const std::array<Figure, LiveFeed::FigureCount> figures{
        Figure{"lossChart", tr("Loss"), {}, 0.0, {}, four},
        Figure{"accuracyChart", tr("Accuracy"), {}, {}, 1.0, percent},
        Figure{"throughputChart",
               tr("Throughput of a replica"),
               tr("samples/s"),
               0.0,
               {},
               [](double value) { return units::thousands(value); }},
        Figure{"stepTimeChart", tr("Step time"), tr("ms"), 0.0, {}, four}};
    for (std::size_t i = 0; i < figures.size(); ++i) {
        auto* chart = new LiveChart(group_);
        chart->setObjectName(QLatin1String(figures[i].name));
        chart->setTitle(figures[i].title);
        chart->setUnit(figures[i].unit);
        chart->setYBounds(figures[i].low, figures[i].ceiling);
        chart->setValueFormat(figures[i].format);
        chart->setEmptyText(tr("Points appear with the first step"));
        chart->setHeadlineSteps(kHeadlineSteps);
        chart->setOffersLogY(i == LiveFeed::Loss || i == LiveFeed::StepTime);
        if (i == LiveFeed::Accuracy) chart->setYFormat(units::shortPercent);
        chart->setIgnoresOutliers(i == LiveFeed::Throughput || i == LiveFeed::StepTime);
        // They take what the page has left: higher ones would push one another, and the
        // heartbeats of many processes, out of sight.
        chart->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);
        chart->setMinimumHeight(kLeastChart);
        cards_[i] = new ChartCard(chart, grid_);
        grid_->add(cards_[i]);
    }
}

QWidget* LivePage::buildControls() {
    auto* bar = new QWidget(this);
    auto* axis = new XAxisControl(
        *group_, "xAxisControl",
        tr("Since the first step, without the pauses between the starts of the run"), bar);
    auto* smoothing = new SmoothingControl(*group_, bar);
    QComboBox* newest = buildNewest(bar);
    follow_ = new QPushButton(makeIcon(Icon::Follow), tr("Follow"), bar);
    follow_->setObjectName(QStringLiteral("followButton"));
    follow_->setToolTip(tr("Go on with the newest steps, and the present of the heartbeats"));
    follow_->setEnabled(false);
    connect(follow_, &QPushButton::clicked, group_, [this] {
        group_->setFollow(true);
        lanes_->follow();
    });
    connect(group_, &ChartGroup::followChanged, this, &LivePage::matchFollow);

    auto* controls = new FlowLayout(nullptr, 3 * kGrid / 2);
    for (QWidget* widget : std::initializer_list<QWidget*>{axis, newest, smoothing, follow_})
        controls->addWidget(widget);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addLayout(controls);
    layout->addWidget(new ReplicaChips(*group_, bar), 1);
    stackWhenCrowded(this, layout, 4 * kGrid);  // many replicas need a row of their own
    return bar;
}

/// Which steps following shows.
QComboBox* LivePage::buildNewest(QWidget* parent) {
    auto* newest = new QComboBox(parent);
    newest->setObjectName(QStringLiteral("newestSteps"));
    newest->setAccessibleName(tr("Steps shown"));
    newest->addItem(tr("All steps"), 0);
    for (const int steps : {5000, 500})
        newest->addItem(tr("Last %1").arg(units::count(steps)), steps);
    connect(newest, &QComboBox::activated, group_, [this, newest] {
        group_->setNewest(newest->currentData().toInt());
        group_->setFollow(true);
    });
    connect(group_, &ChartGroup::newestChanged, newest,
            [newest](qint64 steps) { newest->setCurrentIndex(newest->findData(int(steps))); });
    return newest;
}

void LivePage::matchFollow() {
    follow_->setEnabled(!group_->isFollowing() || !lanes_->isFollowing());
}

/// Why there are no points, and what would bring them.
void LivePage::showEmptyTexts(const job::RunView& view) {
    const bool ended = isEnded(view.state);
    const bool program = std::ranges::any_of(view.replicas, [](const job::ReplicaView& each) {
        return each.phase == job::Phase::Program;
    });
    const bool anyStep = chart(LiveFeed::Loss).pointCount() > 0;
    const QString words = ended     ? tr("No step was reported")
                          : program ? tr("Points appear when the program reports its first step")
                                    : tr("Points appear with the first step");
    for (ChartCard* card : cards_)
        card->chart().setEmptyText(words);
    if (anyStep)
        chart(LiveFeed::Accuracy)
            .setEmptyText(ended ? tr("No accuracy was reported") : tr("No accuracy reported yet"));
}

void LivePage::buildLayout() {
    scroll_ = new QScrollArea(this);
    scroll_->setObjectName(QStringLiteral("liveScroll"));
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->setWidgetResizable(true);
    auto* content = new QWidget(scroll_);
    scroll_->setWidget(content);
    auto* inner = new QVBoxLayout(content);
    inner->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 2 * kGrid);
    inner->setSpacing(kGrid);
    QWidget* controls = buildControls();
    inner->addWidget(controls);
    hint_ = new ReportHint(content);
    inner->addWidget(hint_, 1);
    inner->addWidget(grid_, 1);
    // Who lives, and what each does, is seen without scrolling, however many figures there are.
    lanes_ = new LaneCard(this);
    connect(lanes_, &LaneCard::followChanged, this, &LivePage::matchFollow);
    connect(lanes_, &LaneCard::maximizedChanged, this, &LivePage::matchCards);
    inner->addWidget(lanes_);
    inner->addWidget(figures_);
    leftOut_ = new QLabel(content);
    leftOut_->setObjectName(QStringLiteral("figuresLeftOut"));
    leftOut_->setProperty("secondary", true);
    inner->addWidget(leftOut_);
    followInTabOrder(controls, hint_);
    followInTabOrder(hint_, grid_);
    followInTabOrder(grid_, lanes_);
    followInTabOrder(lanes_, figures_);
    connect(grid_, &ChartGrid::maximizedChanged, this, &LivePage::matchCards);
    connect(figures_, &FigureShelf::maximizedChanged, this, &LivePage::matchCards);
    content_ = inner;
    empty_ = new EmptyState(
        Icon::Live, tr("Nothing runs yet"),
        tr("Launch the job, and loss, accuracy, throughput and step time of every replica "
           "are drawn here as they come. Every point is kept: zoom while it streams."),
        this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    addEmptyState(layout, empty_);
    layout->addWidget(scroll_, 1);
}

/// A program of the user's reports what it likes: charts of anything else would stay empty.
void LivePage::matchCards() {
    bool any = scalars_->hasFigures();
    bool anyOfOurs = false;
    for (ChartCard* card : cards_) {
        const bool hasPoints = card->chart().pointCount() > 0;
        grid_->setShown(card, hasPoints || !isProgram_);
        anyOfOurs = anyOfOurs || hasPoints || !isProgram_;
        any = any || hasPoints;
    }
    const bool isSilent = isProgram_ && !any;
    hint_->setVisible(isSilent);
    // A chart that has the page has it alone, whichever grid it is of; so have the lanes.
    const bool onlyLanes = lanes_->isMaximized();
    grid_->setVisible(!isSilent && anyOfOurs && !figures_->grid().isMaximized() && !onlyLanes);
    figures_->setVisible(scalars_->hasFigures() && !grid_->isMaximized() && !onlyLanes);
    content_->setStretchFactor(figures_, grid_->isHidden() ? 1 : 0);
    content_->setStretchFactor(lanes_, onlyLanes ? 1 : 0);
    QStringList lacking;
    if (const auto more = scalars_->leftOut(); more > 0)
        lacking << tr("Figures that have no chart here: %1. lockstepctl export has them all.")
                       .arg(more);
    if (const auto cut = scalars_->cut(); cut > 0)
        lacking << tr("Figures whose charts lack their first values: %1. lockstepctl export has "
                      "them all.")
                       .arg(cut);
    leftOut_->setText(lacking.join(QLatin1Char('\n')));
    leftOut_->setVisible(!lacking.isEmpty() && !onlyLanes);
}

void LivePage::lookLike(const LivePage& other) {
    lanes_->lookLike(*other.lanes_);
}

void LivePage::reset() {
    feed_->reset();
    lanes_->steps().reset();
    scalars_->reset();
    isProgram_ = false;
    matchCards();
    empty_->show();
    scroll_->hide();
}

void LivePage::showView(const job::RunView& view) {
    empty_->hide();
    scroll_->show();
    feed_->showView(view);
    lanes_->steps().showView(view);
    scalars_->showView();
    figures_->setJob(QString::fromStdString(view.name));
    showEmptyTexts(view);
    isProgram_ = view.backend == "program";
    hint_->setEnded(isEnded(view.state));
    matchCards();
}

void LivePage::addSteps(const std::vector<job::StepColumns>& steps) {
    feed_->addSteps(steps);
    lanes_->steps().addSteps(steps);
    matchCards();
}

void LivePage::addScalars(const std::vector<job::ScalarColumns>& scalars) {
    scalars_->add(scalars);
    matchCards();
}

bool LivePage::focusSearch() {
    if (!figures_->isVisible()) return false;
    figures_->focusSearch();
    return true;
}

void LivePage::addHeartbeats(const std::vector<job::HeartbeatMark>& marks) {
    feed_->addHeartbeats(marks);
}

void LivePage::addLoads(const std::vector<job::LoadMark>& marks) {
    lanes_->steps().addLoads(marks);
}

}  // namespace lockstep::ui
