// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>
#include <QTemporaryDir>
#include <memory>

#include "tests/ui/support/scripted_doctor.h"
#include "tests/ui/support/scripted_session.h"
#include "ui/models/job_editor.h"
#include "ui/shell/main_window.h"

namespace lockstep::testsupport {

/// Within which everything must have happened that a test waits for, also on a busy machine.
inline constexpr int kWait = 5000;

/// The real window over a scripted session; nothing is launched and nothing outside a temporary
/// folder is written.
class WindowFixture {
public:
    /// `known`: the runs of this user, wherever they are.
    explicit WindowFixture(ui::MainWindow::Options options = {},
                           std::vector<job::RunEntry> known = {});

    [[nodiscard]] ui::MainWindow& window() { return *window_; }
    [[nodiscard]] ui::JobEditor& editor() { return window_->jobs().editor(); }
    [[nodiscard]] Script& script() { return *script_; }
    [[nodiscard]] DoctorScript& doctor() { return *doctor_; }
    [[nodiscard]] const QTemporaryDir& folder() const { return folder_; }

    /// Shows the window with a copy of the example job and waits until it is there.
    bool showExample();
    /// Opens a copy of the example job and waits until it is there.
    bool openExample();
    /// Opens a job file of this name in the folder, a copy of the example.
    bool openFile(const QString& name);
    /// Presses Launch and waits until the window follows the scripted session.
    bool launch();
    /// Shows the window, launches the example, and waits until the window follows the run, which
    /// stands as `view` says.
    bool showLaunched(const job::RunView& view);
    /// Steps 1 to `last`, heartbeats and log lines for the window to take.
    void feed(std::int64_t last);
    void feedScalars(std::vector<job::ScalarColumns> scalars);

    template <typename T>
    [[nodiscard]] T* find(const char* name) {
        return window_->findChild<T*>(QLatin1String(name));
    }
    /// How often launch and attach were called, and what with.
    struct Calls {
        int launches = 0;
        int attaches = 0;
        std::string lastToml;
        job::LaunchOptions lastOptions;
        std::filesystem::path lastRunDir;
        Result<void> answer{};  ///< An error is what the next call returns.
    };
    [[nodiscard]] Calls& calls() { return *calls_; }

private:
    [[nodiscard]] ui::JobServices services() const;

    QTemporaryDir folder_;
    std::vector<job::RunEntry> known_;
    std::shared_ptr<Script> script_ = std::make_shared<Script>();
    std::shared_ptr<DoctorScript> doctor_ = std::make_shared<DoctorScript>();
    std::shared_ptr<Calls> calls_ = std::make_shared<Calls>();
    std::unique_ptr<ui::MainWindow> window_;
};

}  // namespace lockstep::testsupport
