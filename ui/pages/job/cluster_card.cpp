// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/cluster_card.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/dialogs/import_dialog.h"
#include "ui/models/cluster_table_model.h"
#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/pages/cell_delegates.h"
#include "ui/pages/job/host_table.h"
#include "ui/pages/job/key_fields.h"
#include "ui/pages/page_parts.h"
#include "ui/style/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

using config::JobSpec;
using Column = ClusterTableModel::Column;

constexpr int kMostRowsShown = 8;

QString deviceWord(const JobSpec& spec) {
    const QStringList words{QStringLiteral("auto"), QStringLiteral("cpu"), QStringLiteral("gpu")};
    return words.value(int(spec.cluster.device));
}

QString transportWord(const JobSpec& spec) {
    const QStringList words{QStringLiteral("auto"), QStringLiteral("shm"), QStringLiteral("gloo"),
                            QStringLiteral("nccl")};
    return words.value(int(spec.cluster.transport));
}

QString evaluatorWord(const JobSpec& spec) {
    if (spec.cluster.evaluatorAddress) {
        return QString::fromStdString(config::toString(*spec.cluster.evaluatorAddress));
    }
    return spec.cluster.evaluator ? QStringLiteral("true") : QStringLiteral("false");
}

/// Several replicas may share a network. How many come to the GPUs of a host is not known here.
bool mayShareNetwork(const JobSpec& spec) {
    const config::ClusterSpec& cluster = spec.cluster;
    const bool areCounted = cluster.device != config::DeviceKind::Gpu ||
                            cluster.devicesPerProcess != config::ClusterSpec::kAllDevices;
    return !spec.launch.runsOwnProgram() && (cluster.replicaCount() > 1 || !areCounted);
}

std::vector<KeyField> meshFields() {
    const auto isShared = [](const JobSpec& spec) {
        return mayShareNetwork(spec) && spec.distribution.model > 1;
    };
    return {
        {"distribution.mesh.model", "meshColumns", mayShareNetwork, "1"},
        {"distribution.mesh.batch", "meshRows", isShared, "0"},
        {"distribution.layout", "layout", isShared},
    };
}

}  // namespace

ClusterCard::ClusterCard(JobEditor& editor, ClusterTableModel& model, QWidget* parent)
    : QWidget(parent), editor_(editor), model_(model) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* card = new Card(tr("Cluster"), this);
    outer->addWidget(card);
    buildImport(card);
    hosts_ = new HostTable(editor_, this);
    card->body()->addWidget(hosts_);
    processes_ = new QWidget(this);
    buildTable();
    problems_ = wrappedLabel(processes_);
    problems_->setObjectName(QStringLiteral("clusterProblems"));
    buildButtons();
    auto* processes = new QVBoxLayout(processes_);
    processes->setContentsMargins(0, 0, 0, 0);
    processes->setSpacing(kGrid);
    processes->addWidget(table_);
    processes->addWidget(problems_);
    processes->addWidget(buttons_);
    card->body()->addWidget(processes_);
    addFields(card->body());
    connect(&model_, &QAbstractItemModel::modelReset, this, &ClusterCard::fitTable);
    connect(&model_, &QAbstractItemModel::dataChanged, this, &ClusterCard::showButtons);
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &ClusterCard::showButtons);
    fitTable();
}

void ClusterCard::buildTable() {
    table_ = new QTableView(processes_);
    table_->setObjectName(QStringLiteral("clusterTable"));
    table_->setAccessibleName(tr("Processes of the cluster"));
    table_->setModel(&model_);
    styleTable(table_, 4 * kGrid);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    QHeaderView* header = table_->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setSectionResizeMode(int(Column::Address), QHeaderView::Stretch);
    table_->setColumnHidden(int(Column::Problem), true);  // said in full beneath
    table_->setItemDelegateForColumn(int(Column::Address), new AddressDelegate(table_));
    table_->setColumnWidth(int(Column::Process), 72);
    table_->setColumnWidth(int(Column::Role), 88);
    table_->setColumnWidth(int(Column::Devices), 80);
    keepHeadingsWhole(table_);
}

void ClusterCard::showChecks(const HostReport& report, bool isOld) {
    hosts_->showChecks(report, isOld);
}

