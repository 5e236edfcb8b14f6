// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/job_page.h"

#include <QApplication>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <algorithm>

#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/models/network.h"
#include "ui/pages/job/cluster_card.h"
#include "ui/pages/job/host_check_card.h"
#include "ui/pages/job/job_cards.h"
#include "ui/pages/job/job_preview.h"
#include "ui/pages/job/model_card.h"
#include "ui/pages/job/samples_card.h"
#include "ui/pages/page_parts.h"
#include "ui/style/icons.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/state_pill.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kFormWidth = 1600;
constexpr int kTextBeside = 1400;  ///< From here on there is room for the text beside the form,
constexpr int kTwoColumns = 1000;  ///< which is to keep its columns,
constexpr int kLeastForm = 640;
constexpr int kLeastText = 400;
constexpr int kLeastSummary = 320;  ///< Else its buttons stand in a row of their own.

int countOf(const std::vector<config::Finding>& findings, config::Severity severity) {
    return int(std::count_if(
        findings.begin(), findings.end(),
        [severity](const config::Finding& finding) { return finding.severity == severity; }));
}

/// Null: nothing was found.
const config::Finding* gravestOf(const std::vector<config::Finding>& findings) {
    const auto gravest =
        std::min_element(findings.begin(), findings.end(),
                         [](const auto& a, const auto& b) { return a.severity < b.severity; });
    return gravest == findings.end() ? nullptr : &*gravest;
}

/// "2 epochs", or steps.
QString lengthOf(const config::TrainingSpec& training) {
    if (training.steps > 0)
        return training.steps == 1 ? JobPage::tr("1 step")
                                   : JobPage::tr("%1 steps").arg(training.steps);
    return training.epochs == 1 ? JobPage::tr("1 epoch")
                                : JobPage::tr("%1 epochs").arg(training.epochs);
}

/// "2 replicas take 16 samples each of every batch of 32, for 2 epochs of digits".
QString describe(const config::JobSpec& spec) {
    if (spec.launch.runsOwnProgram()) {
        const QString program = QString::fromStdString(spec.launch.command.front());
        return spec.cluster.numProcesses == 1
                   ? JobPage::tr("One process runs %1").arg(program)
                   : JobPage::tr("%1 processes run %2").arg(spec.cluster.numProcesses).arg(program);
    }
    const int replicas = std::max(1, spec.cluster.replicaCount());
    const QString epochs = lengthOf(spec.training);
    const QString data = QString::fromStdString(spec.data.dataset);
    const config::ClusterSpec& cluster = spec.cluster;
    const bool open = cluster.devicesPerProcess == config::ClusterSpec::kAllDevices &&
                      cluster.device != config::DeviceKind::Cpu;
    if (open)  // its replicas are counted where it runs
        return JobPage::tr("Batches of %1, for %2 of %3")
            .arg(spec.training.globalBatchSize)
            .arg(epochs, data);
    if (replicas == 1)
        return JobPage::tr("One replica takes every batch of %1, for %2 of %3")
            .arg(spec.training.globalBatchSize)
            .arg(epochs, data);
    // Those of a mesh's row see the same samples.
    const int rows = std::max(1, replicas / std::max(1, spec.distribution.model));
    return JobPage::tr("%1 replicas take %2 samples each of every batch of %3, for %4 of %5")
        .arg(replicas)
        .arg(spec.training.globalBatchSize / rows)
        .arg(spec.training.globalBatchSize)
        .arg(epochs, data);
}

}  // namespace

JobPage::JobPage(JobEditor& editor, ClusterTableModel& cluster, QWidget* parent)
    : QWidget(parent), editor_(editor), network_(new Network(editor, this)) {
    empty_ = buildEmpty();
    content_ = new QWidget(this);
    auto* inner = new QVBoxLayout(content_);
    inner->setContentsMargins(0, kGrid, 0, 0);
    inner->setSpacing(kGrid);
    inner->addWidget(buildSummary());
    inner->addWidget(buildForm(cluster), 1);
    connect(samples_, &SamplesCard::factsRead, network_, &Network::setReadFacts);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(empty_, 1);
    layout->addWidget(content_, 1);
    connect(&editor_, &JobEditor::changed, this, &JobPage::refresh);
    refresh();
}

QWidget* JobPage::buildEmpty() {
    auto* page = new QWidget(this);
    auto* teach = new EmptyState(
        Icon::Job, tr("Open a job to begin"),
        tr("A job is one file: the cluster, the data, the model and the training plan. "
           "The example trains a small network on two replicas of this machine; it "
           "needs nothing to download. Home has others to begin with, and what was open last."),
        page);
    QPushButton* example = teach->addButton(tr("Open example"));
    example->setObjectName(QStringLiteral("jobExampleButton"));
    QPushButton* open = teach->addButton(tr("Open job…"));
    open->setObjectName(QStringLiteral("jobOpenButton"));
    connect(example, &QPushButton::clicked, this, &JobPage::openExampleRequested);
    connect(open, &QPushButton::clicked, this, &JobPage::openRequested);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 6 * kGrid);
    addEmptyState(layout, teach);
    return page;
}

