// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/evaluator_desk.h"

#include <QDesktopServices>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QStandardPaths>
#include <QUrl>
#include <algorithm>

#include "ui/pages/evaluator/answers_card.h"
#include "ui/pages/evaluator/checkpoint_actions.h"
#include "ui/pages/evaluator/evaluator_page.h"
#include "ui/pages/evaluator/question_card.h"
#include "ui/pages/page_parts.h"
#include "ui/style/core_words.h"
#include "ui/style/units.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/segmented_control.h"

namespace lockstep::ui {
namespace {

constexpr int kLeastQuestion = 320;

QString endingOf(job::NetworkFormat format) {
    return format == job::NetworkFormat::Onnx ? QStringLiteral(".onnx")
                                              : QStringLiteral(".safetensors");
}

/// Local files; empty where it is a job file, a run or something else, which the window opens.
QStringList filesIn(const QMimeData& data) {
    QStringList files;
    const QList<QUrl> urls = data.urls();
    for (const QUrl& url : urls)
        if (url.isLocalFile()) files << url.toLocalFile();
    if (files.size() == 1 &&
        (files.front().endsWith(QLatin1String(".toml")) ||
         QFileInfo::exists(QDir(files.front()).filePath(QStringLiteral("job.toml")))))
        return {};
    return files;
}

std::int64_t newestStep(const job::RunView& view) {
    std::int64_t step = 0;
    for (const job::CheckpointView& each : view.checkpoints)
        if (each.error.empty() && !each.deleted) step = std::max(step, each.step);
    return step;
}

}  // namespace

EvaluatorDesk::EvaluatorDesk(EvaluationModel& model, NetworkBridge& networks, QWidget* parent)
    : QWidget(parent), networks_(networks) {
    setAcceptDrops(true);
    buildBar();  // first for the keyboard, too
    scores_ = new EvaluatorPage(model, this);
    notice_ = new NoticeBar(this);
    notice_->setObjectName(QStringLiteral("exportNotice"));
    auto* margin = new QVBoxLayout;
    margin->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 0);
    margin->addWidget(notice_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar_);
    layout->addLayout(margin);
    layout->addWidget(scores_, 1);
    layout->addWidget(buildPredict(), 1);
    connectNetworks();
    reset();
}

void EvaluatorDesk::buildBar() {
    bar_ = new QWidget(this);
    mode_ = new SegmentedControl({tr("Scores"), tr("Predict")}, bar_);
    mode_->setObjectName(QStringLiteral("evaluatorMode"));
    mode_->setAccessibleName(tr("What the page shows"));
    which_ = new SegmentedControl({tr("Newest"), tr("Best")}, bar_);
    which_->setObjectName(QStringLiteral("whichCheckpoint"));
    which_->setAccessibleName(tr("Which checkpoint is asked and exported"));
    which_->setToolTip(which_->accessibleName());
    connect(mode_, &SegmentedControl::currentChanged, this,
            [this](int index) { showPredict(index == 1); });
    connect(which_, &SegmentedControl::currentChanged, this, &EvaluatorDesk::choosePlace);
    auto* words = new QLabel(tr("Checkpoint"), bar_);
    words->setProperty("secondary", true);
    auto* row = new QHBoxLayout(bar_);
    row->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 0);
    row->setSpacing(kGrid);
    row->addWidget(mode_);
    row->addStretch(1);
    row->addWidget(words);
    row->addWidget(which_);
    buildExport(bar_);
    row->addWidget(export_);
}

