// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/replicas/replica_map.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSet>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/job/fold/session.h"
#include "ui/models/metric_words.h"
#include "ui/models/named_values.h"
#include "ui/models/replica_table_model.h"
#include "ui/models/words.h"
#include "ui/style/core_words.h"
#include "ui/style/units.h"
#include "ui/widgets/phase_legend.h"

namespace lockstep::ui {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kNoticeable = 1.5;  // times the least: what differs less looks alike
constexpr double kLongSilence = 10;  // seconds
constexpr double kWholeProcessor = 100;

/// All replicas wait for the slowest, so their steps take equally long: what tells them apart is
/// how long they did not wait.
double workOf(const job::ReplicaView& replica) {
    double microseconds = 0;
    for (std::size_t phase = 0; phase < job::kStepPhases; ++phase)
        if (job::Phase(phase) != job::Phase::AllReduce)
            microseconds += double(replica.phaseMicroseconds[phase]);
    return microseconds > 0 ? microseconds / 1000 : kUnknown;
}

double valueOf(const job::ReplicaView& replica, ReplicaMap::Figure figure) {
    switch (figure) {
        case ReplicaMap::Work:
            return workOf(replica);
        case ReplicaMap::StepTime:
            return replica.stepMilliseconds > 0 ? double(replica.stepMilliseconds) : kUnknown;
        case ReplicaMap::Silence:
            return replica.heartbeatAgeSeconds >= 0 ? replica.heartbeatAgeSeconds : kUnknown;
        case ReplicaMap::Loss:
            return replica.step > 0 ? double(replica.loss) : kUnknown;
        case ReplicaMap::Accuracy:
            return replica.step > 0 ? double(replica.accuracy) : kUnknown;
        case ReplicaMap::Processor:
            return double(replica.cpuPercent);
        case ReplicaMap::Memory:
            return replica.residentBytes > 0 ? double(replica.residentBytes) : kUnknown;
        case ReplicaMap::Phase:
        case ReplicaMap::Named:
            break;
    }
    return kUnknown;
}

Tone toneOf(const job::ReplicaView& replica) {
    if (replica.liveness == job::Liveness::Lost) return Tone::Bad;
    return replica.liveness == job::Liveness::Late || replica.isAccused ? Tone::Warn
                                                                        : Tone::Neutral;
}

}  // namespace

ReplicaMap::ReplicaMap(QWidget* parent)
    : QWidget(parent),
      figure_(new QComboBox(this)),
      phases_(new PhaseLegend(this)),
      map_(new HeatMap(this)) {
    buildChoice();
    map_->setObjectName(QStringLiteral("replicaMap"));
    map_->setAccessibleName(tr("Map of the replicas, a row a host"));
    connect(map_, &HeatMap::activated, this,
            [this](int cell) { Q_EMIT replicaChosen(modelRows_[cell]); });
    auto* label = new QLabel(tr("Coloured by"), this);
    label->setBuddy(figure_);
    auto* head = new QHBoxLayout;
    head->setSpacing(kGrid);
    head->addWidget(label);
    head->addWidget(figure_);
    head->addWidget(phases_);
    head->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2 * kGrid);
    layout->addLayout(head);
    layout->addWidget(map_, 1);
}

void ReplicaMap::buildChoice() {
    figure_->setObjectName(QStringLiteral("replicaFigure"));
    figure_->setAccessibleName(tr("Coloured by"));
    figure_->setToolTip(
        tr("Own work: the newest step without waiting for the others. Beneath the line: what the "
           "replicas report under names of their own"));
    for (const auto& [name, figure] :
         std::initializer_list<std::pair<QString, Figure>>{{tr("Own work"), Work},
                                                           {tr("Step time"), StepTime},
                                                           {tr("Phase"), Phase},
                                                           {tr("Silence"), Silence},
                                                           {tr("Loss"), Loss},
                                                           {tr("Accuracy"), Accuracy},
                                                           {tr("Processor"), Processor},
                                                           {tr("Memory"), Memory}})
        figure_->addItem(name, figure);
    connect(figure_, &QComboBox::activated, this, &ReplicaMap::figureChanged);
}

QVariant ReplicaMap::chosen() const {
    return figure_->currentData();
}

void ReplicaMap::choose(const QVariant& figure) {
    const bool isName = figure.userType() == QMetaType::QString;
    if (isName && figure_->findData(figure) < 0) addName(figure.toString());
    figure_->setCurrentIndex(std::max(0, figure_->findData(figure)));
}

void ReplicaMap::addName(const QString& name) {
    if (figure_->count() == Named) figure_->insertSeparator(Named);
    figure_->addItem(seriesName(name.toStdString()), name);
    figure_->setItemData(figure_->count() - 1, name, Qt::ToolTipRole);
}

/// They come in one order, and none goes but all of them.
void ReplicaMap::matchNames(const NamedValues& named) {
    if (namesKnown_ < named.names().size()) {
        QSet<QString> offered;  // there may be thousands: not looked for one by one
        for (int item = Named; item < figure_->count(); ++item)
            offered << figure_->itemData(item).toString();
        for (; namesKnown_ < named.names().size(); ++namesKnown_) {
            const QString name = QString::fromStdString(named.names()[namesKnown_]);
            if (!offered.contains(name)) addName(name);
        }
    }
    unit_ = QString::fromStdString(named.unitOf(name()));
}

