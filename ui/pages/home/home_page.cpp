// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/home/home_page.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>

#include "ui/models/metric_words.h"
#include "ui/models/runs_model.h"
#include "ui/pages/cell_delegates.h"
#include "ui/pages/home/run_row.h"
#include "ui/pages/page_parts.h"
#include "ui/style/translated.h"
#include "ui/style/units.h"
#include "ui/widgets/card.h"

namespace lockstep::ui {
namespace {

constexpr auto kAgain = std::chrono::seconds(5);
constexpr int kWidest = 1440;  ///< Of the page's content: longer lines are no easier to read.
constexpr int kNarrow = 820;   ///< Below, one column.

QString nameOf(const job::RunEntry& run) {
    if (!run.about.name.empty()) return QString::fromStdString(run.about.name);
    return QString::fromStdString(run.name.empty() ? run.runDir.filename().string() : run.name);
}

/// The time of day says enough of today.
QString startOf(double wallTime) {
    if (wallTime <= 0) return HomePage::tr("start not known");
    const QDate day = QDateTime::fromSecsSinceEpoch(qint64(wallTime)).date();
    return day == QDate::currentDate()
               ? HomePage::tr("started today, %1").arg(units::timeOfDay(wallTime))
               : HomePage::tr("started %1").arg(units::dateAndTime(wallTime));
}

QString detailOf(const job::RunEntry& run) {
    if (run.running) return startOf(run.startedWallTime);
    QStringList parts{RunsModel::statusText(run), startOf(run.startedWallTime)};
    if (run.tookSeconds > 0) parts << HomePage::tr("took %1").arg(units::duration(run.tookSeconds));
    for (const std::string& tag : run.about.tags)
        parts << QString::fromStdString(tag);
    return listed(parts);
}

QString scoreOf(const job::RunEntry& run) {
    const auto& score = run.testScore ? run.testScore : run.validationScore;
    if (!score) return {};
    return HomePage::tr("%1 %2", "name and value of a metric")
        .arg(metricShortName(score->name), metricValue(score->name, score->value));
}

/// As the terminal has it: "41 %, 5 m 12 s left"; empty where the run does not say how long it is.
QString progressOf(const job::RunView& view) {
    if (view.totalSteps <= 0)
        return view.step > 0 ? HomePage::tr("step %1").arg(units::count(view.step)) : QString();
    const double part = std::clamp(double(view.step) / double(view.totalSteps), 0.0, 1.0);
    QString far = units::percent(part, 0);
    if (view.etaSeconds >= 0 && view.step < view.totalSteps)
        far += HomePage::tr(", %1 left").arg(units::duration(view.etaSeconds));
    return far;
}

void clear(QBoxLayout* layout) {
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
}

}  // namespace

HomePage::HomePage(std::function<std::vector<job::RunEntry>()> find, RunComparison::Attach attach,
                   QWidget* parent)
    : QWidget(parent), find_(std::move(find)), progress_(std::move(attach)) {
    connect(&progress_, &RunComparison::viewChanged, this, &HomePage::noteProgress);
    QWidget* body = scrolledBody(this);
    auto* outer = new QHBoxLayout(body);
    outer->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 2 * kGrid);
    auto* content = new QWidget(body);
    content->setMaximumWidth(kWidest);
    outer->addStretch(0);
    outer->addWidget(content, 1);
    outer->addStretch(0);
    auto* columns = new QHBoxLayout(content);
    columns->setContentsMargins(0, 0, 0, 0);
    columns->setSpacing(2 * kGrid);
    for (const auto build : {&HomePage::buildBeginnings, &HomePage::buildPast}) {
        auto* column = new QVBoxLayout;
        column->setSpacing(2 * kGrid);
        (this->*build)(column);
        column->addStretch(1);
        columns->addLayout(column, 1);
    }
    stackWhenNarrow(this, columns, kNarrow);
    again_.setInterval(kAgain);
    again_.callOnTimeout(this, &HomePage::refresh);
}

