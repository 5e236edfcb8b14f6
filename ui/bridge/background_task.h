// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace lockstep::ui {

/// Runs work on a worker thread and hands its answer to the thread of this object. Only the
/// answer to the newest start() is delivered; one that is overtaken, cancelled or outlives this
/// object is destroyed where it was made. Never waits.
class BackgroundTask final {
public:
    /// Null: the threads that all share. Reading that takes long has threads of its own, which
    /// outlive this object, so that nothing else waits for it; there nothing is begun whose answer
    /// nobody wants any more.
    explicit BackgroundTask(QThreadPool* threads = nullptr)
        : threads_(threads), mailbox_(std::make_shared<Mailbox>()) {
        mailbox_->receiver = &receiver_;
    }
    ~BackgroundTask() {
        mailbox_->wanted = ++generation_;
        const std::lock_guard lock(mailbox_->mutex);
        mailbox_->receiver = nullptr;
    }
    BackgroundTask(const BackgroundTask&) = delete;
    BackgroundTask& operator=(const BackgroundTask&) = delete;

    /// `work` must not touch the caller's thread's objects; `deliver` runs on that thread.
    template <typename Work, typename Deliver>
    void start(Work work, Deliver deliver) {
        busy_ = true;
        const quint64 generation = ++generation_;
        mailbox_->wanted = generation;
        QThreadPool* threads = threads_ != nullptr ? threads_ : QThreadPool::globalInstance();
        threads->start([this, mailbox = mailbox_, generation, skips = threads_ != nullptr,
                        work = std::move(work), deliver = std::move(deliver)] {
            if (skips && mailbox->wanted != generation) return;
            auto answer = std::make_shared<decltype(work())>(work());
            const std::lock_guard lock(mailbox->mutex);
            if (mailbox->receiver == nullptr) return;  // `this` is gone
            auto handOver = [this, generation, deliver, answer = std::move(answer)] {
                if (generation != generation_) return;
                busy_ = false;
                deliver(std::move(*answer));
            };
            QMetaObject::invokeMethod(mailbox->receiver, std::move(handOver), Qt::QueuedConnection);
        });
    }

    void cancel() {
        mailbox_->wanted = ++generation_;
        busy_ = false;
    }
    [[nodiscard]] bool isBusy() const { return busy_; }

private:
    struct Mailbox {
        std::mutex mutex;
        QObject* receiver = nullptr;
        std::atomic<quint64> wanted = 0;  ///< The newest generation.
    };

    QThreadPool* threads_;
    QObject receiver_;  ///< Lives on the owner's thread; its pending calls die with it.
    std::shared_ptr<Mailbox> mailbox_;
    quint64 generation_ = 0;
    bool busy_ = false;
};

}  // namespace lockstep::ui
