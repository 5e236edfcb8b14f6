// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/evaluator_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/config/document/job_file.h"
#include "core/config/job/monitor.h"
#include "core/job/fold/score.h"
#include "ui/charts/surface/chart_card.h"
#include "ui/charts/surface/chart_group.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/metric_words.h"
#include "ui/models/words.h"
#include "ui/pages/evaluator/checkpoint_actions.h"
#include "ui/pages/evaluator/evaluation_details.h"
#include "ui/pages/live/chart_export.h"
#include "ui/pages/live/replica_chips.h"
#include "ui/pages/page_parts.h"
#include "ui/style/icons.h"
#include "ui/style/units.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/metric_tile.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kLeftWidth = 368;

enum Series { Validation, Test };

/// What a checkpoint is judged by: its accuracy; the loss of what is neither right nor wrong.
double heightOf(const job::EvaluationView& evaluation) {
    return std::isnan(evaluation.accuracy) ? evaluation.loss : evaluation.accuracy;
}

QString shareText(double value) {
    return units::percent(value, 2);
}

/// Whether the same checkpoints are scored, and there.
bool haveSameCheckpoints(const job::RunView& a, const job::RunView& b) {
    const auto place = [](const job::CheckpointView& each) {
        return std::pair(each.step, each.deleted);
    };
    return a.evaluations == b.evaluations &&
           std::ranges::equal(a.checkpoints, b.checkpoints, {}, place, place);
}

}  // namespace

EvaluatorPage::EvaluatorPage(EvaluationModel& model, QWidget* parent)
    : QWidget(parent), model_(model), group_(new ChartGroup) {
    buildTable();
    buildLayout();
    group_->setParent(this);  // after the charts, which it must outlive
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex&, const QModelIndex& before) {
                // By the keys; the first row becomes current where Tab leads there.
                if (!choosing_ && before.isValid()) followsLatest_ = false;
                showChosen();
            });
    connect(&model_, &QAbstractItemModel::modelReset, this, &EvaluatorPage::forgetPoints);
    connect(table_, &QTableView::clicked, this, [this] { followsLatest_ = false; });
    reset();
}

QWidget* EvaluatorPage::buildHead() {
    const auto buildTile = [this](const QString& label, const char* name, MetricTile*& tile,
                                  QPushButton*& show) {
        auto* card = new Card({}, this);
        tile = new MetricTile(label, card);
        tile->setObjectName(QLatin1String(name));
        show = new QPushButton(tr("Show"), card);
        show->setObjectName(QLatin1String(name) + QStringLiteral("Show"));
        show->setAccessibleName(tr("Show: %1").arg(label));
        card->body()->addWidget(tile);
        card->body()->addWidget(show, 0, Qt::AlignLeft);
        return card;
    };
    auto* head = new QWidget(this);
    auto* layout = new QHBoxLayout(head);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(buildTile(tr("Latest checkpoint"), "evaluatorScore", latest_, showLatest_));
    layout->addWidget(buildTile(tr("Best checkpoint"), "evaluatorBest", best_, showBest_));
    connect(showLatest_, &QPushButton::clicked, this, [this] {
        choose(model_.latestRow());
        followsLatest_ = true;
    });
    connect(showBest_, &QPushButton::clicked, this, [this] {
        choose(model_.bestRow());
        followsLatest_ = false;
    });
    return head;
}

QWidget* EvaluatorPage::buildScores() {
    chart_ = new LiveChart(group_);
    chart_->setObjectName(QStringLiteral("scoreChart"));
    chart_->setTitle(tr("Score"));
    chart_->setYBounds({}, 1.0);
    chart_->setHeadlineSeries(Validation);
    chart_->setValueFormat([](double value) { return units::percent(value, 2); });
    chart_->setYFormat(units::shortPercent);
    ChartCard* card = scoreCard_ = new ChartCard(chart_, this);
    card->addTitleWidget(new ReplicaChips(*group_, card));
    (new ChartExport(*this))->serve(*card);
    card->setMinimumHeight(200);
    auto* follow = new QToolButton(card);
    follow->setObjectName(QStringLiteral("followScores"));
    follow->setIcon(makeIcon(Icon::Follow));
    follow->setAccessibleName(tr("Show all scores"));
    follow->setToolTip(tr("Show all scores again and grow with them (0)"));
    follow->hide();
    connect(follow, &QToolButton::clicked, chart_, &LiveChart::fit);
    connect(group_, &ChartGroup::followChanged, follow,
            [follow](bool on) { follow->setVisible(!on); });
    card->addHeadWidget(follow);
    connect(card, &ChartCard::maximizeToggled, this, [this, card](bool on) {
        details_->setVisible(!on);
        card->setMaximized(on);
    });
    return card;
}

