// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/compare_page.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <algorithm>

#include "ui/charts/surface/chart_card.h"
#include "ui/charts/surface/chart_group.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/compared_runs_model.h"
#include "ui/models/run_settings.h"
#include "ui/models/runs_model.h"
#include "ui/pages/cell_delegates.h"
#include "ui/pages/live/chart_export.h"
#include "ui/pages/live/chart_grid.h"
#include "ui/pages/live/smoothing_control.h"
#include "ui/pages/live/x_axis_control.h"
#include "ui/pages/page_parts.h"
#include "ui/style/core_words.h"
#include "ui/style/icons.h"
#include "ui/style/units.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flow_layout.h"

namespace lockstep::ui {

using RunColumn = RunsModel::Column;

namespace {

constexpr int kRowHeight = 4 * kGrid;
constexpr int kLeastColumn = 64;
constexpr int kMostColumn = 220;
constexpr int kRowsShown = 10;

}  // namespace

ComparePage::ComparePage(const JobServices& services, QWidget* parent)
    : QWidget(parent),
      reading_(services.attach),
      runs_(new RunsModel(this)),
      group_(new ChartGroup) {
    setObjectName(QStringLiteral("comparePage"));
    compared_ =
        new ComparedRunsModel([this](int row) { return Theme::of(this).seriesColour(row); }, this);
    compared_->setSourceModel(runs_);
    buildCharts();
    buildTable();
    buildLayout();
    group_->setParent(this);  // after the charts, which it must outlive
    CompareFeed::Charts charts{};
    for (std::size_t i = 0; i < cards_.size(); ++i)
        charts[i] = &cards_[i]->chart();
    feed_ = new CompareFeed(*group_, charts, this);
    (new ChartExport(*this))->serve(*grid_);
    connect(compared_, &ComparedRunsModel::shownChanged, feed_, &CompareFeed::setShown);
    connect(&reading_, &RunComparison::viewChanged, this, [this](int run, const View& view) {
        feed_->showView(run, *view);
        matchCards();
    });
    connect(&reading_, &RunComparison::stepsArrived, feed_, &CompareFeed::addSteps);
    connect(&reading_, &RunComparison::failed, this, [this](int run, const Error& error) {
        compared_->setProblem(run, fromCore(error.message));
    });
    connect(&reading_, &RunComparison::progressed, this, &ComparePage::showProgress);
}

ComparePage::~ComparePage() {
    reading_.disconnect(this);  // it goes after what it speaks to
}

void ComparePage::buildCharts() {
    grid_ = new ChartGrid(this);
    struct Figure {
        const char* name;
        QString title;
        bool isShare;
    };
    const std::array<Figure, CompareFeed::FigureCount> figures{
        Figure{"comparedLoss", tr("Loss"), false}, Figure{"comparedAccuracy", tr("Accuracy"), true},
        Figure{"comparedValidationLoss", tr("Loss, validation"), false},
        Figure{"comparedValidationAccuracy", tr("Accuracy, validation"), true}};
    for (std::size_t i = 0; i < figures.size(); ++i) {
        auto* chart = new LiveChart(group_);
        chart->setObjectName(QLatin1String(figures[i].name));
        chart->setTitle(figures[i].title);
        chart->setEmptyText(tr("Reading …"));
        chart->setOffersLogY(!figures[i].isShare);
        if (figures[i].isShare) {
            chart->setYBounds({}, 1.0);
            chart->setYFormat(units::shortPercent);
            chart->setValueFormat([](double value) { return units::percent(value); });
        } else {
            chart->setYBounds(0.0, {});
        }
        cards_[i] = new ChartCard(chart, grid_);
        cards_[i]->setShowsValue(false);  // of several runs none is the newest
        grid_->add(cards_[i]);
    }
}

void ComparePage::buildTable() {
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("comparedTable"));
    table_->setAccessibleName(tr("The compared runs: what became of them, and what differs"));
    table_->setModel(compared_);
    styleTable(table_, kRowHeight);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setItemDelegateForColumn(int(RunColumn::Folder), new CurveDelegate(table_));
    table_->setItemDelegateForColumn(int(RunColumn::Status), new RunStatusDelegate(table_));
    table_->setItemDelegateForColumn(int(RunColumn::Score), new ScoreDelegate(table_));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    QHeaderView* header = table_->horizontalHeader();
    header->setMinimumSectionSize(kLeastColumn);
    header->setStretchLastSection(false);
    keepSectionsFitted(table_, kLeastColumn, kMostColumn);
}

