// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/checkpoint_actions.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>

#include "ui/pages/page_parts.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

std::filesystem::path folderOf(const CheckpointActions::Checkpoint& checkpoint) {
    return checkpoint.runDir / "checkpoints" / ("step-" + std::to_string(checkpoint.step));
}

}  // namespace

CheckpointActions::CheckpointActions(QWidget* parent) : QWidget(parent) {
    const auto button = [this](const QString& words, const char* name) {
        auto* made = new QPushButton(words, this);
        made->setObjectName(QLatin1String(name));
        return made;
    };
    export_ = button(tr("Export this one …"), "exportChosen");
    export_->setProperty("menu", true);
    auto* menu = new QMenu(export_);
    const auto add = [this, menu](const QString& words, const char* name,
                                  job::NetworkFormat format) {
        QAction* action = menu->addAction(words);
        action->setObjectName(QLatin1String(name));
        connect(action, &QAction::triggered, this,
                [this, format] { Q_EMIT exportWanted(checkpoint_.step, format); });
    };
    add(tr("&Safetensors: the weights, by PyTorch's names …"), "exportChosenSafetensors",
        job::NetworkFormat::Safetensors);
    add(tr("&ONNX: the network itself …"), "exportChosenOnnx", job::NetworkFormat::Onnx);
    export_->setMenu(menu);
    resume_ = button(tr("Resume"), "resumeChosen");
    resume_->setIcon(makeIcon(Icon::Resume));
    connect(resume_, &QPushButton::clicked, this, &CheckpointActions::resumeWanted);
    start_ = button(tr("Start a run from it"), "startFromChosen");
    connect(start_, &QPushButton::clicked, this, &CheckpointActions::findWeights);
    said_ = wrappedLabel(this);
    said_->setObjectName(QStringLiteral("checkpointActionSaid"));
    said_->setFont(smallFont());
    auto* row = new QHBoxLayout;
    row->setSpacing(kGrid);
    for (QPushButton* each : {resume_, export_, start_})
        row->addWidget(each);
    row->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid / 2);
    layout->addLayout(row);
    layout->addWidget(said_);
    showState();
}

void CheckpointActions::showCheckpoint(const Checkpoint& checkpoint) {
    if (checkpoint == checkpoint_) return;
    checkpoint_ = checkpoint;
    finding_.cancel();
    said_->clear();
    showState();
}

void CheckpointActions::setOffered(bool isOffered, const QString& obstacle) {
    if (isOffered == isOffered_ && obstacle == obstacle_) return;
    isOffered_ = isOffered;
    obstacle_ = obstacle;
    showState();
}

/// Of a checkpoint that lies in shards there is no such file.
void CheckpointActions::findWeights() {
    const auto file = folderOf(checkpoint_) / "model.safetensors";
    finding_.start(
        [file] {
            std::error_code error;
            return std::filesystem::is_regular_file(file, error);
        },
        [this, file](bool isThere) {
            said_->clear();
            if (isThere) Q_EMIT startWanted(QString::fromStdString(file.string()));
            if (!isThere)
                said_->setText(
                    tr("There is no %1: the checkpoint is gone, lies on another host, or in "
                       "shards. Export it as safetensors, and name that file under "
                       "model.initial_weights.")
                        .arg(QString::fromStdString(file.string())));
            markProblem(said_, "problem", !isThere);
            showState();
        });
}

void CheckpointActions::showState() {
    setVisible(isOffered_ && checkpoint_.step > 0);
    const QString step = units::count(checkpoint_.step);
    QString obstacle = obstacle_;
    if (checkpoint_.isGone)
        obstacle = tr("The files of the checkpoint of step %1 are gone.").arg(step);
    const auto show = [&obstacle](QPushButton* button, const QString& words) {
        button->setEnabled(obstacle.isEmpty());
        button->setToolTip(obstacle.isEmpty() ? words : obstacle);
    };
    show(export_, tr("Write the network of step %1 to a file for other programs").arg(step));
    show(resume_, tr("Go on with this run from step %1, its newest checkpoint").arg(step));
    show(start_, tr("Open this run's job as another one that begins with the weights of step %1. "
                    "Its optimiser and its steps begin anew; launch it on the Job page")
                     .arg(step));
    resume_->setVisible(checkpoint_.canResume);
    said_->setVisible(!said_->text().isEmpty());
}

}  // namespace lockstep::ui