void EvaluatorPage::buildTable() {
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("evaluationTable"));
    table_->setAccessibleName(tr("Evaluations"));
    table_->setModel(&model_);
    styleTable(table_, 4 * kGrid);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->horizontalHeader()->setMinimumSectionSize(48);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(int(EvaluationModel::Column::Checkpoint),
                                                     QHeaderView::Stretch);
    table_->setMinimumHeight(120);
    const QHeaderView* header = table_->horizontalHeader();
    // Not while the header lays its columns out.
    constexpr auto kLater = Qt::QueuedConnection;
    connect(header, &QHeaderView::geometriesChanged, this, &EvaluatorPage::fitColumns, kLater);
    connect(header, &QHeaderView::sectionResized, this, &EvaluatorPage::fitColumns, kLater);
}

/// How long it took gives way where the words would be cut.
void EvaluatorPage::fitColumns() {
    constexpr int kTook = int(EvaluationModel::Column::Seconds);
    const QAbstractItemView& cells = *table_;
    int wanted = 0;
    for (int column = 0; column < model_.columnCount(); ++column)
        wanted += std::max(cells.sizeHintForColumn(column),
                           table_->horizontalHeader()->sectionSizeHint(column));
    const bool isTight = wanted > table_->viewport()->width();
    if (isTight != table_->isColumnHidden(kTook)) table_->setColumnHidden(kTook, isTight);
}

