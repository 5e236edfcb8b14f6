// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/graph_legend.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>
#include <numeric>

#include "ui/models/job_editor.h"
#include "ui/models/network.h"
#include "ui/pages/job/graph_painter.h"
#include "ui/pages/job/graph_view.h"
#include "ui/pages/page_parts.h"
#include "ui/style/accessible_role.h"
#include "ui/style/core_words.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

/// A colour and what it stands for.
class LegendKey final : public QWidget {
public:
    LegendKey(QColor (*colour)(const Theme&), const QString& words, QWidget* parent)
        : QWidget(parent), colour_(colour), words_(words) {
        setFont(smallFont());
        setFixedSize(fontMetrics().horizontalAdvance(words) + 26, fontMetrics().height() + 4);
        setAccessibleRole(*this, QAccessible::StaticText);
        setAccessibleName(words);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = Theme::of(this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour_(theme));
        painter.drawRoundedRect(QRectF(0, height() / 2.0 - 2, 14, 4), 2, 2);
        painter.setPen(theme.textSecondary);
        painter.drawText(rect().adjusted(20, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, words_);
    }

private:
    QColor (*colour_)(const Theme&);
    QString words_;
};

/// What its times depend on: its layers with their sizes.
std::vector<std::string> essenceOf(const model::Graph& graph, int samples) {
    std::vector<std::string> essence{std::to_string(samples)};
    for (const model::Layer& layer : graph.layers)
        essence.push_back(layer.name + ' ' + layer.type + ' ' + model::toString(layer.output) +
                          ' ' + std::to_string(layer.flops));
    return essence;
}

/// Of a step, what one replica takes.
int samplesOf(const config::JobSpec& spec) {
    const int replicas = std::max(1, spec.cluster.replicaCount());
    return std::max(1, (spec.training.globalBatchSize + replicas - 1) / replicas);
}

}  // namespace

GraphLegend::GraphLegend(JobEditor& editor, Network& network, GraphView& view, QWidget* parent)
    : QWidget(parent), editor_(editor), network_(network), view_(view) {
    mode_ = new SegmentedControl({tr("Sizes"), tr("Operations"), tr("Time")}, this);
    mode_->setObjectName(QStringLiteral("graphShows"));
    mode_->setAccessibleName(tr("What the picture shows of each layer"));
    mode_->setToolTip(
        tr("Where the time goes: sizes, the share of a step's operations, or the "
           "share of its time, measured on this machine"));
    memory_ = new LegendKey(memoryColour, tr("memory of the output"), this);
    work_ = new LegendKey(workColour, tr("operations"), this);
    share_ = new LegendKey(shareColour, tr("share of all"), this);
    words_ = wrappedLabel(this);
    words_->setObjectName(QStringLiteral("graphWords"));
    words_->setFont(smallFont());
    words_->setProperty("secondary", true);
    // A row of its own: what the keys need must not move what is clicked.
    auto* row = new QHBoxLayout;
    row->setSpacing(kGrid);
    for (QWidget* key : {memory_, work_, share_})
        row->addWidget(key);
    row->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid / 2);
    layout->addWidget(mode_, 0, Qt::AlignLeft);
    layout->addLayout(row);
    layout->addWidget(words_);
    connect(mode_, &SegmentedControl::currentChanged, this, &GraphLegend::showMode);
    connect(&network_, &Network::changed, this, &GraphLegend::forget);
    showMode();
}

void GraphLegend::say(const QString& words, bool isProblem) {
    words_->setText(words);
    words_->setVisible(!words.isEmpty());
    markProblem(words_, "problem", isProblem);
}

void GraphLegend::showMode() {
    const int mode = mode_->current();
    memory_->setVisible(mode == Sizes);
    work_->setVisible(mode == Sizes);
    share_->setVisible(mode != Sizes);
    say({});
    if (mode == Sizes) return view_.showShares({});
    if (mode == Operations) return showOperations();
    measure();
}

void GraphLegend::showOperations() {
    std::vector<double> flops;
    for (const model::Layer& layer : network_.graph().layers)
        flops.push_back(double(layer.flops));
    view_.showShares(std::move(flops));
}

void GraphLegend::measure() {
    const model::Graph graph = network_.graph();
    view_.showShares({});
    if (graph.layers.empty()) return;
    if (!measure_) return say(tr("Nothing can be measured here."), true);
    const int samples = samplesOf(editor_.spec());
    measured_ = essenceOf(graph, samples);
    say(tr("Measuring steps of %1 samples on this machine …").arg(units::count(samples)));
    measuring_.start(
        [measure = measure_, graph, samples] { return measure(graph, samples); },
        [this](const Result<job::LayerTimes>& times) {
            if (mode_->current() != Time) return;
            if (!times)
                return say(fromCore(times.error().message + ". " + times.error().remedy), true);
            const double whole =
                std::accumulate(times->milliseconds.begin(), times->milliseconds.end(), 0.0);
            say(tr("%1 a step of %2 samples, forward and backward, on this machine's processor.")
                    .arg(units::milliseconds(whole), units::count(times->samples)));
            view_.showShares(times->milliseconds, tr("ms a step"));
        });
}

/// Times of another network are none of this one's; measuring again takes a click, since every
/// letter that is typed may make another network.
void GraphLegend::forget() {
    if (mode_->current() == Operations) return showOperations();
    if (mode_->current() != Time) return;
    if (measured_ == essenceOf(network_.graph(), samplesOf(editor_.spec()))) return;
    measuring_.cancel();
    measured_.clear();
    mode_->setCurrent(Sizes);
    say(tr("The network has changed: choose Time to measure it as it is now."));
}

}  // namespace lockstep::ui
