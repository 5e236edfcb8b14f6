// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/host_questions.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace lockstep::ui {

/// Shared with the threads that ask: it outlives the window where one of them still does.
struct HostQuestions::Desk {
    std::mutex mutex;
    std::condition_variable_any changed;
    HostQuestions* window = nullptr;  ///< Null once it is gone.
    quint64 newest = 0;
    quint64 open = 0;  ///< The question that waits for an answer; 0: none.
    std::optional<job::HostAnswer> answer;

    void tell(void (HostQuestions::*signal)(quint64), quint64 id) {
        if (window == nullptr) return;
        QMetaObject::invokeMethod(
            window,
            [receiver = window, signal, id] {
                Q_EMIT(receiver->*signal)
                (id);
            },
            Qt::QueuedConnection);
    }

    std::optional<job::HostAnswer> ask(const job::HostQuestion& question,
                                       const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        changed.wait(lock, stop, [this] { return open == 0 || window == nullptr; });
        if (stop.stop_requested() || window == nullptr) return std::nullopt;
        const quint64 id = ++newest;
        open = id;
        answer.reset();
        QMetaObject::invokeMethod(
            window, [receiver = window, id, question] { Q_EMIT receiver->asked(id, question); },
            Qt::QueuedConnection);
        changed.wait(lock, stop, [this, id] { return open != id; });
        if (open == id) {  // withdrawn before it was answered
            open = 0;
            tell(&HostQuestions::withdrawn, id);
        }
        changed.notify_all();
        return std::exchange(answer, std::nullopt);
    }
};

namespace {

/// Starts the asker when a launch first needs it; any thread.
class LazyAsker {
public:
    LazyAsker(decltype(JobServices::startAsker) start, job::Ask ask)
        : start_(std::move(start)), ask_(std::move(ask)) {}

    std::shared_ptr<job::AskServer> get() {
        const std::lock_guard lock(mutex_);
        if (asker_ || !start_) return asker_;
        if (auto started = start_(ask_)) asker_ = std::move(*started);
        return asker_;
    }

private:
    std::mutex mutex_;
    const decltype(JobServices::startAsker) start_;
    const job::Ask ask_;
    std::shared_ptr<job::AskServer> asker_;
};

}  // namespace

HostQuestions::HostQuestions(QObject* parent) : QObject(parent), desk_(std::make_shared<Desk>()) {
    desk_->window = this;
}

HostQuestions::~HostQuestions() {
    close();
}

void HostQuestions::close() {
    {
        const std::lock_guard lock(desk_->mutex);
        desk_->window = nullptr;
        desk_->open = 0;
    }
    desk_->changed.notify_all();
}

JobServices HostQuestions::answering(JobServices services) const {
    const auto asker = std::make_shared<LazyAsker>(services.startAsker, ask());
    services.launch = [asker, launch = services.launch](const std::string& toml,
                                                        const std::filesystem::path& folder,
                                                        job::LaunchOptions options) {
        options.asker = asker->get();
        return launch(toml, folder, options);
    };
    services.attach = [asker, attach = services.attach](const std::filesystem::path& runDir,
                                                        job::ConnectOptions options) {
        options.asker = asker->get();
        return attach(runDir, options);
    };
    if (services.startDoctor)
        services.startDoctor = [asker, start = services.startDoctor](
                                   const std::string& toml, const std::filesystem::path& folder,
                                   job::DoctorOptions options) {
            options.asker = asker->get();
            return start(toml, folder, options);
        };
    return services;
}

job::Ask HostQuestions::ask() const {
    return [desk = desk_](const job::HostQuestion& question, const std::stop_token& withdrawn) {
        return desk->ask(question, withdrawn);
    };
}

void HostQuestions::answer(quint64 id, const std::optional<job::HostAnswer>& answer) {
    {
        const std::lock_guard lock(desk_->mutex);
        if (desk_->open != id) return;
        desk_->open = 0;
        desk_->answer = answer;
    }
    desk_->changed.notify_all();
}

}  // namespace lockstep::ui
