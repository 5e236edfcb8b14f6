// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/samples_card.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QHideEvent>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QTimer>
#include <algorithm>

#include "ui/models/data_text.h"
#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/models/network.h"
#include "ui/models/words.h"
#include "ui/pages/page_parts.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/widgets/augmented_samples.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kRow = 28;
constexpr int kMostRows = 15;  ///< More are scrolled to.
constexpr int kBeat = 200;     ///< Milliseconds between two looks at how far a reading is.

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

/// Null for what is no image of one or three channels.
QImage imageOf(const std::vector<std::uint8_t>& pixels, const model::Shape& shape) {
    if (shape.size() != 3 || (shape[2] != 1 && shape[2] != 3)) return {};
    const bool isColour = shape[2] == 3;
    const auto height = int(shape[0]);
    const auto width = int(shape[1]);
    if (pixels.size() != std::size_t(height) * std::size_t(width) * std::size_t(shape[2]))
        return {};
    return QImage(pixels.data(), width, height, qsizetype(width) * qsizetype(shape[2]),
                  isColour ? QImage::Format_RGB888 : QImage::Format_Grayscale8)
        .copy();
}

QString className(const job::DataCard& card, int label) {
    const bool isKnown = label >= 0 && label < int(card.classNames.size());
    return isKnown ? text(card.classNames[std::size_t(label)]) : QString();
}

}  // namespace

SamplesCard::SamplesCard(JobEditor& editor, QWidget* parent)
    : Card(tr("Samples"), parent), editor_(editor) {
    thread_.setMaxThreadCount(1);
    state_ = wrappedLabel(this);
    state_->setObjectName(QStringLiteral("samplesState"));
    state_->setProperty("secondary", true);
    notes_ = wrappedLabel(this);
    notes_->setObjectName(QStringLiteral("samplesNotes"));
    read_ = new QPushButton(this);
    read_->setObjectName(QStringLiteral("readSamplesButton"));
    cancel_ = new QPushButton(tr("Cancel"), this);
    cancel_->setObjectName(QStringLiteral("cancelSamplesButton"));
    connect(read_, &QPushButton::clicked, this, &SamplesCard::read);
    connect(cancel_, &QPushButton::clicked, this, &SamplesCard::cancel);
    addHeadWidget(cancel_);
    addHeadWidget(read_);
    counts_ = new QTableWidget(this);
    counts_->setObjectName(QStringLiteral("classCounts"));
    counts_->setAccessibleName(tr("Samples of each class"));
    counts_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    styleTable(counts_, kRow);
    samples_ = new AugmentedSamples(this);
    samples_->setObjectName(QStringLiteral("augmentedSamples"));
    auto* row = new QHBoxLayout;
    row->setSpacing(2 * kGrid);
    row->addWidget(counts_, 1, Qt::AlignTop);
    row->addWidget(samples_, 1, Qt::AlignTop);
    for (QWidget* widget : std::initializer_list<QWidget*>{state_, notes_})
        body()->addWidget(widget);
    body()->addLayout(row);
    stackWhenCrowded(this, row, 4 * kGrid);
    for (QWidget* widget : std::initializer_list<QWidget*>{notes_, counts_, samples_})
        widget->hide();
    beat_ = new QTimer(this);
    beat_->setInterval(kBeat);
    connect(beat_, &QTimer::timeout, this, &SamplesCard::showState);
    connect(&editor_, &JobEditor::changed, this, &SamplesCard::stopIfOther);
    connect(&editor_, &JobEditor::opened, this, &SamplesCard::cancel);
    refresh();
}

SamplesCard::~SamplesCard() {
    stopReading();
}

void SamplesCard::setReader(Reader reader) {
    reader_ = std::move(reader);
    refresh();
}

QString SamplesCard::progressText() const {
    if (!progress_) return tr("Reading the data …");
    const std::lock_guard lock(progress_->mutex);
    const job::LoadProgress& newest = progress_->newest;
    if (newest.unit == job::LoadProgress::Unit::Images && newest.all > 0)
        return tr("Reading the data … %1 of %2 images")
            .arg(units::count(qint64(newest.done)), units::count(qint64(newest.all)));
    if (newest.done > 0)
        return tr("Reading the data … %1 prepared").arg(units::bytes(double(newest.done)));
    return tr("Reading the data …");
}

void SamplesCard::showState() {
    const bool isBusy = reading_.isBusy();
    const bool isShown = !counts_->isHidden() || !samples_->isHidden() || !notes_->isHidden();
    const bool isOld = !readText_.isEmpty() && readText_ != samplesTextOf(editor_.spec());
    if (isBusy)
        state_->setText(progressText());
    else if (isShown && isOld)
        state_->setText(tr("What decides these samples was changed since they were read."));
    else if (!stopped_.isEmpty())
        state_->setText(stopped_);
    else if (readText_.isEmpty())
        state_->setText(
            tr("Counts of the classes, what is skipped, and images as training will "
               "see them. Reading all of the data may take a while."));
    state_->setVisible(isBusy || (isShown && isOld) || readText_.isEmpty() ||
                       state_->property("problem").toBool());
}

void SamplesCard::refresh() {
    const bool isBusy = reading_.isBusy();
    cancel_->setVisible(isBusy);
    read_->setVisible(!isBusy);
    read_->setEnabled(reader_ && editor_.hasJob() && editor_.wellFormed());
    read_->setText(readText_.isEmpty() ? tr("Show samples") : tr("Read again"));
    if (isBusy)
        beat_->start();
    else
        beat_->stop();
    showState();
}

