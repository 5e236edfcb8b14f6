// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/models/host_check_model.h"

class QLabel;
class QPushButton;
class QTableView;

namespace lockstep::ui {

class Card;
class CheckDelegate;
class HostCheckDetails;
class JobEditor;

/// The doctor on the Job page: every host of the job with its checks as a matrix that fills in
/// while they are made, and beneath it the chosen cell in words with what helps.
class HostCheckCard final : public QWidget {
    Q_OBJECT
public:
    explicit HostCheckCard(JobEditor& editor, QWidget* parent = nullptr);

    /// The examination has begun, of the job as it is now.
    void showStarted();
    /// Null: nothing has been examined.
    void showReport(const HostReport& report);
    void showFailure(const Error& error);
    /// What the newest examination says of the job as it is now: "1 of 3 hosts would stop the
    /// job."; empty: nothing would, or it is not known.
    [[nodiscard]] QString obstacle() const;
    /// Null: nothing has been examined.
    [[nodiscard]] const HostReport& report() const { return model_.report(); }
    /// The job has changed since.
    [[nodiscard]] bool isOld() const;

Q_SIGNALS:
    void checkRequested();
    void cancelRequested();
    /// There is more to see than before: rows have come, or what they mean.
    void grown();
    /// The report, or whether it is of the job as it is now, has changed.
    void situationChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildTable();
    void buildButtons(Card* card);
    void fitTable();
    void shareWidth();
    void showCell();
    void showSituation();
    void chooseGravest();

    JobEditor& editor_;
    HostCheckModel model_;
    Card* card_ = nullptr;
    QLabel* hint_ = nullptr;
    QTableView* table_ = nullptr;
    CheckDelegate* checkCells_ = nullptr;
    HostCheckDetails* details_ = nullptr;
    QPushButton* check_ = nullptr;
    QPushButton* cancel_ = nullptr;
    QString examined_;  ///< The job's text as it was examined.
    bool running_ = false;
    bool chosen_ = false;  ///< The user, or the end of an examination, has chosen a cell.
};

}  // namespace lockstep::ui
