// SPDX-License-Identifier: GPL-3.0-or-later
// A doctor that says what a test wants.
#pragma once

#include <mutex>

#include "core/job/doctor.h"

namespace lockstep::testsupport {

/// What a scripted doctor shows; shared with the test, which may change it at any time.
struct DoctorScript {
    std::mutex mutex;
    std::shared_ptr<const job::DoctorView> view;
    bool cancelled = false;

    void publish(job::DoctorView next) {
        const std::lock_guard lock(mutex);
        next.revision = view ? view->revision + 1 : 1;
        view = std::make_shared<job::DoctorView>(std::move(next));
    }
};

class ScriptedDoctor final : public job::Doctor {
public:
    explicit ScriptedDoctor(std::shared_ptr<DoctorScript> script) : script_(std::move(script)) {}
    [[nodiscard]] std::shared_ptr<const job::DoctorView> view() const override {
        const std::lock_guard lock(script_->mutex);
        return script_->view;
    }
    void cancel() override {
        const std::lock_guard lock(script_->mutex);
        script_->cancelled = true;
    }

private:
    std::shared_ptr<DoctorScript> script_;
};

/// `hosts` hosts of which those below `done` are examined; the second one has problems then.
inline job::DoctorView doctorView(int hosts, int done) {
    using job::CheckState;
    job::DoctorView view;
    view.checks = {"ssh",  "build", "clock",  "network", "coordinator",
                   "data", "disk",  "memory", "gpu",     "leftovers"};
    const std::vector<std::string> words = {"ok",   "same",  "2 ms",  "eth0", "0.4 ms",
                                            "same", "81 GB", "12 GB", "none", "none"};
    for (int host = 0; host < hosts; ++host) {
        job::HostChecks& row = view.hosts.emplace_back();
        row.host = "host" + std::to_string(host + 1);
        row.processes = "process " + std::to_string(host);
        for (const std::string& word : words)
            row.checks.push_back(
                host < done ? job::CheckView{CheckState::Ok, word, "Found as it should be."}
                            : job::CheckView{CheckState::Running, "…", ""});
    }
    view.running = done < hosts;
    view.sentence = std::to_string(done) + " of " + std::to_string(hosts) + " hosts examined";
    if (view.running || hosts < 2) return view;
    view.hosts[1].checks[4] = {CheckState::Failure, "fails", "The port is taken."};
    view.hosts[1].checks[2] = {CheckState::Warning, "look", "90 s behind."};
    if (hosts > 2) {
        for (job::CheckView& check : view.hosts[2].checks)
            check = {CheckState::Unknown, "?", "Not known: the host was not reached."};
        view.hosts[2].checks[0] = {CheckState::Failure, "fails", "The key has changed."};
        view.problems.push_back(
            {.host = "host3",
             .otherHost = {},
             .check = 0,
             .sentence = "the host key of host3 is not the one that is known from earlier",
             .advice = "Ask the host's administrator for its fingerprint. If the new key is right, "
                       "forget the old one: ssh-keygen -f '/home/ada/.ssh/known_hosts' -R 'host3'",
             .command = "ssh-keygen -f '/home/ada/.ssh/known_hosts' -R 'host3'",
             .key = {},
             .value = {},
             .change = {}});
    }
    view.problems.insert(
        view.problems.begin(),
        {.host = "host2",
         .otherHost = {},
         .check = 4,
         .sentence = "the coordinator's port 7777 on host2 is held by python3 (pid 41)",
         .advice = "End it, or choose another port: with port 0 the system chooses a free one.",
         .command = "ssh host2 'kill 41'",
         .key = "cluster.job_addresses",
         .value = "[\"127.0.0.1:0\"]",
         .change = "Let the system choose the port"});
    view.problems.push_back({.host = "host2",
                             .otherHost = {},
                             .check = 2,
                             .severity = config::Severity::Warning,
                             .sentence = "the clock of host2 is 90.0 s behind this machine's",
                             .advice = "Set it by the network's time.",
                             .command = "ssh host2 'sudo timedatectl set-ntp true'",
                             .key = {},
                             .value = {},
                             .change = {}});
    view.errors = hosts > 2 ? 2 : 1;
    view.warnings = 1;
    view.sentence =
        std::to_string(view.errors) + " of " + std::to_string(hosts) + " hosts would stop the job.";
    return view;
}

}  // namespace lockstep::testsupport
