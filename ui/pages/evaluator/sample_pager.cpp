// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/sample_pager.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "ui/pages/page_parts.h"
#include "ui/style/core_words.h"
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
    buildComparison();
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid / 2);
    layout->addWidget(other_);
    layout->addWidget(change_);
    back_ = addTurn("samplesBefore", tr("The samples before"), Qt::LeftArrow, -1);
    layout->addWidget(back_);
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
        setProblem({});
        turnTo(by < 0 ? page_->first - std::min(page_->first, kPage) : page_->first + kPage);
    });
    return button;
}

void SamplePager::buildComparison() {
    other_ = new QComboBox(this);
    other_->setObjectName(QStringLiteral("compareSamples"));
    other_->setAccessibleName(tr("Compare the answers with those of another checkpoint"));
    other_->setToolTip(other_->accessibleName());
    other_->addItem(tr("Compare with …"));
    change_ = new QComboBox(this);
    change_->setObjectName(QStringLiteral("comparedChange"));
    change_->setAccessibleName(tr("Which answers differ"));
    change_->addItems({tr("Forgotten since"), tr("Learnt since")});
    change_->setItemData(0, tr("Right there, wrong here"), Qt::ToolTipRole);
    change_->setItemData(1, tr("Wrong there, right here"), Qt::ToolTipRole);
    connect(other_, &QComboBox::currentIndexChanged, this, &SamplePager::compare);
    connect(change_, &QComboBox::currentIndexChanged, this, [this] {
        if (before_) turnTo(0);
    });
}

/// The choice stays where its checkpoint does.
void SamplePager::setOthers(const std::vector<Other>& others) {
    if (others == others_ && othersOf_ == scored_.step) return;
    others_ = others;
    othersOf_ = scored_.step;
    const QVariant chosen = other_->currentData();
    {
        const QSignalBlocker quiet(other_);
        while (other_->count() > 1)
            other_->removeItem(1);
        const auto next = std::ranges::lower_bound(others, scored_.step, {}, &Other::step);
        for (auto each = others.begin(); each != others.end(); ++each)
            other_->addItem(
                (each + 1 == next ? tr("with the one before, step %1: %2") : tr("with step %1: %2"))
                    .arg(units::count(each->step), each->score),
                qlonglong(each->step));
        other_->setCurrentIndex(chosen.isValid() ? std::max(0, other_->findData(chosen)) : 0);
    }
    if (other_->currentData() != chosen) {
        cancel();  // what is computed for the one that is gone
        compare();
    }
    showState();
}

std::optional<job::ScoredSplit> SamplePager::comparedSplit() const {
    if (other_->currentIndex() <= 0) return std::nullopt;
    return job::ScoredSplit{scored_.runDir, other_->currentData().toLongLong(), scored_.split};
}

QString SamplePager::comparedWords() const {
    if (!before_) return {};
    const QString step = units::count(other_->currentData().toLongLong());
    return change_->currentIndex() == 0 ? tr("right at step %1, wrong here").arg(step)
                                        : tr("wrong at step %1, right here").arg(step);
}

/// With another one, or with none any more.
void SamplePager::compare() {
    before_.reset();
    turning_.cancel();
    if (comparedSplit()) return read();
    if (samples_) turnTo(0);
    setProblem({});
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
    before_.reset();
    turning_.cancel();
    showUncompared();
    setProblem({});
}

void SamplePager::setCell(int truth, int prediction) {
    if (truth == truth_ && prediction == prediction_) return;
    truth_ = truth;
    prediction_ = prediction;
    setProblem({});
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
    reading_.start(
        [reader = reader_, watch, scored = scored_, known = samples_, compared = comparedSplit(),
         progress = progress_]() -> Result<Read> {
            auto samples = known ? Result<Samples>(known) : reader(scored, watch);
            if (!samples) return fail(samples.error());
            {
                const std::lock_guard lock(progress->mutex);
                progress->samples = *samples;
            }
            if (!compared) return Read{*samples, nullptr};
            auto before = reader(*compared, watch);
            if (!before) return fail(before.error());
            return Read{*samples, *before};
        },
        [this](const Result<Read>& read) { take(read); });
    beat_->start();
    setProblem({});
}

/// What comes all the same is thrown away; what is there already is kept.
void SamplePager::cancel() {
    if (!reading_.isBusy()) return;
    wanted_.request_stop();
    reading_.cancel();
    takeComputed();
    showUncompared();
    setProblem({});
}

/// The choice and the page are those of what is known, not of what was to be computed.
void SamplePager::showUncompared() {
    {
        const QSignalBlocker quiet(other_);
        other_->setCurrentIndex(0);
    }
    if (samples_) return turnTo(0);
    page_.reset();
    Q_EMIT pageChanged();
}

/// This checkpoint's own answers are good whatever becomes of those that they are held against.
void SamplePager::takeComputed() {
    const std::lock_guard lock(progress_->mutex);
    if (progress_->samples) samples_ = progress_->samples;
}

void SamplePager::take(const Result<Read>& read) {
    if (read) {
        samples_ = read->samples;
        before_ = read->before;
        turnTo(0);
        return showState();
    }
    takeComputed();
    showUncompared();
    QString words = fromCore(read.error().message);
    if (!words.isEmpty()) words[0] = words[0].toUpper();
    setProblem(words, fromCore(read.error().remedy));
}

/// A page's samples are read where they lie, perhaps from a disk.
void SamplePager::turnTo(std::size_t first) {
    const auto change =
        change_->currentIndex() == 0 ? job::ScoredChange::Broken : job::ScoredChange::Mended;
    turning_.start(
        [samples = samples_, before = before_, change, truth = truth_, prediction = prediction_,
         first] {
            return before ? samples->changed(*before, change, truth, prediction, first, kPage)
                          : samples->page(truth, prediction, first, kPage);
        },
        [this](const job::ScoredSamples::Page& page) {
            page_ = page;
            showState();
            Q_EMIT pageChanged();
        });
}

/// Stays until something else is asked for.
void SamplePager::setProblem(const QString& words, const QString& remedy) {
    problem_ = words;
    words_->setToolTip(remedy);
    markProblem(words_, "problem", !words.isEmpty());
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
    } else if (!problem_.isEmpty() || !page_) {
        words_->setText(problem_);
    } else {
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
    other_->setVisible(reader_ && other_->count() > 1);
    other_->setEnabled(!isBusy);
    change_->setVisible(before_ != nullptr);
    for (QToolButton* turn : {back_, after_})
        turn->setVisible(page_.has_value() && page_->all > kPage);
    back_->setEnabled(page_ && page_->first > 0);
    after_->setEnabled(page_ && page_->first + page_->samples.size() < page_->all);
}

/// Another page, or no page at all: not a window that is only minimised.
void SamplePager::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    if (!event->spontaneous()) cancel();
}

}  // namespace lockstep::ui
