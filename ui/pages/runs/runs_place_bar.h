// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QPushButton;

namespace lockstep::ui {

class ElidedLabel;

/// Where the next run comes to lie, and how that is changed.
class RunsPlaceBar final : public QWidget {
    Q_OBJECT
public:
    explicit RunsPlaceBar(QWidget* parent = nullptr);

    struct Place {
        QString folder;
        QString why;          ///< "beside the job file".
        bool chosen = false;  ///< By the user, for the runs of all jobs.
        bool exists = false;
    };
    void showPlace(const Place& place);

Q_SIGNALS:
    /// All runs are to lie in another folder.
    void changeRequested();
    /// Runs are to lie beside their job files again.
    void resetRequested();

private:
    ElidedLabel* words_;
    QPushButton* reset_;
    QPushButton* open_;
    QString folder_;
};

}  // namespace lockstep::ui
