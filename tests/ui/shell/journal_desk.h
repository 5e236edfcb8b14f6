// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSettings>
#include <QTableView>
#include <QtTest>
#include <functional>
#include <utility>

#include "tests/ui/support/journal_run.h"
#include "tests/ui/support/settle.h"
#include "ui/models/replica_table_model.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/figure_label.h"
#include "ui/widgets/state_pill.h"

namespace lockstep::testsupport {

/// The real window over a run whose journal a test writes.
class JournalDesk {
public:
    /// `opened`: once the run's journal is, on the thread that opens it.
    explicit JournalDesk(const JournalRun& run, std::function<void()> opened = {}) {
        QSettings().setValue(QStringLiteral("theme"), int(ui::ThemeMode::Light));
        ui::JobServices services;
        services.attach = [&run, opened = std::move(opened)](
                              const std::filesystem::path&,
                              const job::ConnectOptions&) -> ui::JobServices::OpenedSession {
            auto session = run.follow();
            if (opened) opened();
            return session;
        };
        services.listRuns = [](const std::filesystem::path&) {
            return std::vector<job::RunEntry>();
        };
        ui::MainWindow::Options options;
        options.stateFolder = QString::fromStdString((run.folder() / "state").string());
        options.attachRunDir = QString::fromStdString(run.folder().string());
        options.startPage = QStringLiteral("live");
        window_ = std::make_unique<ui::MainWindow>(services, options);
        window_->resize(1280, 800);
        QObject::connect(
            &window_->bridge(), &ui::SessionBridge::viewChanged, window_.get(),
            [this] { collect(); }, Qt::QueuedConnection);
        window_->show();
    }

    template <typename T>
    [[nodiscard]] T& find(const char* name) {
        return *window_->findChild<T*>(QLatin1String(name));
    }
    [[nodiscard]] ui::MainWindow& window() { return *window_; }
    [[nodiscard]] ui::View view() { return window_->bridge().view(); }
    [[nodiscard]] QTableView& table() { return find<QTableView>("replicaTable"); }
    [[nodiscard]] QString cell(int row, ui::ReplicaTableModel::Column column) {
        return table().model()->index(row, int(column)).data().toString();
    }

    /// Everything the window says of the run's state now.
    void collect() {
        said_ << find<ui::ElidedLabel>("verdict").text();
        said_ << find<ui::StatePill>("statePill").word();
        said_ << find<ui::ElidedLabel>("progressText").text();
        for (const char* name : {"replicasAlive", "samplesPerSecond"}) {
            auto& figure = find<ui::FigureLabel>(name);
            if (figure.isVisible()) said_ << figure.text();
        }
        for (int row = 0; row < table().model()->rowCount(); ++row) {
            said_ << cell(row, ui::ReplicaTableModel::Column::State)
                  << cell(row, ui::ReplicaTableModel::Column::Heartbeat);
        }
        said_.removeDuplicates();
    }
    /// What was said since the last call.
    [[nodiscard]] QStringList said() {
        collect();
        return std::exchange(said_, {});
    }

    void settle() { testsupport::settle(*window_); }

    void picture(const QString& name) {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (folder.isEmpty()) return;
        QDir().mkpath(folder);
        for (const auto& [mode, word] :
             {std::pair(ui::ThemeMode::Dark, "dark"), {ui::ThemeMode::Light, "light"}}) {
            ui::applyTheme(*qApp, mode);
            settle();
            window_->grab().save(
                QStringLiteral("%1/%2-%3.png").arg(folder, name, QLatin1String(word)));
        }
    }

private:
    std::unique_ptr<ui::MainWindow> window_;
    QStringList said_;
};

}  // namespace lockstep::testsupport
