// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/data_check.h"

#include "core/config/job/data_sources.h"

namespace lockstep::ui {
namespace {

/// What names the data of a job.
QString keyOf(const config::DataSpec& data) {
    const auto files = config::dataFiles(data);
    if (files.empty()) return QStringLiteral("data.directory");
    return QString::fromStdString(files.front().key).section(QLatin1Char('['), 0, 0);
}

QStringList filesOf(const config::DataSpec& data) {
    QStringList files;
    for (const config::NamedFile& file : config::dataFiles(data))
        files << QString::fromStdString(file.path);
    return files;
}

/// What of a table or a text decides what a network is given.
QString sampleOf(const config::DataSpec& data) {
    QStringList words{QString::fromStdString(data.text.tokenizer),
                      QString::number(data.text.sequenceLength)};
    for (const std::string& target : data.table.targets)
        words << QString::fromStdString(target);
    for (const config::FeatureSpec& feature : data.table.features)
        words << QStringLiteral("%1 %2 %3 %4")
                     .arg(QString::fromStdString(feature.name))
                     .arg(int(feature.kind))
                     .arg(feature.maxTokens)
                     .arg(int(feature.output));
    return words.join(QLatin1Char(' '));
}

QString whatIsLookedFor(const JobEditor& editor) {
    const config::JobSpec& job = editor.spec();
    return QStringList{QString::fromStdString(job.data.dataset),
                       QString::fromStdString(job.data.directory),
                       editor.folder(),
                       filesOf(job.data).join(QLatin1Char(' ')),
                       sampleOf(job.data),
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
                      Q_EMIT factsFound(found ? std::optional(*found) : std::nullopt);
                  });
}

}  // namespace lockstep::ui
