// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/data_check.h"

namespace lockstep::ui {
namespace {

const auto kKey = QStringLiteral("data.directory");

QString whatIsLookedFor(const JobEditor& editor) {
    const config::JobSpec& job = editor.spec();
    return QStringList{QString::fromStdString(job.data.dataset),
                       QString::fromStdString(job.data.directory), editor.folder(),
                       QString::number(job.data.imageSize.height),
                       QString::number(job.data.imageSize.width),
                       QString::number(int(job.data.color)),
                       QString::number(int(job.launch.method)),
                       QString::number(int(job.launch.runsOwnProgram()))}
        .join(QLatin1Char('\n'));
}

}  // namespace

DataCheck::DataCheck(JobServices services, JobEditor& editor)
    : services_(std::move(services)), editor_(editor) {
    connect(&editor_, &JobEditor::changed, this, &DataCheck::lookIfMoved);
    // What was found of the former job went with it, also where this one names the same data.
    connect(&editor_, &JobEditor::opened, this, [this] { looked_.clear(); });
}

void DataCheck::lookIfMoved() {
    if (whatIsLookedFor(editor_) != looked_) look();
}

void DataCheck::look() {
    looked_ = whatIsLookedFor(editor_);
    askForFacts();
    if (!services_.checkData) return;
    looking_.start([check = services_.checkData, job = editor_.spec(),
                    folder = std::filesystem::path(
                        editor_.folder().toStdString())] { return check(job, folder); },
                   [this](const Result<void>& found) {
                       if (found)
                           editor_.setDiskProblem(kKey, {});
                       else
                           editor_.setDiskProblem(kKey, found.error());
                   });
}

void DataCheck::askForFacts() {
    if (!services_.factsOfData) return;
    asking_.start([ask = services_.factsOfData, job = editor_.spec(),
                   folder = std::filesystem::path(
                       editor_.folder().toStdString())] { return ask(job, folder); },
                  [this](const Result<model::DataFacts>& found) {
                      Q_EMIT factsFound(found ? std::optional(*found) : std::nullopt);
                  });
}

}  // namespace lockstep::ui
