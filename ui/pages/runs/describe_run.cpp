// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/describe_run.h"

#include <QAction>

#include "ui/dialogs/about_run_dialog.h"
#include "ui/style/core_words.h"
#include "ui/widgets/notice_bar.h"

namespace lockstep::ui {

DescribeRun::DescribeRun(QAction* action, NoticeBar* notice, QWidget* parent)
    : QObject(parent), action_(action), notice_(notice), parent_(parent) {
    connect(action_, &QAction::triggered, this, &DescribeRun::ask);
    setRun(nullptr);
}

void DescribeRun::setRun(const job::RunEntry* run) {
    run_ = run == nullptr ? std::nullopt : std::optional(*run);
    action_->setEnabled(run_ && !writing_.isBusy());
}

void DescribeRun::ask() {
    if (!run_ || writing_.isBusy()) return;
    if (!run_->aboutProblem.empty())
        return refuse(fromCore(run_->aboutProblem),
                      tr("Mend the file, or remove it to begin anew."));
    AboutRunDialog dialog(QString::fromStdString(run_->runDir.filename().string()), run_->about,
                          parent_->window());
    if (dialog.exec() == QDialog::Accepted) keep(dialog.about());
}

void DescribeRun::keep(const job::RunAbout& about) {
    if (!run_) return;
    action_->setEnabled(false);
    writing_.start([folder = run_->runDir, about] { return job::writeAbout(folder, about); },
                   [this](const Result<void>& written) {
                       action_->setEnabled(run_.has_value());
                       if (!written)
                           return refuse(fromCore(written.error().message),
                                         fromCore(written.error().remedy));
                       Q_EMIT kept();
                   });
}

void DescribeRun::refuse(const QString& why, const QString& remedy) {
    QString words = why + QLatin1String(". ") + remedy;
    words[0] = words[0].toUpper();
    notice_->showNotice(
        {Tone::Bad, tr("The run keeps the name, tags and note it had."), words, {}});
}

}  // namespace lockstep::ui