void EvaluatorDesk::buildExport(QWidget* bar) {
    export_ = new QPushButton(bar);
    export_->setObjectName(QStringLiteral("exportButton"));
    export_->setProperty("menu", true);
    export_->setToolTip(tr("Write the checkpoint's network to a file for other programs"));
    auto* menu = new QMenu(export_);
    const auto add = [this, menu](const QString& words, const char* name,
                                  job::NetworkFormat format) {
        QAction* action = menu->addAction(words);
        action->setObjectName(QLatin1String(name));
        connect(action, &QAction::triggered, this, [this, format] { chooseFile(format); });
    };
    add(tr("&Safetensors: the weights, by PyTorch's names …"), "exportSafetensors",
        job::NetworkFormat::Safetensors);
    add(tr("&ONNX: the network itself …"), "exportOnnx", job::NetworkFormat::Onnx);
    export_->setMenu(menu);
    showExporting();
}

QWidget* EvaluatorDesk::buildPredict() {
    predict_ = new QWidget(this);
    question_ = new QuestionCard(predict_);
    question_->setMinimumWidth(kLeastQuestion);
    answers_ = new AnswersCard(networks_, predict_);
    answers_->setMinimumWidth(kLeastQuestion);
    auto* row = new QHBoxLayout(predict_);
    row->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 2 * kGrid);
    row->setSpacing(kGrid);
    row->addWidget(question_, 2);
    row->addWidget(answers_, 3);
    predict_->hide();
    connect(question_, &QuestionCard::asked, this, &EvaluatorDesk::ask);
    connect(question_, &QuestionCard::retried, this, [this] {
        known_.reset();
        showPredict(true);
    });
    return predict_;
}

void EvaluatorDesk::connectNetworks() {
    const CheckpointActions& actions = scores_->actions();
    connect(&actions, &CheckpointActions::exportWanted, this,
            [this](qint64 step, job::NetworkFormat format) { chooseFile(format, step); });
    connect(&actions, &CheckpointActions::resumeWanted, this, &EvaluatorDesk::resumeWanted);
    connect(&actions, &CheckpointActions::startWanted, this, &EvaluatorDesk::startWanted);
    connect(&networks_, &NetworkBridge::factsFound, question_, &QuestionCard::showFacts);
    connect(&networks_, &NetworkBridge::factsFailed, question_, &QuestionCard::showFailure);
    connect(&networks_, &NetworkBridge::exported, this, &EvaluatorDesk::showExported);
    connect(&networks_, &NetworkBridge::exportFailed, this, &EvaluatorDesk::showExportFailure);
}

void EvaluatorDesk::reset() {
    view_.reset();
    known_.reset();
    lastQuestion_.reset();
    networks_.forget();
    answers_->reset();
    question_->showReading();
    notice_->clear();
    scores_->reset();
    bar_->hide();
    mode_->setCurrent(0);
}

bool EvaluatorDesk::canAsk() const {
    return hasNetwork() && !isPast();
}

bool EvaluatorDesk::hasNetwork() const {
    return networks_.canAsk() && view_ && view_->backend != "program" && newestStep(*view_) > 0;
}

void EvaluatorDesk::showView(const std::shared_ptr<const job::RunView>& view) {
    view_ = view;
    bar_->setVisible(hasNetwork());
    bar_->setEnabled(!isPast());
    bar_->setToolTip(isPast() ? pastObstacle() : QString());
    scores_->actions().setOffered(hasNetwork(), isPast() ? pastObstacle() : QString());
    scores_->showView(view);
}

QString EvaluatorDesk::pastObstacle() {
    return tr(
        "You see the run as it was. Go back to now (End) to ask its network, or to export "
        "it");
}

job::NetworkPlace EvaluatorDesk::place() const {
    return {view_ ? view_->runDir : std::filesystem::path(), which_->current() == 1};
}

void EvaluatorDesk::showPredict(bool on) {
    scores_->setVisible(!on);
    predict_->setVisible(on);
    mode_->setCurrent(on ? 1 : 0);
    if (!on || !canAsk() || known_ == place()) return;
    known_ = place();
    question_->showReading();
    networks_.findFacts(*known_);
}

void EvaluatorDesk::showCheckpoint(std::int64_t step) {
    showPredict(false);
    scores_->openCheckpoint(step);
}

