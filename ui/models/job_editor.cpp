// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/job_editor.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QUndoCommand>
#include <algorithm>

#include "core/config/dialects/dialect_readers.h"

#include "core/base/try.h"

namespace lockstep::ui {

/// One edit as the texts before and after it; edits of the same key in a row are one step.
class JobEditor::TextChange final : public QUndoCommand {
public:
    TextChange(JobEditor& editor, QString before, QString after, const QString& what, bool joins)
        : QUndoCommand(what),
          editor_(editor),
          before_(std::move(before)),
          after_(std::move(after)),
          joins_(joins) {}

    void undo() override { editor_.adopt(before_); }
    void redo() override { editor_.adopt(after_); }
    int id() const override { return joins_ ? int(qHash(text()) & 0x7fffffff) : -1; }
    bool mergeWith(const QUndoCommand* other) override {
        if (other->text() != text()) return false;
        after_ = static_cast<const TextChange*>(other)->after_;
        return true;
    }

private:
    JobEditor& editor_;
    QString before_;
    QString after_;
    bool joins_;
};

JobEditor::JobEditor(QObject* parent) : QObject(parent) {
    undo_.setUndoLimit(500);
}

QString JobEditor::fileName() const {
    if (!path_.isEmpty()) return QFileInfo(path_).fileName();
    return title_.isEmpty() ? QStringLiteral("untitled.toml") : title_;
}

QString JobEditor::folder() const {
    return path_.isEmpty() ? QString() : QFileInfo(path_).absolutePath();
}

QString JobEditor::text() const {
    return document_ ? QString::fromStdString(document_->text()) : QString();
}

const config::JobSpec& JobEditor::spec() const {
    static const config::JobSpec kDefaults;
    return document_ ? document_->spec() : kDefaults;
}

void JobEditor::collectFindings() {
    findings_ = document_ ? document_->findings() : std::vector<config::Finding>();
    for (auto [key, problem] : diskProblems_.asKeyValueRange()) {
        if (problemOf(key)) continue;  // first things first
        // "job.toml:14"
        const QString place = originOf(key);
        const int line = place.section(QLatin1Char(':'), -1).toInt();
        findings_.push_back({config::Severity::Error, key.toStdString(), line, line > 0 ? 1 : 0,
                             problem.message, problem.remedy, place.toStdString()});
    }
}

void JobEditor::setDiskProblem(const QString& key, const std::optional<Error>& problem) {
    const auto known = diskProblems_.constFind(key);
    const bool isKnown = known != diskProblems_.constEnd();
    if (problem ? isKnown && known->message == problem->message : !isKnown) return;
    if (problem)
        diskProblems_.insert(key, *problem);
    else
        diskProblems_.remove(key);
    collectFindings();
    Q_EMIT changed();
}

bool JobEditor::hasErrors() const {
    const auto& all = findings();
    return std::any_of(all.begin(), all.end(), [](const config::Finding& finding) {
        return finding.severity == config::Severity::Error;
    });
}

const config::Finding* JobEditor::problemOf(const QString& key) const {
    const std::string wanted = key.toStdString();
    const config::Finding* gravest = nullptr;
    for (const config::Finding& finding : findings()) {
        const bool isBelow =
            finding.key.size() > wanted.size() && finding.key.starts_with(wanted) &&
            (finding.key[wanted.size()] == '.' || finding.key[wanted.size()] == '[');
        if (finding.key != wanted && !isBelow) continue;
        if (gravest == nullptr || finding.severity < gravest->severity) gravest = &finding;
    }
    return gravest;
}

QString JobEditor::originOf(const QString& key) const {
    return document_ ? QString::fromStdString(document_->origin(key.toStdString())) : QString();
}

bool JobEditor::isWritten(const QString& key) const {
    return document_ && document_->origin(key.toStdString()) != "default";
}

void JobEditor::open(const QString& path, const QString& text,
                     const std::optional<QString>& savedText) {
    begin(path, {}, text, savedText.value_or(text));
}

void JobEditor::openCopy(const QString& title, const QString& text) {
    begin({}, title, text, text);
}

void JobEditor::begin(const QString& path, const QString& title, const QString& text,
                      const QString& savedText) {
    path_ = path;
    title_ = title;
    savedText_ = savedText;
    document_ = config::JobDocument::lenient(text.toStdString(), fileName().toStdString());
    undo_.clear();
    diskProblems_.clear();
    collectFindings();
    Q_EMIT opened();
    Q_EMIT changed();
    Q_EMIT fileStateChanged();
}

void JobEditor::noteSaved(const QString& path, const QString& text) {
    savedText_ = text;
    if (path != path_ && document_) {
        path_ = path;
        title_.clear();
        document_ = config::JobDocument::lenient(document_->text(), fileName().toStdString());
        collectFindings();
        Q_EMIT changed();
    }
    Q_EMIT fileStateChanged();
}

void JobEditor::setText(const QString& text) {
    if (hasJob()) push(text, tr("edit of the text"));
}

void JobEditor::setValue(const QString& key, const QString& toml) {
    change(
        key,
        [](config::JobDocument& document, const std::string& name, const std::string& value) {
            return document.set(name, value);
        },
        toml);
}

void JobEditor::unsetValue(const QString& key) {
    change(key,
           [](config::JobDocument& document, const std::string& name, const std::string&) {
               return document.unset(name);
           },
           {});
}

Result<void> JobEditor::importCluster(const config::ClusterFacts& facts) {
    if (!document_) return fail(ErrorCode::Unavailable, "no job is open", "Open or begin one.");
    config::JobDocument copy = *document_;
    TRY(config::applyFacts(copy, facts));
    push(QString::fromStdString(copy.text()), tr("import of a cluster"));
    return {};
}

void JobEditor::change(const QString& key,
                       Result<void> (*edit)(config::JobDocument&, const std::string&,
                                            const std::string&),
                       const QString& value) {
    if (!document_) return;
    config::JobDocument copy = *document_;
    if (const auto edited = edit(copy, key.toStdString(), value.toStdString()); !edited) {
        Q_EMIT editRefused(edited.error());
        return;
    }
    push(QString::fromStdString(copy.text()), tr("change of %1").arg(key));
}

void JobEditor::apply(const Result<std::string>& edited, const QString& what, bool join) {
    if (!document_) return;
    if (edited)
        push(QString::fromStdString(*edited), what, join);
    else
        Q_EMIT editRefused(edited.error());
}

void JobEditor::push(const QString& after, const QString& what, bool join) {
    const QString before = text();
    if (before != after) undo_.push(new TextChange(*this, before, after, what, join));
}

void JobEditor::adopt(const QString& text) {
    document_->edit(text.toStdString());
    collectFindings();
    Q_EMIT changed();
    Q_EMIT fileStateChanged();
}

QString dialogFolder(const JobEditor& editor) {
    if (!editor.folder().isEmpty()) return editor.folder();
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QFileInfo(documents).isDir() ? documents : QDir::homePath();
}

}  // namespace lockstep::ui