void EvaluatorPage::buildLayout() {
    content_ = new QWidget(this);
    QWidget* body = scrolledBody(content_);
    auto* left = new QWidget(body);
    auto* leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 0, 0);
    leftLayout->setSpacing(kGrid);
    leftLayout->addWidget(buildHead());
    for (const auto& [note, name] :
         {std::pair(&scoredNote_, "scoredNote"), {&bestNote_, "bestNote"}}) {
        *note = wrappedLabel(left);
        (*note)->setObjectName(QString::fromLatin1(name));
        (*note)->setFont(smallFont());
        leftLayout->addWidget(*note);
    }
    leftLayout->addWidget(buildScores(), 3);
    leftLayout->addWidget(framed(table_, left), 2);
    keep_ = new KeepButton(left);
    connect(keep_, &KeepButton::kept, this, [this](std::int64_t step, bool keep) {
        told_[step] = keep;
        showStored();
    });
    leftLayout->addWidget(keep_);
    actions_ = new CheckpointActions(left);
    actions_->setObjectName(QStringLiteral("checkpointActions"));
    leftLayout->addWidget(actions_);
    details_ = new EvaluationDetails(body);
    connect(details_, &EvaluationDetails::stepWanted, this, &EvaluatorPage::openStep);
    left->setMinimumWidth(kLeftWidth);
    auto* inner = new QHBoxLayout(body);
    inner->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 2 * kGrid);
    inner->setSpacing(kGrid);
    inner->addWidget(left, 2);
    inner->addWidget(details_, 3);
    stackWhenCrowded(this, inner, 4 * kGrid);
    empty_ = new EmptyState(Icon::Evaluator, {}, {}, this);
    empty_->setObjectName(QStringLiteral("evaluatorEmpty"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    addEmptyState(layout, empty_);
    layout->addWidget(content_, 1);
}

void EvaluatorPage::reset() {
    view_.reset();
    followsLatest_ = true;
    forgetPoints();
    chosen_.reset();
    told_.clear();
    keep_->showCheckpoint({}, -1, KeepButton::State::None);
    actions_->showCheckpoint({});
    details_->forgetChoice();
    noteOf_ = -1;
    bestNote_->hide();
    group_->setSeries({{tr("Validation"), {}, false, -1}, {tr("Test"), {}, false, -1}});
    empty_->show();
    content_->hide();
    showEmptyWords();
}

/// The best checkpoint and the one that is shown, where they lie on the curve.
void EvaluatorPage::showMarks() {
    QVector<AxisMark> marks;
    const auto add = [&marks](const Evaluation& evaluation, AxisMark::Kind kind,
                              const QString& words) {
        if (evaluation && evaluation->error.empty())
            marks.push_back({evaluation->step, kind, words, heightOf(*evaluation)});
    };
    add(model_.at(model_.bestRow()), AxisMark::Kind::Best, tr("the best checkpoint"));
    add(model_.at(table_->currentIndex().row()), AxisMark::Kind::Chosen,
        tr("the one that is shown"));
    std::ranges::stable_sort(marks, {}, &AxisMark::step);
    group_->setMarks(std::move(marks));
}

void EvaluatorPage::showView(std::shared_ptr<const job::RunView> view) {
    const auto before = std::exchange(view_, std::move(view));
    if (judgedFor_ != view_->jobToml) {
        judgedFor_ = view_->jobToml;
        model_.judgeBy(
            config::bestWatch(config::JobDocument::lenient(view_->jobToml, "job.toml").spec()));
    }
    showStored();
    const bool any = model_.rowCount() > 0;
    empty_->setVisible(!any);
    content_->setVisible(any);
    if (!any) showEmptyWords();
    if (any) showNotes();
    if (chosen_ && before && !haveSameCheckpoints(*before, *view_))
        details_->showOthers(*chosen_, *view_);
    if (model_.rowCount() == pointsDrawn_) return;
    addPoints();
    showTiles();
    chooseAgain();
    showMarks();
}

/// Another list, with a checkpoint that was scored again, or of another run.
void EvaluatorPage::forgetPoints() {
    pointsDrawn_ = 0;
    newestDrawn_ = 0;
    chart_->clear();
}

/// Shares of right answers, or losses.
void EvaluatorPage::chooseScore(bool isAccuracy) {
    if (showsAccuracy_ == isAccuracy) return;
    showsAccuracy_ = isAccuracy;
    chart_->setTitle(isAccuracy ? tr("Score") : tr("Loss"));
    scoreCard_->setTitle(chart_->title());
    chart_->setYBounds({}, isAccuracy ? std::optional(1.0) : std::nullopt);
    chart_->setValueFormat(isAccuracy ? &shareText : &lossText);
    chart_->setYFormat(isAccuracy ? &units::shortPercent : &units::compact);
}

/// In order of their steps: one that was scored again comes last.
void EvaluatorPage::addPoints() {
    std::vector<Evaluation> fresh;
    for (; pointsDrawn_ < model_.rowCount(); ++pointsDrawn_) {
        const Evaluation evaluation = model_.at(pointsDrawn_);
        if (evaluation->error.empty()) fresh.push_back(evaluation);
    }
    std::ranges::stable_sort(fresh, {}, [](const Evaluation& each) { return each->step; });
    // Several evaluators do not tell in the order of steps: then the curve is drawn anew.
    if (!fresh.empty() && fresh.front()->step < newestDrawn_) {
        forgetPoints();
        return addPoints();
    }
    if (!fresh.empty()) chooseScore(!std::isnan(fresh.front()->accuracy));
    for (const Evaluation& evaluation : fresh) {
        const int series = evaluation->split == "test" ? Test : Validation;
        chart_->appendPoint(series, evaluation->step, float(heightOf(*evaluation)));
        newestDrawn_ = evaluation->step;
    }
}

void EvaluatorPage::showTiles() {
    const auto show = [this](MetricTile* tile, QPushButton* button, int row) {
        const Evaluation evaluation = model_.at(row);
        button->setEnabled(evaluation != nullptr);
        if (!evaluation) {
            tile->setValue(QStringLiteral("–"));
            return;
        }
        const QString step = tr("step %1").arg(units::count(evaluation->step));
        if (std::isnan(evaluation->accuracy))
            tile->setValue(lossText(evaluation->loss), tr("loss, %1").arg(step));
        else
            tile->setValue(units::percent(evaluation->accuracy, 2), step);
    };
    const Evaluation latest = model_.at(model_.latestRow());
    if (latest) latest_->setLabel(tr("Latest, %1").arg(splitName(latest->split)));
    best_->setLabel(tr("Best %1").arg(model_.judgedBy()));
    show(latest_, showLatest_, model_.latestRow());
    show(best_, showBest_, model_.bestRow());
}

}  // namespace lockstep::ui
