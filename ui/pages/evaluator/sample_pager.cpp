// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/sample_pager.h"

#include <QHBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "ui/pages/page_parts.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {
constexpr int kBeat = 200;  // milliseconds
}  // namespace

SamplePager::SamplePager(QWidget* parent) : QWidget(parent) {
    thread_.setMaxThreadCount(1);
    words_ = new QLabel(this);
    words_->setObjectName(QStringLiteral("samplePagerWords"));
    words_->setProperty("secondary", true);
    words_->setTextFormat(Qt::PlainText);
    read_ = new QPushButton(tr("All samples"), this);
    read_->setObjectName(QStringLiteral("readAllSamples"));
    read_->setToolTip(tr("Compute what this checkpoint says of every sample, and show them all"));
    connect(read_, &QPushButton::clicked, this, &SamplePager::read);
    cancel_ = new QPushButton(tr("Cancel"), this);
    cancel_->setObjectName(QStringLiteral("cancelAllSamples"));
    connect(cancel_, &QPushButton::clicked, this, &SamplePager::cancel);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid / 2);
    before_ = addTurn("samplesBefore", tr("The samples before"), Qt::LeftArrow, -1);
    layout->addWidget(before_);
    layout->addWidget(words_);
    after_ = addTurn("samplesBehind", tr("The next samples"), Qt::RightArrow, 1);
    for (QWidget* widget : std::initializer_list<QWidget*>{after_, read_, cancel_})
        layout->addWidget(widget);
    beat_ = new QTimer(this);
    beat_->setInterval(kBeat);
    connect(beat_, &QTimer::timeout, this, &SamplePager::showState);
    showState();
}

SamplePager::~SamplePager() {
    wanted_.request_stop();
}

QToolButton* SamplePager::addTurn(const char* name, const QString& words, Qt::ArrowType arrow,
                                  int by) {
    auto* button = new QToolButton(this);
    button->setObjectName(QLatin1String(name));
    button->setArrowType(arrow);
    button->setToolTip(words);
    button->setAccessibleName(words);
    button->setFocusPolicy(Qt::StrongFocus);
    connect(button, &QToolButton::clicked, this, [this, by] {
        turnTo(by < 0 ? page_->first - std::min(page_->first, kPage) : page_->first + kPage);
    });
    return button;
}

void SamplePager::setReader(Reader reader) {
    reader_ = std::move(reader);
    showState();
}

void SamplePager::setScored(const job::ScoredSplit& scored) {
    if (scored == scored_) return;
    cancel();
    scored_ = scored;
    samples_.reset();
    turning_.cancel();
    page_.reset();
    say({});
    Q_EMIT pageChanged();
}

void SamplePager::setCell(int truth, int prediction) {
    if (truth == truth_ && prediction == prediction_) return;
    truth_ = truth;
    prediction_ = prediction;
    if (samples_) turnTo(0);
}

void SamplePager::read() {
    if (!reader_ || reading_.isBusy()) return;
    wanted_ = std::stop_source();
    progress_ = std::make_shared<Progress>();
    const job::LoadWatch watch{wanted_.get_token(),
                               [progress = progress_](const job::LoadProgress& newest) {
                                   if (newest.unit != job::LoadProgress::Unit::Images) return;
                                   const std::lock_guard lock(progress->mutex);
                                   progress->counts.first = newest.done;
                                   progress->counts.all = newest.all;
                               }};
    reading_.start([reader = reader_, watch, scored = scored_] { return reader(scored, watch); },
                   [this](const Result<Samples>& samples) { take(samples); });
    beat_->start();
    say({});
}

/// What comes all the same is thrown away.
void SamplePager::cancel() {
    if (!reading_.isBusy()) return;
    wanted_.request_stop();
    reading_.cancel();
    say({});
}

void SamplePager::take(const Result<Samples>& samples) {
    if (samples) {
        samples_ = *samples;
        turnTo(0);
        return say({});
    }
    QString words = QString::fromStdString(samples.error().message);
    if (!words.isEmpty()) words[0] = words[0].toUpper();
    say(words, true);
    words_->setToolTip(QString::fromStdString(samples.error().remedy));
}

/// A page's samples are read where they lie, perhaps from a disk.
void SamplePager::turnTo(std::size_t first) {
    turning_.start([samples = samples_, truth = truth_, prediction = prediction_,
                    first] { return samples->page(truth, prediction, first, kPage); },
                   [this](const job::ScoredSamples::Page& page) {
                       page_ = page;
                       showState();
                       Q_EMIT pageChanged();
                   });
}

void SamplePager::say(const QString& words, bool isProblem) {
    words_->setText(words);
    words_->setToolTip({});
    markProblem(words_, "problem", isProblem);
    showState();
}

void SamplePager::showState() {
    const bool isBusy = reading_.isBusy();
    if (!isBusy) beat_->stop();
    if (isBusy) {
        const std::lock_guard lock(progress_->mutex);
        const auto& counts = progress_->counts;
        words_->setText(counts.all == 0 ? tr("Reading …")
                                        : tr("Computing … %1 of %2")
                                              .arg(units::count(qint64(counts.first)),
                                                   units::count(qint64(counts.all))));
    } else if (page_) {
        const auto last = page_->first + page_->samples.size();
        words_->setText(page_->all == 0 ? tr("none")
                                        : tr("%1–%2 of %3")
                                              .arg(units::count(qint64(page_->first) + 1),
                                                   units::count(qint64(last)),
                                                   units::count(qint64(page_->all))));
    }
    read_->setVisible(reader_ && !isBusy && !samples_);
    cancel_->setVisible(isBusy);
    words_->setVisible(!words_->text().isEmpty());
    for (QToolButton* turn : {before_, after_})
        turn->setVisible(page_.has_value() && page_->all > kPage);
    before_->setEnabled(page_ && page_->first > 0);
    after_->setEnabled(page_ && page_->first + page_->samples.size() < page_->all);
}

/// Another page, or no page at all: not a window that is only minimised.
void SamplePager::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    if (!event->spontaneous()) cancel();
}

}  // namespace lockstep::ui
