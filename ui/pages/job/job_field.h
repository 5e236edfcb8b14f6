// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>

#include "core/config/job/job_spec.h"
#include "core/config/keys/key_help.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace lockstep::ui {

class JobEditor;

/// One key of the job file in the form: its name, an editor that fits its kind, its unit, where
/// the value comes from, and beneath it the problem, shown while typing.
class JobField final : public QWidget {
    Q_OBJECT
public:
    /// The value as the form shows it.
    using Getter = std::function<QString(const config::JobSpec&)>;
    /// Whether the key means something in this job.
    using Fits = std::function<bool(const config::JobSpec&)>;

    /// The editor's objectName is `name` + "Edit".
    JobField(JobEditor& editor, const QString& key, Getter getter, const QString& name,
             QWidget* parent = nullptr);

    /// Shows the field only where it fits, and where the file has the key all the same.
    void showWhere(Fits fits);

    /// The widget to type in.
    [[nodiscard]] QWidget* input() const;
    [[nodiscard]] const QString& key() const { return key_; }

private:
    void buildInput(const config::KeyHelp* help, const QString& label, const QString& name);
    void buildTextInput(const config::KeyHelp* help);
    [[nodiscard]] static int labelWidth(const QFontMetrics& metrics);
    void buildLayout(const QString& label, const QString& unit);
    [[nodiscard]] QWidget* withBrowse(const QString& label);
    void browse(const QString& label);
    void browseFiles(const QString& label);
    void browseProgram(const QString& label);
    [[nodiscard]] QString besideJob(const QString& chosen, const QString& folder) const;
    void write(const QString& value);
    void refresh();
    void showValue(const QString& value);
    void showProblem();

    JobEditor& editor_;
    QString key_;
    Getter getter_;
    Fits fits_;                  ///< Empty: always.
    QLineEdit* text_ = nullptr;  ///< One of these three is there.
    QComboBox* words_ = nullptr;
    QCheckBox* flag_ = nullptr;
    QLabel* origin_ = nullptr;
    QLabel* problem_ = nullptr;
};

}  // namespace lockstep::ui
