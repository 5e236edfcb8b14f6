// SPDX-License-Identifier: GPL-3.0-or-later
// Which samples of an evaluation are shown, and what is said of them.
#include <QApplication>
#include <QScrollArea>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ui/pages/evaluator/evaluation_details.h"
#include "ui/style/units.h"
#include "ui/widgets/card.h"
#include "ui/widgets/class_bars.h"
#include "ui/widgets/confusion_matrix.h"

namespace lockstep::ui {

/// The checkpoints that were scored on the same data, and whose files are there.
void EvaluationDetails::showOthers(const job::EvaluationView& evaluation, const job::RunView& run) {
    std::set<std::int64_t> gone;
    for (const job::CheckpointView& checkpoint : run.checkpoints)
        checkpoint.deleted ? void(gone.insert(checkpoint.step)) : void(gone.erase(checkpoint.step));
    std::map<std::int64_t, QString> scores;
    for (const auto& other : run.evaluations)
        if (other->error.empty() && other->split == evaluation.split &&
            other->step != evaluation.step && !gone.contains(other->step))
            scores[other->step] = units::percent(other->accuracy, 2);
    std::vector<SamplePager::Other> others;
    for (const auto& [step, score] : scores)
        others.push_back({step, score});
    pager_->setOthers(others);
    history_->setRun(run, evaluation.split, evaluation.step, classNames_);
}

/// Of the sample that the user chose.
void EvaluationDetails::openHistory() {
    const SampleGrid::Sample* chosen = samples_->chosen();
    if (chosen == nullptr) return;
    const bool isOpening = history_->sample() < 0;
    samples_->setMarked(chosen->index);
    history_->showSample(chosen->index, chosen->truth);
    if (!isOpening) return;
    fitSampleRows();
    // Once it has its place: on a low window that is below the edge of the page.
    QTimer::singleShot(0, history_, [this] {
        for (QWidget* each = parentWidget(); each != nullptr; each = each->parentWidget())
            if (auto* page = qobject_cast<QScrollArea*>(each)) page->ensureWidgetVisible(history_);
    });
}

void EvaluationDetails::closeHistory() {
    if (history_->sample() < 0) return;
    const bool hadFocus = history_->isAncestorOf(QApplication::focusWidget());
    samples_->setMarked(-1);
    history_->showSample(-1, {});
    fitSampleRows();
    if (hadFocus) samples_->setFocus();
}

void EvaluationDetails::forgetChoice() {
    cell_ = {-1, -1};
    pager_->setCell(-1, -1);
    closeHistory();
}

void EvaluationDetails::filterBy(const QPoint& cell) {
    cell_ = cell;
    pager_->setCell(cell.y(), cell.x());
    showSamples();
}

void EvaluationDetails::chooseClass(int bar) {
    const QPoint whole(-1, barClasses_[std::size_t(bar)]);
    filterBy(whole == cell_ ? QPoint(-1, -1) : whole);
}

bool EvaluationDetails::isIn(const QPoint& sample) const {
    return cell_.y() < 0 || (sample.y() == cell_.y() && (cell_.x() < 0 || sample.x() == cell_.x()));
}

void EvaluationDetails::showSamples() {
    const bool filtered = cell_.y() >= 0;
    QVector<SampleGrid::Sample> samples;
    qsizetype wrong = 0;
    const job::ScoredSamples::Page* page = pager_->page();
    if (page != nullptr)
        for (const auto& sample : page->samples)
            samples.push_back(shownOf(sample).shown);
    for (const Sample& sample : page == nullptr ? all_ : QVector<Sample>()) {
        if (!isIn(sample.cell)) continue;
        wrong += sample.shown.correct ? 0 : 1;
        samples.push_back(sample.shown);
    }
    matrix_->setMarked(cell_.x() < 0 ? QPoint(-1, -1) : cell_);
    const auto bar = std::ranges::find(barClasses_, cell_.y());
    const bool isClass = cell_.x() < 0 && bar != barClasses_.end();
    classes_->setMarked(isClass ? int(bar - barClasses_.begin()) : -1);
    unfilter_->setVisible(filtered);
    sampleCard_->setSubtitle(page != nullptr      ? describePage(*page)
                             : failure_.isEmpty() ? describeSamples(samples.size(), wrong)
                                                  : QString());
    samples_->setEmptyText(
        !failure_.isEmpty() ? tr("This checkpoint was not scored: %1").arg(failure_)
        : filtered          ? tr("None of the samples that were kept lies here. The "
                                          "evaluator keeps the hardest ones and some of the others.")
                            : tr("No samples were kept"));
    std::vector<std::uint32_t> shown;
    for (const SampleGrid::Sample& each : samples)
        shown.push_back(std::uint32_t(each.index));
    history_->setShown(std::move(shown));
    samples_->setSamples(std::move(samples));
}

QString EvaluationDetails::cellText() const {
    if (cell_.x() < 0) return tr("All of class %1").arg(names_[cell_.y()]);
    return cell_.x() == cell_.y() ? tr("%1 recognised").arg(names_[cell_.y()])
                                  : tr("%1 taken for %2").arg(names_[cell_.y()], names_[cell_.x()]);
}

/// Of what was computed: all of a cell, or all there are.
QString EvaluationDetails::describePage(const job::ScoredSamples::Page& page) const {
    if (const QString compared = pager_->comparedWords(); !compared.isEmpty())
        return cell_.y() < 0 ? compared : tr("%1, %2").arg(cellText(), compared);
    if (cell_.x() >= 0) return tr("%1, the hardest first").arg(cellText());
    if (cell_.y() >= 0)
        return tr("%1, the hardest first, %2 of them wrong")
            .arg(cellText(), units::count(qint64(page.wrong)));
    return tr("the hardest first, %1 of them wrong").arg(units::count(qint64(page.wrong)));
}

qint64 EvaluationDetails::samplesIn(const QPoint& cell) const {
    if (cell.x() < 0) {  // of a whole class
        qint64 all = 0;
        for (int i = 0; hasMatrix_ && i < names_.size(); ++i)
            all += samplesIn({i, cell.y()});
        for (const auto& each : cells_)
            all += !hasMatrix_ && each.truth == cell.y() ? each.count : 0;
        return all;
    }
    if (hasMatrix_) return counts_.value(qsizetype(cell.y()) * names_.size() + cell.x());
    const auto found = std::ranges::find_if(cells_, [&cell](const auto& each) {
        return each.truth == cell.y() && each.prediction == cell.x();
    });
    return found == cells_.end() ? 0 : found->count;
}

/// "24 of 2 000, most of them the hardest: 9 wrong here, 61 in all", or of one cell. The evaluator
/// keeps some that it did not choose by how hard they are.
QString EvaluationDetails::describeSamples(qsizetype shown, qsizetype wrong) const {
    if (cell_.y() < 0) {
        const QString all =
            shown < scored_ ? tr("%1 of %2, most of them the hardest").arg(shown) : tr("All %2");
        const auto missed = qint64(std::llround((1 - accuracy_) * double(scored_)));
        return tr("%1: %2 wrong here, %3 in all")
            .arg(all.arg(units::count(scored_)), units::count(wrong), units::count(missed));
    }
    return tr("%1: %2 of %3 are among the %4 that were kept")
        .arg(cellText())
        .arg(shown)
        .arg(units::count(samplesIn(cell_)))
        .arg(all_.size());
}

}  // namespace lockstep::ui
