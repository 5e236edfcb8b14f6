// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/data_check.h"

#include "core/config/job/data_sources.h"
#include "ui/models/data_text.h"
#include "ui/models/form_words.h"
#include "ui/style/core_words.h"

namespace lockstep::ui {
namespace {

/// What names the data of a job.
QString keyOf(const config::DataSpec& data) {
    const auto files = config::dataFiles(data);
    if (files.empty()) return QStringLiteral("data.directory");
    return QString::fromStdString(files.front().key).section(QLatin1Char('['), 0, 0);
}

QString whatIsLookedFor(const JobEditor& editor) {
    const config::JobSpec& job = editor.spec();
    return QStringList{editor.folder(), sourceTextOf(job), QString::number(int(job.launch.method)),
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
    looking_.start(
        [check = services_.checkData, job = editor_.spec(),
         folder = std::filesystem::path(editor_.folder().toStdString())] {
            return check(job, folder);
        },
        [this, key = keyOf(editor_.spec().data)](const Result<void>& found) {
            if (!problemKey_.isEmpty() && problemKey_ != key)
                editor_.setDiskProblem(problemKey_, {});
            problemKey_ = key;
            editor_.setDiskProblem(key, found ? std::nullopt : std::optional(found.error()));
        });
}

void DataCheck::askForFacts() {
    if (!services_.factsOfData) return;
    asking_.start([ask = services_.factsOfData, job = editor_.spec(),
                   folder = std::filesystem::path(
                       editor_.folder().toStdString())] { return ask(job, folder); },
                  [this](const Result<model::DataFacts>& found) {
                      if (found) return Q_EMIT factsFound(*found, {});
                      const Error& error = found.error();
                      Q_EMIT factsFound(std::nullopt,
                                        inFormWords(fromCore(error.message + ". " + error.remedy)));
                  });
}

}  // namespace lockstep::ui
