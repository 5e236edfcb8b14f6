// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/replicas/replica_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>
#include <tuple>

#include "ui/models/words.h"
#include "ui/style/core_words.h"
#include "ui/style/icons.h"
#include "ui/style/units.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/phase_bar.h"
#include "ui/widgets/sparkline.h"

namespace lockstep::ui {
namespace {

constexpr int kWidth = 296;
constexpr int kFactWidth = 80;
constexpr int kWidestFact = 128;  ///< Longer words go on in a further line.

QLabel* secondary(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setWordWrap(true);  // longer in other languages
    label->setProperty("secondary", true);
    return label;
}

}  // namespace

ReplicaPanel::ReplicaPanel(QWidget* parent) : Card(QString(), parent) {
    setObjectName(QStringLiteral("replicaPanel"));
    setFixedWidth(kWidth);
    auto* close = new QToolButton(this);
    close->setObjectName(QStringLiteral("closeReplicaPanel"));
    close->setIcon(makeIcon(Icon::Close));
    close->setAccessibleName(tr("Close the details"));
    close->setToolTip(tr("Close (Escape)"));
    close->setShortcut(Qt::Key_Escape);
    close->setAutoRaise(true);
    close->setFocusPolicy(Qt::StrongFocus);
    connect(close, &QToolButton::clicked, this, &ReplicaPanel::closeRequested);
    addHeadWidget(close);
    body()->setSpacing(kGrid);
    buildFacts();
    buildCurves();
    buildLog();
}

ElidedLabel* ReplicaPanel::addFact(const QString& name) {
    auto* row = new QHBoxLayout;
    row->setSpacing(kGrid);
    QLabel* label = secondary(name, this);
    facts_ << label;
    auto* value = new ElidedLabel({}, this);
    row->addWidget(label);
    row->addWidget(value, 1);
    body()->addLayout(row);
    return value;
}

void ReplicaPanel::buildFacts() {
    host_ = addFact(tr("Host"));
    process_ = addFact(tr("Process"));
    device_ = addFact(tr("Device"));
    memory_ = addFact(tr("Memory"));
    int widest = kFactWidth;
    for (const QLabel* fact : facts_)
        widest = std::max(widest, fact->fontMetrics().horizontalAdvance(fact->text()) + 2);
    for (QLabel* fact : facts_)
        fact->setFixedWidth(std::min(widest, kWidestFact));
}

void ReplicaPanel::buildCurves() {
    body()->addSpacing(kGrid);
    body()->addWidget(secondary(tr("Phases of the newest step"), this));
    phases_ = new PhaseBar(this);
    phases_->setFixedHeight(2 * kGrid);
    body()->addWidget(phases_);
    const auto addCurve = [this](const QString& name) {
        QLabel* label = secondary(name, this);
        body()->addWidget(label);
        auto* line = new Sparkline(this);
        line->setFixedHeight(6 * kGrid);
        line->setAccessibleName(name);
        body()->addWidget(line);
        return std::pair(line, label);
    };
    std::tie(stepTimes_, stepTime_) = addCurve(tr("Step time, newest 512 steps"));
    std::tie(losses_, loss_) = addCurve(tr("Loss, newest 512 steps"));
}

void ReplicaPanel::buildLog() {
    body()->addSpacing(kGrid);
    body()->addWidget(secondary(tr("Last log lines"), this));
    log_ = new QPlainTextEdit(this);
    log_->setObjectName(QStringLiteral("replicaLog"));
    log_->setAccessibleName(tr("Last log lines of this process"));
    log_->setReadOnly(true);
    log_->setTabChangesFocus(true);
    log_->setFont(fixedFont());
    log_->setPlaceholderText(tr("It has written nothing yet."));
    body()->addWidget(log_, 1);
    drill_ = new QPushButton(tr("Drill…"), this);
    drill_->setObjectName(QStringLiteral("replicaDrill"));
    drill_->setToolTip(tr("Make a fault in this process on purpose"));
    drill_->hide();
    connect(drill_, &QPushButton::clicked, this, [this] { Q_EMIT drillRequested(shown_); });
    body()->addWidget(drill_, 0, Qt::AlignRight);
}

QString ReplicaPanel::deviceText(const job::ReplicaView& replica) {
    if (!replica.gpu)
        return tr("%1, %2 % of a processor")
            .arg(QString::fromStdString(replica.device))
            .arg(int(replica.cpuPercent));
    const job::GpuView& gpu = *replica.gpu;
    QString text = tr("%1, %2 %, %3 °C, %4 W")
                       .arg(QString::fromStdString(gpu.name))
                       .arg(int(gpu.computePercent))
                       .arg(int(gpu.celsius))
                       .arg(int(gpu.watts));
    if (!gpu.slowdown.empty()) text += tr(", slowed: %1").arg(fromCore(gpu.slowdown));
    if (gpu.eccErrors > 0) text += tr(", %1 memory errors").arg(gpu.eccErrors);
    return text;
}

QString ReplicaPanel::memoryText(const job::ReplicaView& replica) {
    QString host = units::bytes(double(replica.residentBytes));
    if (!replica.gpu) return host;
    return tr("%1, GPU %2 of %3")
        .arg(host, units::bytes(double(replica.gpu->usedBytes)),
             units::bytes(double(replica.gpu->totalBytes)));
}

void ReplicaPanel::showReplica(const job::ReplicaView& replica) {
    QString name = processSentenceName(replica.role, replica.processId);
    name[0] = name[0].toUpper();
    setTitle(name);
    shown_ = replica.processId;
    isWorker_ = replica.role == job::Role::Worker;
    drill_->setVisible(offersDrills_ && isWorker_);
    setSubtitle(fromCore(replica.state));
    host_->setText(addressText(replica));
    process_->setText(replica.pid > 0 ? tr("pid %1").arg(replica.pid) : tr("not started"));
    device_->setText(deviceText(replica));
    stepTime_->setText(
        tr("Step time %1, newest 512 steps").arg(stepTimeText(replica.stepMilliseconds)));
    loss_->setText(tr("Loss %1, newest 512 steps").arg(lossText(replica.loss)));
    memory_->setText(memoryText(replica));
    QVector<PhaseBar::Part> parts;
    for (std::size_t i = 0; i < replica.phaseMicroseconds.size(); ++i) {
        parts.push_back({phaseName(job::Phase(i)), double(replica.phaseMicroseconds[i]),
                         Theme::of(this).phaseColour(int(i))});
    }
    phases_->setParts(std::move(parts));
    phases_->setAccessibleName(phasesSentence(replica));
}

void ReplicaPanel::showHistory(const QVector<float>& losses,
                               const QVector<float>& stepMilliseconds) {
    losses_->setValues(losses);
    stepTimes_->setValues(stepMilliseconds);
}

void ReplicaPanel::offerDrills(bool on) {
    offersDrills_ = on;
    drill_->setVisible(offersDrills_ && isWorker_);
}

void ReplicaPanel::showLog(const QStringList& lines) {
    const QString text = lines.join(QLatin1Char('\n'));
    if (log_->toPlainText() != text) log_->setPlainText(text);
}

}  // namespace lockstep::ui
