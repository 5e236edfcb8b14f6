// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <QUndoStack>
#include <optional>
#include <vector>

#include "core/config/cluster/cluster_facts.h"
#include "core/config/document/job_file.h"

namespace lockstep::ui {

/// The job file that is open: its text, what it means, and what is wrong with it. Form fields and
/// the text editor both write through it, so that they show the same job and share one undo.
class JobEditor final : public QObject {
    Q_OBJECT
public:
    explicit JobEditor(QObject* parent = nullptr);

    [[nodiscard]] bool hasJob() const { return document_.has_value(); }
    /// Where the file is; empty for a job that was never saved.
    [[nodiscard]] const QString& path() const { return path_; }
    /// A job without a file, opened by openCopy().
    [[nodiscard]] bool isCopy() const { return !title_.isEmpty(); }
    /// The path's last part, or what stands for it: "untitled.toml".
    [[nodiscard]] QString fileName() const;
    /// The file's folder, absolute; empty for a job without a file.
    [[nodiscard]] QString folder() const;
    [[nodiscard]] QString text() const;
    [[nodiscard]] bool isModified() const { return hasJob() && text() != savedText_; }
    [[nodiscard]] const config::JobSpec& spec() const;
    /// What is wrong with the text, and with what it names on the disk.
    [[nodiscard]] const std::vector<config::Finding>& findings() const { return findings_; }
    [[nodiscard]] bool wellFormed() const { return !document_ || document_->wellFormed(); }
    [[nodiscard]] bool hasErrors() const;
    /// What the disk has against the value of a key; nullopt: nothing.
    void setDiskProblem(const QString& key, const std::optional<Error>& problem);
    /// The gravest problem of a key or of what lies below it; null: none.
    [[nodiscard]] const config::Finding* problemOf(const QString& key) const;
    /// "job.toml:14", "default".
    [[nodiscard]] QString originOf(const QString& key) const;
    /// Whether the file has the key.
    [[nodiscard]] bool isWritten(const QString& key) const;
    [[nodiscard]] QUndoStack& undoStack() { return undo_; }

    /// `savedText` is what the file holds when `text` is a newer, recovered one.
    void open(const QString& path, const QString& text,
              const std::optional<QString>& savedText = {});
    /// A job that has no file yet; `title` stands for its name.
    void openCopy(const QString& title, const QString& text);
    /// The file now holds `text`, under `path`.
    void noteSaved(const QString& path, const QString& text);

    void setText(const QString& text);
    /// `toml` as JobDocument::set takes it.
    void setValue(const QString& key, const QString& toml);
    void unsetValue(const QString& key);
    /// Takes over the text that an edit of the network gave (core/config/document/model_edit.h), or
    /// refuses it. Edits with the same words one behind the other are one step where they `join`.
    void apply(const Result<std::string>& edited, const QString& what, bool join = false);
    /// Writes a cluster as another program describes it, as one step.
    [[nodiscard]] Result<void> importCluster(const config::ClusterFacts& facts);

Q_SIGNALS:
    /// Another job is open.
    void opened();
    /// The text changed, whoever changed it.
    void changed();
    /// Path or modified state changed.
    void fileStateChanged();
    void editRefused(const lockstep::Error& error);

private:
    class TextChange;

    void begin(const QString& path, const QString& title, const QString& text,
               const QString& savedText);
    void collectFindings();
    void push(const QString& after, const QString& what, bool join = true);
    void adopt(const QString& text);
    void change(const QString& key,
                Result<void> (*edit)(config::JobDocument&, const std::string& key,
                                     const std::string& value),
                const QString& value);

    std::optional<config::JobDocument> document_;
    std::vector<config::Finding> findings_;
    QHash<QString, Error> diskProblems_;  ///< By key.
    QString path_;
    QString title_;  ///< What a job without a file is called.
    QString savedText_;
    QUndoStack undo_;
};

/// Where choosing a file of the job begins: its folder, else the user's documents.
[[nodiscard]] QString dialogFolder(const JobEditor& editor);

}  // namespace lockstep::ui