QWidget* ComparePage::buildBar() {
    auto* bar = new QWidget(this);
    auto* back = new QPushButton(makeIcon(Icon::ChevronLeft), tr("All runs"), bar);
    back->setObjectName(QStringLiteral("closeComparison"));
    back->setToolTip(tr("Back to the list (Esc)"));
    connect(back, &QPushButton::clicked, this, &ComparePage::closeRequested);
    title_ = new ElidedLabel({}, bar);
    title_->setObjectName(QStringLiteral("comparisonTitle"));
    title_->setSecondary(true);
    auto* axis = new XAxisControl(
        *group_, "comparedAxis",
        tr("Since each run's first step, without the pauses between its starts"), bar);
    follow_ = new QPushButton(makeIcon(Icon::ZoomFit), tr("Show all"), bar);
    follow_->setObjectName(QStringLiteral("showWholeComparison"));
    follow_->setEnabled(false);
    connect(follow_, &QPushButton::clicked, group_, &ChartGroup::showAll);
    connect(group_, &ChartGroup::followChanged, follow_,
            [this](bool following) { follow_->setEnabled(!following); });
    all_ = new QCheckBox(tr("All settings"), bar);
    all_->setObjectName(QStringLiteral("allSettings"));
    all_->setToolTip(tr("Also those in which the jobs agree"));
    connect(all_, &QCheckBox::toggled, this, &ComparePage::showSettings);
    auto* row = new FlowLayout(bar, kGrid);
    row->addWidget(back);
    row->addWidget(title_);
    row->addStretch();
    row->addWidget(all_);
    row->addWidget(axis);
    row->addWidget(new SmoothingControl(*group_, bar));
    row->addWidget(follow_);
    return bar;
}

void ComparePage::buildLayout() {
    auto* inner = new QVBoxLayout(scrolledBody(this));
    inner->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 2 * kGrid);
    inner->setSpacing(kGrid);
    inner->addWidget(buildBar());
    inner->addWidget(framed(table_, this));
    inner->addWidget(grid_, 1);
}

void ComparePage::compare(std::vector<job::RunEntry> runs) {
    QStringList names;
    std::vector<std::filesystem::path> folders;
    for (const job::RunEntry& run : runs) {
        names << RunsModel::titleOf(run);
        folders.push_back(run.runDir);
    }
    compared_->showAll();
    runs_->setRuns(std::move(runs));
    feed_->reset(names);
    title_->setText(tr("%1 runs compared").arg(names.size()));
    showSettings();
    reading_.start(folders);
    matchCards();
    table_->setCurrentIndex(compared_->index(0, int(RunColumn::Folder)));
    table_->setFocus(Qt::OtherFocusReason);
}

void ComparePage::clear() {
    reading_.clear();
    feed_->reset({});
    runs_->setRuns({});
}

/// The difference of the job files: a column for each setting in which they differ.
void ComparePage::showSettings() {
    std::vector<const job::RunEntry*> runs;
    for (int row = 0; row < runs_->rowCount(); ++row)
        runs.push_back(&runs_->runAt(row));
    runs_->setSettingColumns(all_->isChecked() ? allKeys(runs) : differingKeys(runs));
    fitTable();
}

void ComparePage::fitTable() {
    QHeaderView* header = table_->horizontalHeader();
    // What differs stands beside the run, and then what came of it.
    header->moveSection(header->visualIndex(int(RunColumn::Folder)), 0);
    for (int column = int(RunColumn::Count); column < header->count(); ++column)
        header->moveSection(header->visualIndex(column), 1 + column - int(RunColumn::Count));
    for (const RunColumn said :
         {RunColumn::Name, RunColumn::Started, RunColumn::Called, RunColumn::Curve})
        table_->setColumnHidden(int(said), true);  // legend and charts say it
    table_->setColumnHidden(int(RunColumn::Tags), !runs_->saysAnything(RunColumn::Tags));
    fitSections(table_, kLeastColumn, kMostColumn);
    const int rows = std::min(runs_->rowCount(), kRowsShown);
    const int bar = table_->style()->pixelMetric(QStyle::PM_ScrollBarExtent);
    table_->setFixedHeight(rows * kRowHeight + header->sizeHint().height() + bar + 4);
}

/// Runs that say nothing of a figure leave its chart out.
void ComparePage::matchCards() {
    const bool reads = reading_.isReading();
    for (ChartCard* card : cards_) {
        const bool hasPoints = card->chart().pointCount() > 0;
        grid_->setShown(card, hasPoints || card == cards_[CompareFeed::Loss]);
        card->chart().setEmptyText(reads ? tr("Reading …") : tr("No step was reported"));
    }
}

void ComparePage::showProgress() {
    matchCards();
    const QString words = tr("%1 runs compared").arg(runs_->rowCount());
    title_->setText(reading_.isReading() ? tr("%1, reading …").arg(words) : words);
}

void ComparePage::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && event->modifiers() == Qt::NoModifier)
        Q_EMIT closeRequested();
    else
        QWidget::keyPressEvent(event);
}

}  // namespace lockstep::ui