void ClusterCard::buildButtons() {
    buttons_ = new QWidget(processes_);
    auto* row = new FlowLayout(buttons_, kGrid);
    auto* add = new QPushButton(tr("Add process"), buttons_);
    add->setObjectName(QStringLiteral("addProcessButton"));
    connect(add, &QPushButton::clicked, &model_, &ClusterTableModel::addProcess);
    remove_ = new QPushButton(tr("Remove"), buttons_);
    remove_->setObjectName(QStringLiteral("removeProcessButton"));
    remove_->setToolTip(tr("Remove the chosen process; process 0, the chief, stays"));
    connect(remove_, &QPushButton::clicked, this, [this] {
        const int row_ = table_->currentIndex().row();
        model_.removeProcess(row_ > 0 ? row_ : model_.processCount() - 1);
    });
    row->addWidget(add);
    row->addWidget(remove_);
}

void ClusterCard::buildImport(Card* card) {
    import_ = new QPushButton(tr("Import …"), this);
    import_->setObjectName(QStringLiteral("importClusterButton"));
    import_->setToolTip(
        tr("Read the cluster from TF_CONFIG, Keras, JAX, torchrun, a hostfile, "
           "Slurm or Kubernetes"));
    connect(import_, &QPushButton::clicked, this, [this] {
        auto* dialog = new ImportDialog(editor_, window());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();  // not exec(): a running job goes on being shown
    });
    card->addHeadWidget(import_);
}

void ClusterCard::addFields(QVBoxLayout* layout) {
    const auto add = [this, layout](const char* key, const char* name, JobField::Getter getter) {
        layout->addWidget(new JobField(editor_, QLatin1String(key), std::move(getter),
                                       QLatin1String(name), this));
    };
    const auto addForTrainer = [this, layout, add](auto... field) {
        add(field...);
        trainerFields_.push_back(layout->itemAt(layout->count() - 1)->widget());
    };
    add("cluster.evaluator", "evaluator", evaluatorWord);
    addForTrainer("cluster.devices_per_process", "devicesPerProcess",
                  [](const JobSpec& s) { return devicesWord(s.cluster); });
    addForTrainer("cluster.device", "device", deviceWord);
    addForTrainer("cluster.transport", "transport", transportWord);
    add("cluster.heartbeat_timeout_seconds", "heartbeatTimeout",
        [](const JobSpec& s) { return QString::number(s.cluster.heartbeatTimeoutSeconds); });
    addKeyFields(layout, editor_,
                 {{"cluster.initialization_timeout_seconds", "initializationTimeout"},
                  {"cluster.local_device_ids", "localDevices", [](const JobSpec& spec) {
                       return spec.cluster.device != config::DeviceKind::Cpu &&
                              !spec.launch.runsOwnProgram();
                   }}});
    addKeyFields(layout, editor_, meshFields());
}

/// As high as its rows: a scroll bar only for a large cluster.
void ClusterCard::fitTable() {
    const int rows = std::clamp(model_.rowCount(), 1, kMostRowsShown);
    const int height = table_->horizontalHeader()->sizeHint().height() +
                       rows * table_->verticalHeader()->defaultSectionSize() +
                       2 * table_->frameWidth();
    table_->setFixedHeight(height);
    showButtons();
}

void ClusterCard::showButtons() {
    const bool edits = editor_.hasJob() && editor_.wellFormed();
    const bool overSsh = editor_.spec().launch.method == config::LaunchMethod::Ssh;
    hosts_->setVisible(overSsh);
    processes_->setVisible(!overSsh);
    buttons_->setEnabled(edits);
    import_->setEnabled(edits);
    remove_->setEnabled(model_.processCount() > 1);
    for (QWidget* field : trainerFields_)
        field->setVisible(!editor_.spec().launch.runsOwnProgram());
    showProblems();
}

void ClusterCard::showProblems() {
    QStringList lines;
    for (int row = 0; row < model_.processCount(); ++row) {
        const QString line = model_.index(row, int(Column::Problem)).data().toString();
        if (!line.isEmpty()) lines << line;
    }
    const config::Finding* gravest = editor_.problemOf(QStringLiteral("cluster.job_addresses"));
    const bool wrong = gravest != nullptr && gravest->severity == config::Severity::Error;
    if (gravest != nullptr) lines.prepend(sentenceOf(*gravest));
    lines.removeDuplicates();
    problems_->setVisible(!lines.isEmpty());
    problems_->setText(lines.join(QLatin1Char('\n')));
    markProblem(problems_, "problem", wrong);
}

}  // namespace lockstep::ui
