// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/history_panel.h"

#include <QHBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "ui/pages/evaluator/answer_strip.h"
#include "ui/pages/page_parts.h"
#include "ui/style/core_words.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kBeat = 100;  // milliseconds

/// As the beginning of a sentence, without its end.
QString beginningOf(const Error& error) {
    QString words = fromCore(error.message);
    if (!words.isEmpty()) words[0] = words[0].toUpper();
    return words;
}

}  // namespace

HistoryPanel::HistoryPanel(QWidget* parent) : QWidget(parent) {
    thread_.setMaxThreadCount(1);
    buildLayout();
    beat_ = new QTimer(this);
    beat_->setInterval(kBeat);
    connect(beat_, &QTimer::timeout, this, &HistoryPanel::fetch);
    hide();
}

HistoryPanel::~HistoryPanel() {
    wanted_.request_stop();
}

void HistoryPanel::buildLayout() {
    const auto label = [this](const char* name) {
        QLabel* made = wrappedLabel(this);
        made->setObjectName(QLatin1String(name));
        return made;
    };
    sentence_ = label("historySentence");
    sentence_->setFont(strongFont());
    pointed_ = label("historyPointed");
    gaps_ = label("historyGaps");
    for (QLabel* small : {pointed_, gaps_}) {
        small->setFont(smallFont());
        small->setProperty("secondary", true);
    }
    progress_ = new QLabel(this);
    progress_->setObjectName(QStringLiteral("historyProgress"));
    progress_->setProperty("secondary", true);
    ask_ = new QPushButton(this);
    ask_->setObjectName(QStringLiteral("askCheckpoints"));
    ask_->setToolTip(
        tr("Compute what the checkpoints whose files are there say of this sample and "
           "of those shown beside it"));
    connect(ask_, &QPushButton::clicked, this, &HistoryPanel::ask);
    cancel_ = new QPushButton(tr("Cancel"), this);
    cancel_->setObjectName(QStringLiteral("cancelAsking"));
    connect(cancel_, &QPushButton::clicked, this, &HistoryPanel::cancel);
    auto* close = new QToolButton(this);
    close->setObjectName(QStringLiteral("closeHistory"));
    close->setIcon(makeIcon(Icon::Close));
    close->setAccessibleName(tr("Close the sample's course"));
    close->setToolTip(tr("Close the sample's course (Esc)"));
    close->setFocusPolicy(Qt::StrongFocus);
    connect(close, &QToolButton::clicked, this, &HistoryPanel::closed);
    strip_ = new AnswerStrip(this);
    strip_->setObjectName(QStringLiteral("answerStrip"));
    connect(strip_, &AnswerStrip::pointed, this, [this] { pointed_->setText(strip_->describe()); });
    connect(strip_, &AnswerStrip::stepOpened, this, &HistoryPanel::stepOpened);

    auto* head = new QHBoxLayout;
    head->setSpacing(kGrid / 2);
    head->addWidget(sentence_, 1);
    for (QWidget* each : std::initializer_list<QWidget*>{progress_, ask_, cancel_, close})
        head->addWidget(each, 0, Qt::AlignTop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid / 2);
    layout->addLayout(head);
    layout->addWidget(strip_);
    layout->addWidget(pointed_);
    layout->addWidget(gaps_);
}

void HistoryPanel::setAsker(Asker asker) {
    asker_ = std::move(asker);
    showAsking();
}

void HistoryPanel::setRun(const job::RunView& run, const std::string& split, std::int64_t step,
                          const QStringList& classNames) {
    if (run.runDir != runDir_ || split != split_) {
        cancel();
        problem_.clear();
    }
    runDir_ = run.runDir;
    split_ = split;
    classNames_ = classNames;
    history_.setRun(run, split);
    strip_->setShownStep(step);
    if (sample_ >= 0) showHistory();
}

void HistoryPanel::showSample(int sample, const QString& name) {
    sample_ = sample;
    name_ = name;
    setVisible(sample >= 0);
    if (sample >= 0) showHistory();
}

/// The sample first, so that a limit does not leave it out.
std::vector<std::uint32_t> HistoryPanel::wanted() const {
    std::vector<std::uint32_t> samples{std::uint32_t(sample_)};
    for (const std::uint32_t each : shown_)
        if (each != samples.front()) samples.push_back(each);
    return samples;
}