/// What was asked of one checkpoint is asked of the other.
void EvaluatorDesk::choosePlace() {
    if (mode_->current() != 1) return;
    showPredict(true);
    if (lastQuestion_) ask(*lastQuestion_);
}

void EvaluatorDesk::ask(const job::Question& question) {
    if (!canAsk()) return;
    lastQuestion_ = question;
    answers_->setPrompt(QString::fromStdString(question.prompt));
    networks_.ask(place(), question);
}

/// `step` 0: of the checkpoint that the bar names.
void EvaluatorDesk::chooseFile(job::NetworkFormat format, std::int64_t step) {
    if (!canAsk()) return;
    const QString words = step == 0 && which_->current() == 1
                              ? QStringLiteral("best")
                              : QStringLiteral("step-%1").arg(step > 0 ? step : newestStep(*view_));
    QString name = QString::fromStdString(view_->name);
    name.replace(QLatin1Char('/'), QLatin1Char('-'));
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QDir folder(QFileInfo(documents).isDir() ? documents : QDir::homePath());
    const QString file = QFileDialog::getSaveFileName(
        window(), tr("Export the network"),
        folder.filePath(name + QLatin1Char('-') + words + endingOf(format)),
        format == job::NetworkFormat::Onnx ? tr("ONNX (*.onnx)")
                                           : tr("Safetensors (*.safetensors)"));
    if (!file.isEmpty()) exportStep(step, file, format);
}

void EvaluatorDesk::exportTo(const QString& file, job::NetworkFormat format) {
    exportStep(0, file, format);
}

void EvaluatorDesk::exportStep(std::int64_t step, const QString& file, job::NetworkFormat format) {
    notice_->clear();
    job::NetworkPlace from = place();
    if (step > 0) from = {.runDir = from.runDir, .step = step};
    networks_.exportTo(file, from, format);
    showExporting();
}

void EvaluatorDesk::showExporting() {
    const bool isBusy = networks_.isExporting();
    export_->setEnabled(!isBusy);
    export_->setText(isBusy ? tr("Exporting …") : tr("Export …"));
}

void EvaluatorDesk::showExported(const QString& file, const job::ExportedNetwork& network) {
    showExporting();
    QStringList remarks;
    for (const std::string& each : network.remarks)
        remarks << fromCore(each);
    notice_->showNotice({remarks.isEmpty() ? Tone::Good : Tone::Warn,
                         tr("The network of step %1 was written to %2 (%3).")
                             .arg(units::count(network.step), QFileInfo(file).fileName(),
                                  units::bytes(double(network.bytes))),
                         remarks.join(QLatin1Char('\n')),
                         {}});
    QPushButton* show = notice_->addAction(tr("Show in folder"));
    show->setObjectName(QStringLiteral("showExported"));
    connect(show, &QPushButton::clicked, this, [file] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(file).absolutePath()));
    });
}

void EvaluatorDesk::showExportFailure(const Error& error) {
    showExporting();
    QString words = fromCore(error.message);
    if (!words.isEmpty()) words[0] = words[0].toUpper();
    notice_->showNotice({Tone::Bad, words + QLatin1Char('.'), fromCore(error.remedy), {}});
}

void EvaluatorDesk::dragEnterEvent(QDragEnterEvent* event) {
    if (!canAsk() || filesIn(*event->mimeData()).isEmpty()) return event->ignore();
    showPredict(true);
    question_->setDropTarget(true);
    event->acceptProposedAction();
}

void EvaluatorDesk::dragLeaveEvent(QDragLeaveEvent*) {
    question_->setDropTarget(false);
}

void EvaluatorDesk::dropEvent(QDropEvent* event) {
    question_->setDropTarget(false);
    event->acceptProposedAction();
    question_->askAbout(filesIn(*event->mimeData()));
}

}  // namespace lockstep::ui