void HomePage::buildPast(QBoxLayout* column) {
    last_ = new Card(tr("Last runs"), this);
    auto* all = new QPushButton(tr("All runs"), last_);
    all->setObjectName(QStringLiteral("allRunsButton"));
    all->setFlat(true);
    connect(all, &QPushButton::clicked, this, &HomePage::allRunsRequested);
    last_->addHeadWidget(all);
    noRuns_ = new QLabel(tr("What you launch is listed here: how it ended, and what it reached."));
    noRuns_->setObjectName(QStringLiteral("noRunsLabel"));
    noRuns_->setWordWrap(true);
    noRuns_->setProperty("secondary", true);
    last_->body()->addWidget(noRuns_);
    column->addWidget(last_);
    jobs_ = new Card(tr("Recent jobs"), this);
    jobs_->hide();
    column->addWidget(jobs_);
}

void HomePage::buildBeginnings(QBoxLayout* column) {
    running_ = new Card(tr("Running now"), this);
    running_->setObjectName(QStringLiteral("runningCard"));
    running_->hide();
    column->addWidget(running_);
    auto* begin = new Card(tr("New job"), this);
    begin->setSubtitle(tr("Copies, to be changed and saved"));
    const auto add = [this, begin](const char* name, Icon icon, const QString& words,
                                   const QString& detail) {
        auto* row = new RunRow(icon, Tone::Accent, words, begin);
        row->setObjectName(QLatin1String(name));
        row->setDetail(detail);
        begin->body()->addWidget(row);
        return row;
    };
    connect(add("openExampleButton", Icon::Replicas, tr("Images: handwritten digits"),
                tr("Two replicas on this machine, nothing to download")),
            &RunRow::clicked, this, &HomePage::openExampleRequested);
    const auto addStarter = [this, &add](const QString& name, Icon icon, const QString& words,
                                         const QString& detail) {
        const QByteArray row = "starter_" + name.toLatin1();
        connect(add(row.constData(), icon, words, detail), &RunRow::clicked, this,
                [this, name] { Q_EMIT starterRequested(name); });
    };
    addStarter(QStringLiteral("images"), Icon::FolderOpen, tr("Images in folders of your own"),
               tr("A folder a class; choose the folder that holds them"));
    addStarter(QStringLiteral("houses"), Icon::Data, tr("A table: what houses cost"),
               tr("A regression on 3 000 rows; put in a CSV file of your own"));
    addStarter(QStringLiteral("tiny-gpt"), Icon::Model, tr("A text: a tiny GPT that writes plays"),
               tr("Character by character; put in a text of your own"));
    addStarter(QStringLiteral("own-program"), Icon::Launch, tr("A program of your own"),
               tr("Started as every process of a job; here one of 40 lines in Python"));
    addStarter(QStringLiteral("ssh-hosts"), Icon::Replicas, tr("Several hosts, over ssh"),
               tr("Put in the names of your hosts; nothing is installed there"));
    addStarter(QStringLiteral("slurm"), Icon::Cpu, tr("On a Slurm cluster"),
               tr("Put in your partition; submitted from this machine"));
    column->addWidget(begin);

    auto* open = new Card(tr("Open"), this);
    const auto addVerb = [open](const char* name, Icon icon, const QString& words,
                                const QString& detail) {
        auto* row = new RunRow(icon, Tone::Neutral, words, open);
        row->setObjectName(QLatin1String(name));
        row->setDetail(detail);
        open->body()->addWidget(row);
        return row;
    };
    connect(addVerb("openJobButton", Icon::FolderOpen, tr("A job file…"),
                    tr("The cluster, the data, the model and the training plan; or drop it here")),
            &RunRow::clicked, this, &HomePage::openRequested);
    connect(addVerb("openRunButton", Icon::Follow, tr("A run folder…"),
                    tr("Followed where it runs, replayed where it has ended")),
            &RunRow::clicked, this, &HomePage::openRunRequested);
    column->addWidget(open);
}

void HomePage::refresh() {
    if (!find_ || looking_.isBusy()) return;
    looking_.start(find_, [this](std::vector<job::RunEntry> runs) { showRuns(std::move(runs)); });
}

RunRow* HomePage::rowOf(const job::RunEntry& run, QWidget* parent) {
    const QString folder = QString::fromStdString(run.runDir.string());
    const auto mark = RunStatusDelegate::markOf(run.running ? QStringLiteral("running")
                                                            : QString::fromStdString(run.status));
    auto* row = new RunRow(mark.icon, mark.tone, nameOf(run), parent);
    row->setDetail(detailOf(run));
    row->setProperty("started", detailOf(run));
    if (run.running)
        row->setTrailing(tr("Follow"), Tone::Accent);
    else
        row->setTrailing(scoreOf(run));
    row->setToolTip(folder);
    connect(row, &RunRow::clicked, this, [this, folder] { Q_EMIT runChosen(folder); });
    return row;
}