void HistoryPanel::ask() {
    if (!asker_ || sample_ < 0 || asking_.isBusy()) return;
    history_.forgetProblems();
    problem_.clear();
    job::AskedSamples asked{runDir_, split_, history_.toAsk({std::uint32_t(sample_)}, kMostAsked),
                            wanted()};
    if (asked.steps.empty()) return showHistory();
    wanted_ = std::stop_source();
    mailbox_ = std::make_shared<Mailbox>();
    heard_ = 0;
    asked_ = asked.steps.size();
    const job::LoadWatch watch{wanted_.get_token(),
                               [mailbox = mailbox_](const job::LoadProgress& newest) {
                                   if (newest.unit != job::LoadProgress::Unit::Images) return;
                                   const std::lock_guard lock(mailbox->mutex);
                                   mailbox->read = newest.done;
                                   mailbox->all = newest.all;
                               }};
    const auto hear = [mailbox = mailbox_](job::StepAnswers answers) {
        const std::lock_guard lock(mailbox->mutex);
        mailbox->news.push_back(std::move(answers));
    };
    asking_.start([asker = asker_, asked, hear, watch] { return asker(asked, hear, watch); },
                  [this](const Result<void>& done) {
                      fetch();
                      if (!done) problem_ = beginningOf(done.error());
                      gaps_->setToolTip(done ? QString() : fromCore(done.error().remedy));
                      showHistory();
                  });
    beat_->start();
    showHistory();
}

/// What was heard until now is kept.
void HistoryPanel::cancel() {
    if (!asking_.isBusy()) return;
    wanted_.request_stop();
    fetch();
    asking_.cancel();
    if (sample_ >= 0) showHistory();
}

void HistoryPanel::fetch() {
    std::vector<job::StepAnswers> news;
    {
        const std::lock_guard lock(mailbox_->mutex);
        news = std::exchange(mailbox_->news, {});
    }
    heard_ += news.size();
    for (const job::StepAnswers& each : news)
        if (each.answers)
            history_.add(each.step, *each.answers);
        else
            history_.addProblem(each.step, fromCore(each.answers.error().message));
    if (news.empty())
        showAsking();
    else
        showHistory();
}

QString HistoryPanel::gapsText(const History& history) const {
    QString text = historyGaps(history);
    if (!problem_.isEmpty()) text = problem_ + QStringLiteral(". ") + text;
    const auto waiting = std::size_t(
        std::ranges::count(history, HistoryPoint::State::NotAsked, &HistoryPoint::state));
    if (asker_ && waiting > kMostAsked)
        text += QLatin1Char(' ') +
                tr("The newest %1 of them are asked at a time.").arg(units::count(kMostAsked));
    return text.trimmed();
}

void HistoryPanel::showHistory() {
    const History history = history_.of(sample_);
    QString sentence = historySentence(history);
    if (sentence.isEmpty()) sentence = tr("What the checkpoints say of it is not known.");
    sentence_->setText(
        tr("Sample %1 of class %2. %3").arg(QString::number(sample_), name_, sentence));
    strip_->setHistory(history, classNames_);
    const QString gaps = gapsText(history);
    gaps_->setText(gaps);
    gaps_->setVisible(!gaps.isEmpty());
    markProblem(gaps_, "problem", !problem_.isEmpty());
    showAsking();
}

void HistoryPanel::showAsking() {
    const bool isBusy = asking_.isBusy();
    if (!isBusy) beat_->stop();
    QString words;
    if (isBusy) {
        const std::lock_guard lock(mailbox_->mutex);
        if (heard_ > 0 || mailbox_->all == 0)
            words = tr("Asked %1 of %2")
                        .arg(units::count(qint64(heard_)), units::count(qint64(asked_)));
        else
            words =
                tr("Reading … %1 of %2")
                    .arg(units::count(qint64(mailbox_->read)), units::count(qint64(mailbox_->all)));
    }
    progress_->setText(words);
    progress_->setVisible(isBusy);
    cancel_->setVisible(isBusy);
    const auto waiting =
        sample_ < 0 ? 0 : history_.toAsk({std::uint32_t(sample_)}, kMostAsked).size();
    ask_->setVisible(asker_ && !isBusy && waiting > 0);
    ask_->setText(waiting == 1 ? tr("Ask 1 checkpoint")
                               : tr("Ask %1 checkpoints").arg(units::count(qint64(waiting))));
}

void HistoryPanel::sayNotScored(std::int64_t step) {
    pointed_->setText(tr("The checkpoint of step %1 was not scored, so there is no evaluation of "
                         "it to be opened.")
                          .arg(units::count(step)));
}

/// Another page, or no page at all: not a window that is only minimised.
void HistoryPanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    if (!event->spontaneous()) cancel();
}

}  // namespace lockstep::ui