void JobPage::offerRunsJob(const QString& runsJob) {
    showRunsJob_->setVisible(!runsJob.isEmpty());
    showRunsJob_->setToolTip(
        tr("The job “%1” as the run that is followed was launched with it").arg(runsJob));
}

QWidget* JobPage::buildSummary() {
    auto* bar = new QWidget(this);
    pill_ = new StatePill(bar);
    pill_->setObjectName(QStringLiteral("jobPill"));
    summary_ = wrappedLabel(bar);  // a finding is said to its end
    summary_->setObjectName(QStringLiteral("jobSummary"));
    summary_->setProperty("secondary", true);
    summary_->setMinimumWidth(kLeastSummary);
    showProblem_ = new QPushButton(tr("Show in text"), bar);
    showProblem_->setObjectName(QStringLiteral("showProblemButton"));
    connect(showProblem_, &QPushButton::clicked, this, &JobPage::showFirstProblem);
    showRunsJob_ = new QPushButton(tr("Show the run's job"), bar);
    showRunsJob_->setObjectName(QStringLiteral("showRunsJobButton"));
    showRunsJob_->hide();
    connect(showRunsJob_, &QPushButton::clicked, this, &JobPage::runsJobRequested);
    auto* check = new QPushButton(tr("Check hosts"), bar);
    check->setObjectName(QStringLiteral("checkHostsTopButton"));
    check->setToolTip(tr("Examine every host of the job; nothing of it is started"));
    connect(check, &QPushButton::clicked, this, [this] { Q_EMIT hosts_->checkRequested(); });
    auto* words = new QHBoxLayout;
    words->addWidget(pill_);
    words->addWidget(summary_, 1);
    auto* verbs = new QHBoxLayout;
    for (QPushButton* verb : {showProblem_, showRunsJob_, check})
        verbs->addWidget(verb);
    verbs->addStretch(1);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(2 * kGrid, 0, 2 * kGrid, 0);
    for (QHBoxLayout* each : {words, verbs, layout})
        each->setSpacing(kGrid);
    layout->addLayout(words, 1);
    layout->addLayout(verbs);
    stackWhenCrowded(this, layout, 4 * kGrid);
    bar->setMinimumHeight(4 * kGrid);
    return bar;
}

/// The cards side by side, made in the order in which they stand: so Tab goes through them.
QHBoxLayout* JobPage::buildColumns(ClusterTableModel& cluster, QWidget* form) {
    const auto buildColumn = [](const QList<QWidget*>& cards) {
        auto* column = new QVBoxLayout;
        column->setSpacing(kGrid);
        for (QWidget* card : cards)
            column->addWidget(card);
        column->addStretch(1);
        return column;
    };
    QWidget* job = buildJobCard(editor_, form);
    cluster_ = new ClusterCard(editor_, cluster, form);
    QWidget* launch = buildLaunchCard(editor_, form);
    QWidget* checkpoints = buildCheckpointCard(editor_, form);
    QWidget* samples = buildDataCard(editor_, form);
    QWidget* training = buildTrainingCard(editor_, form);
    QWidget* program = buildProgramCard(editor_, form);
    trainerCards_ = {samples, training, checkpoints};
    auto* columns = new QHBoxLayout;
    columns->setSpacing(kGrid);
    columns->addLayout(
        buildColumn({job, cluster_, launch, checkpoints, buildEvaluatorCard(editor_, form)}), 1);
    columns->addLayout(buildColumn({samples, training, program}), 1);
    return columns;
}