job::LoadWatch SamplesCard::beginWatch() {
    wanted_ = std::stop_source();
    progress_ = std::make_shared<Progress>();
    return {wanted_.get_token(), [progress = progress_](const job::LoadProgress& newest) {
                using Unit = job::LoadProgress::Unit;
                const std::lock_guard lock(progress->mutex);
                // Of images their number says more than the bytes that they come to.
                if (newest.unit == Unit::Images || progress->newest.unit == Unit::Bytes)
                    progress->newest = newest;
            }};
}

void SamplesCard::read() {
    if (!reader_ || !editor_.hasJob()) return;
    readText_ = samplesTextOf(editor_.spec());
    stopped_.clear();
    markProblem(state_, "problem", false);
    reading_.start([reader = reader_, watch = beginWatch(), job = editor_.spec(),
                    folder = std::filesystem::path(
                        editor_.folder().toStdString())] { return reader(job, folder, watch); },
                   [this](const Answer& answer) { showAnswer(answer); });
    refresh();
}

/// What comes all the same is thrown away; the next reading waits until then.
void SamplesCard::stopReading() {
    wanted_.request_stop();
    if (reading_.isBusy()) reading_.cancel();
}

void SamplesCard::cancel() {
    stopReading();
    readText_.clear();
    stopped_.clear();
    markProblem(state_, "problem", false);
    hideAnswer();
    refresh();
}

void SamplesCard::hideAnswer() {
    for (QWidget* widget : std::initializer_list<QWidget*>{notes_, counts_, samples_})
        widget->hide();
    setSubtitle({});
}

/// What the job no longer asks for is not read to its end.
void SamplesCard::stopIfOther() {
    if (reading_.isBusy() && readText_ != samplesTextOf(editor_.spec())) {
        cancel();
        stopped_ = tr("The reading was stopped: the job's data were changed meanwhile.");
    }
    refresh();
}

/// Another page, or no page at all: not a window that is only minimised.
void SamplesCard::hideEvent(QHideEvent* event) {
    Card::hideEvent(event);
    if (event->spontaneous() || !reading_.isBusy()) return;
    cancel();
    stopped_ = tr("The reading was stopped when the page was left.");
    refresh();
}

void SamplesCard::showAnswer(const Answer& answer) {
    markProblem(state_, "problem", !answer);
    if (!answer) {
        hideAnswer();
        state_->setText(inFormWords(text(answer.error().message)) + QLatin1Char('\n') +
                        inFormWords(text(answer.error().remedy)));
        return refresh();
    }
    QStringList notes;
    for (const std::string& note : answer->notes)
        notes << asSentence(inFormWords(text(note)));
    notes_->setText(notes.join(QLatin1Char('\n')));
    notes_->setVisible(!notes.isEmpty());
    setSubtitle(tr("%1 of %2").arg(text(answer->kind), shapeText(answer->shape)));
    showCounts(*answer);
    showSamples(*answer);
    refresh();
    // Somebody may have changed the job meanwhile.
    if (readText_ == samplesTextOf(editor_.spec()) && !answer->facts.input.empty())
        Q_EMIT factsRead(answer->facts);
}

void SamplesCard::showCounts(const job::DataCard& card) {
    const bool hasClasses =
        std::ranges::any_of(card.parts, [](const auto& part) { return !part.perClass.empty(); });
    const int classes = hasClasses ? int(card.classNames.size()) : 0;
    QStringList headers{tr("Class")};
    for (const auto& part : card.parts)
        headers << text(part.name);
    counts_->clear();
    counts_->setColumnCount(int(headers.size()));
    counts_->setRowCount(classes + 1);
    counts_->setHorizontalHeaderLabels(headers);
    const auto put = [this](int row, int column, const QString& words) {
        auto* item = new QTableWidgetItem(words);
        item->setTextAlignment(Qt::AlignVCenter | (column == 0 ? Qt::AlignLeft : Qt::AlignRight));
        counts_->setItem(row, column, item);
    };
    put(0, 0, tr("all"));
    for (int row = 0; row < classes; ++row)
        put(row + 1, 0, className(card, row));
    for (int column = 1; column < headers.size(); ++column) {
        const auto& part = card.parts[std::size_t(column - 1)];
        counts_->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        put(0, column, units::count(qint64(part.samples)));
        for (int row = 0; row < classes && row < int(part.perClass.size()); ++row)
            put(row + 1, column, units::count(qint64(part.perClass[std::size_t(row)])));
    }
    counts_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    counts_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    const int rows = std::min(classes + 1, kMostRows);
    counts_->setFixedHeight(counts_->horizontalHeader()->sizeHint().height() + rows * kRow + 2);
    counts_->show();
}

void SamplesCard::showSamples(const job::DataCard& card) {
    QVector<AugmentedSamples::Sample> samples;
    for (const auto& each : card.samples) {
        const QImage image = imageOf(each.pixels, card.shape);
        if (image.isNull()) continue;
        AugmentedSamples::Sample sample{className(card, each.label), image};
        for (const auto& version : each.versions) {
            QString note;
            if (version.otherClass >= 0)
                note = tr("%1 %2, the rest %3")
                           .arg(units::percent(version.share, 0), sample.label,
                                className(card, version.otherClass));
            sample.versions.push_back({imageOf(version.pixels, card.shape), note});
        }
        samples.push_back(std::move(sample));
    }
    samples_->setVisible(!samples.isEmpty());
    samples_->setSamples(std::move(samples));
}

}  // namespace lockstep::ui