void ReplicaMap::forgetNames() {
    namesKnown_ = 0;
    for (int item = figure_->count() - 1; item >= Named; --item)
        if (figure() != Named || item != figure_->currentIndex()) figure_->removeItem(item);
    if (figure_->count() > Named) figure_->insertSeparator(Named);
}

ReplicaMap::Figure ReplicaMap::figure() const {
    const QVariant chosen = this->chosen();
    return chosen.userType() == QMetaType::QString ? Named : Figure(chosen.toInt());
}

std::string ReplicaMap::name() const {
    return figure() == Named ? chosen().toString().toStdString() : std::string();
}

QString ReplicaMap::valueText(double value) const {
    switch (figure()) {
        case Work:
        case StepTime:
            return units::milliseconds(value);
        case Silence:
            return units::duration(value);
        case Loss:
            return units::number(value);
        case Accuracy:
            return units::percent(value);
        case Processor:
            return units::percent(value / kWholeProcessor);
        case Memory:
            return units::bytes(value);
        case Named: {
            const QString words = seriesValue(name(), value);
            return unit_.isEmpty() ? words : words + QLatin1Char(' ') + unit_;
        }
        case Phase:
            break;
    }
    return {};
}

/// Not known: why that is, in words.
double ReplicaMap::namedValue(const job::ReplicaView& replica, const NamedValues& named,
                              QStringList& words) const {
    const bool isWorker = replica.role == job::Role::Worker;
    const double* said = isWorker ? named.find(name(), replica.replica) : nullptr;
    const QString title = seriesName(name());
    if (said == nullptr)
        words << tr("%1: it has not said it").arg(title);
    else if (!std::isfinite(*said))
        words << tr("%1: it said no finite number").arg(title);
    return said != nullptr && std::isfinite(*said) ? *said : kUnknown;
}

HeatMap::Cell ReplicaMap::cellOf(const job::ReplicaView& replica, const NamedValues& named) const {
    HeatMap::Cell cell;
    const bool isWorker = replica.role == job::Role::Worker;
    cell.name = isWorker ? QString::number(replica.replica) : tr("E");
    cell.tone = toneOf(replica);
    if (figure() == Phase && replica.heartbeatAgeSeconds >= 0) cell.phase = int(replica.phase);
    const QString who = processSentenceName(replica.role, replica.processId);
    QStringList words{tr("%1 on %2").arg(who, QString::fromStdString(replica.host))};
    cell.value = figure() == Named ? namedValue(replica, named, words) : valueOf(replica, figure());
    if (std::isfinite(cell.value)) words << valueText(cell.value);
    words << fromCore(replica.state);
    cell.words = words.join(QStringLiteral("  ·  "));
    return cell;
}

std::optional<HeatMap::Scale> ReplicaMap::scaleOf(const QVector<HeatMap::Row>& rows) const {
    if (figure() == Phase) return std::nullopt;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const HeatMap::Row& row : rows) {
        for (const HeatMap::Cell& cell : row.cells) {
            if (!std::isfinite(cell.value)) continue;
            low = std::min(low, cell.value);
            high = std::max(high, cell.value);
        }
    }
    if (low > high) return std::nullopt;
    if (figure() == Silence) {
        low = 0;
        high = std::max(high, kLongSilence);
    } else if (figure() == Processor) {
        low = 0;
        high = std::max(high, kWholeProcessor);
    } else {
        high = std::max(high, low + std::abs(low) * (kNoticeable - 1));
    }
    return HeatMap::Scale{low, high, valueText(low), valueText(high)};
}

/// Those that are to be seen now.
void ReplicaMap::showPhases(const ReplicaTableModel& model) {
    phases_->setVisible(figure() == Phase);
    if (figure() != Phase) return;
    QSet<int> seen;
    for (int row = 0; row < model.rowCount(); ++row)
        if (model.replicaAt(row)->heartbeatAgeSeconds >= 0)
            seen.insert(int(model.replicaAt(row)->phase));
    QVector<PhaseLegend::Entry> entries;
    for (int phase = 0; phase <= int(job::Phase::Program); ++phase)
        if (seen.contains(phase)) entries.push_back({phaseName(job::Phase(phase)), phase});
    phases_->setEntries(std::move(entries));
}

void ReplicaMap::showReplicas(const ReplicaTableModel& model, const NamedValues& named) {
    matchNames(named);
    QVector<HeatMap::Row> rows;
    QVector<QVector<int>> modelRows;
    for (int row = 0; row < model.rowCount(); ++row) {
        const job::ReplicaView& replica = *model.replicaAt(row);
        const QString host = QString::fromStdString(replica.host);
        auto found = std::ranges::find(rows, host, &HeatMap::Row::name);
        if (found == rows.end()) {
            rows.push_back({host, {}});
            modelRows.push_back({});
            found = rows.end() - 1;
        }
        found->cells.push_back(cellOf(replica, named));
        modelRows[found - rows.begin()].push_back(row);
    }
    modelRows_.clear();
    for (const QVector<int>& each : modelRows)
        modelRows_ += each;
    showPhases(model);
    auto scale = scaleOf(rows);
    map_->setRows(std::move(rows), std::move(scale));
}

}  // namespace lockstep::ui