QWidget* JobPage::buildForm(ClusterTableModel& cluster) {
    auto* form = new QWidget;
    QHBoxLayout* columns = buildColumns(cluster, form);
    samples_ = new SamplesCard(editor_, form);
    model_ = new ModelCard(editor_, *network_, form);
    connect(model_, &ModelCard::textRequested, this, [this](int line) { showLine(line, 1); });
    trainerCards_ += QList<QWidget*>{samples_, model_};
    hosts_ = new HostCheckCard(editor_, form);
    connect(hosts_, &HostCheckCard::situationChanged, cluster_,
            [this] { cluster_->showChecks(hosts_->report(), hosts_->isOld()); });
    preview_ = new JobPreview(editor_, form);
    auto* layout = new QVBoxLayout(form);
    layout->setContentsMargins(2 * kGrid, 0, kGrid / 2, 2 * kGrid);  // the scroll bar is a margin
    layout->setSpacing(kGrid);
    // The layout follows with the next events.
    connect(hosts_, &HostCheckCard::grown, this, &JobPage::showHosts, Qt::QueuedConnection);
    layout->addLayout(columns);
    layout->addWidget(samples_);
    layout->addWidget(model_);
    layout->addWidget(hosts_);
    layout->addWidget(preview_);
    layout->addStretch(1);
    form->setMaximumWidth(kFormWidth);

    scroll_ = new QScrollArea(this);
    QScrollArea* scroll = scroll_;
    scroll->setObjectName(QStringLiteral("jobScroll"));
    scroll->setAccessibleName(tr("Job form"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    scroll->setWidget(form);
    stackWhenCrowded(scroll, columns, 3 * kGrid);
    return buildBeside();
}

/// The form with a place for the text at its right, which only a wide page has.
QWidget* JobPage::buildBeside() {
    side_ = new QWidget(this);
    side_->setMinimumWidth(kLeastText);
    side_->hide();
    auto* layout = new QVBoxLayout(side_);
    layout->setContentsMargins(0, 0, 2 * kGrid, 2 * kGrid);
    halves_ = new QSplitter(this);
    halves_->setObjectName(QStringLiteral("jobHalves"));
    halves_->setChildrenCollapsible(false);
    halves_->setHandleWidth(kGrid);
    halves_->addWidget(scroll_);
    halves_->addWidget(side_);
    connect(halves_, &QSplitter::splitterMoved, this, [this] { isSizedByUser_ = true; });
    return halves_;
}

void JobPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool beside = width() >= kTextBeside;
    if (beside == side_->isHidden()) moveText(beside);
    if (!beside || isSizedByUser_) return;
    const int text = std::clamp(width() - kTwoColumns, kLeastText, 2 * width() / 5);
    halves_->setSizes({width() - text, text});
}

void JobPage::moveText(bool beside) {
    QWidget* typing = QApplication::focusWidget();
    if (!preview_->isAncestorOf(typing)) typing = nullptr;
    if (beside) {
        side_->layout()->addWidget(preview_);
    } else {
        auto* form = static_cast<QVBoxLayout*>(scroll_->widget()->layout());
        form->insertWidget(form->count() - 1, preview_);  // before what stretches
    }
    scroll_->setMinimumWidth(beside ? kLeastForm : 0);
    preview_->setBeside(beside);
    preview_->show();
    side_->setVisible(beside);
    if (typing == nullptr) return;
    preview_->setExpanded(true);
    typing->setFocus(Qt::OtherFocusReason);
}

void JobPage::setColumnsReader(const ColumnsEditor::Reader& reader) {
    for (auto* columns : findChildren<ColumnsEditor*>())
        columns->setReader(reader);
}

void JobPage::showHosts() {
    scroll_->ensureWidgetVisible(hosts_);
}

void JobPage::showCards() {
    for (QWidget* card : trainerCards_)
        card->setVisible(!editor_.spec().launch.runsOwnProgram());
}

void JobPage::refresh() {
    empty_->setVisible(!editor_.hasJob());
    content_->setVisible(editor_.hasJob());
    showCards();
    const auto& findings = editor_.findings();
    const int errors = countOf(findings, config::Severity::Error);
    showProblem_->setVisible(!findings.empty());
    if (errors > 0) {
        pill_->setState(errors == 1 ? tr("1 problem") : tr("%1 problems").arg(errors), Icon::Error,
                        Tone::Bad);
    } else if (!hosts_->obstacle().isEmpty()) {
        pill_->setState(tr("Hosts"), Icon::Warning, Tone::Bad);
        pill_->show();
        summary_->setText(hosts_->obstacle());
        return;
    } else {
        pill_->setState(findings.size() == 1 ? tr("1 note") : tr("%1 notes").arg(findings.size()),
                        Icon::Warning, Tone::Warn);
    }
    pill_->setVisible(!findings.empty());  // that it is ready stands above
    const config::Finding* gravest = gravestOf(findings);
    if (gravest == nullptr) {
        summary_->setText(describe(editor_.spec()));
        return;
    }
    summary_->setText(sentenceOf(*gravest));
}

void JobPage::showFirstProblem() {
    const auto& findings = editor_.findings();
    if (findings.empty()) return;
    const config::Finding& first = *gravestOf(findings);
    showLine(std::max(1, first.line), first.column);
}

void JobPage::showLine(int line, int column) {
    preview_->showPlace(line, column);
    // The text has its place once the layout has followed.
    QMetaObject::invokeMethod(this, &JobPage::scrollToText, Qt::QueuedConnection);
}

void JobPage::scrollToText() {
    if (!side_->isHidden()) {
        std::ignore = preview_->centrePlace();
        return;
    }
    scroll_->widget()->layout()->activate();
    const QPoint place = preview_->mapTo(scroll_->widget(), preview_->centrePlace().center());
    scroll_->ensureVisible(place.x(), place.y(), 0, scroll_->viewport()->height() / 3);
}

}  // namespace lockstep::ui