/// How far those are that go on, for as long as Home is shown.
void HomePage::followLive(const std::vector<job::RunEntry>& runs, std::size_t live) {
    std::vector<std::filesystem::path> wanted;
    for (std::size_t i = 0; i < std::min(live, kMostFollowed); ++i)
        wanted.push_back(runs[i].runDir);
    if (wanted == followed_ || !isVisible()) return;
    followed_ = wanted;
    far_.clear();
    progress_.start(wanted);
}

void HomePage::noteProgress(int run, const View& view) {
    const QString folder = QString::fromStdString(followed_[std::size_t(run)].string());
    const QString far = view->caughtUp && view->exitStatus < 0 ? progressOf(*view) : QString();
    if (far_.value(folder) == far) return;
    far_[folder] = far;
    showProgress(folder);
}

void HomePage::showProgress(const QString& folder) {
    for (RunRow* row : running_->findChildren<RunRow*>()) {
        if (row->toolTip() != folder) continue;
        const QString started = row->property("started").toString();
        const QString far = far_.value(folder);
        row->setDetail(far.isEmpty() ? started : far + QStringLiteral("  ·  ") + started);
    }
}

/// The newest first. Rows stay, with the keyboard on one of them, while they say the same.
void HomePage::showRuns(std::vector<job::RunEntry> runs) {
    std::ranges::stable_sort(runs, std::ranges::greater(), &job::RunEntry::startedWallTime);
    const auto ended = std::ranges::stable_partition(runs, &job::RunEntry::running);
    const std::size_t live = std::size_t(ended.begin() - runs.begin());
    runs.resize(std::min(runs.size(), live + kMostRuns));
    QStringList said;
    for (const job::RunEntry& run : runs)
        said << QString::fromStdString(run.runDir.string()) + QLatin1Char('\n') + nameOf(run) +
                    QLatin1Char('\n') + detailOf(run) + QLatin1Char('\n') + scoreOf(run);
    followLive(runs, live);
    const QString all = said.join(QLatin1Char('\n'));
    if (all == shown_) return;
    shown_ = all;

    const QString focused =
        focusWidget() && focusWidget()->objectName().startsWith(QLatin1String("homeRun"))
            ? focusWidget()->toolTip()
            : QString();
    clear(running_->body());
    for (RunRow* row : last_->findChildren<RunRow*>()) {
        last_->body()->removeWidget(row);
        row->deleteLater();
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        Card* card = i < live ? running_ : last_;
        RunRow* row = rowOf(runs[i], card);
        row->setObjectName(QStringLiteral("homeRun%1").arg(i));
        card->body()->addWidget(row);
        if (row->toolTip() == focused) row->setFocus(Qt::OtherFocusReason);
    }
    for (std::size_t i = 0; i < live; ++i)
        showProgress(QString::fromStdString(runs[i].runDir.string()));
    running_->setVisible(live > 0);
    noRuns_->setVisible(runs.size() == live);
}

void HomePage::setRecentJobs(const QStringList& paths) {
    clear(jobs_->body());
    const QStringList shown = paths.mid(0, kMostJobs);
    for (const QString& path : shown) {
        const QFileInfo file(path);
        auto* row = new RunRow(Icon::Job, Tone::Neutral, file.fileName(), jobs_);
        row->setObjectName(QStringLiteral("recentJob%1").arg(shown.indexOf(path)));
        row->setDetail(file.path());
        row->setToolTip(path);
        connect(row, &RunRow::clicked, this, [this, path] { Q_EMIT recentJobChosen(path); });
        jobs_->body()->addWidget(row);
    }
    jobs_->setVisible(!shown.isEmpty());
}

void HomePage::showEvent(QShowEvent* event) {
    refresh();
    again_.start();
    QWidget::showEvent(event);
}

void HomePage::hideEvent(QHideEvent* event) {
    again_.stop();
    progress_.clear();
    followed_.clear();
    QWidget::hideEvent(event);
}

}  // namespace lockstep::ui
