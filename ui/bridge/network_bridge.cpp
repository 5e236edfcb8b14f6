// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/network_bridge.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "ui/style/core_words.h"

namespace lockstep::ui {
namespace {
constexpr int kLookEvery = 100;  // milliseconds
}

/// What the asking thread has found and the window has not fetched yet.
struct NetworkBridge::Mailbox {
    struct News {
        std::vector<job::Answer> answers;
        QStringList remarks;
        quint64 done = 0;
        quint64 all = 0;
        QString text;
        bool hasProgress = false;
        bool hasText = false;
    };

    std::atomic<bool> stop = false;
    std::mutex mutex;
    News news;

    [[nodiscard]] News take() {
        const std::lock_guard lock(mutex);
        return std::exchange(news, {});
    }

    /// What is called on the asking thread.
    [[nodiscard]] job::Listener listener() {
        return {.answer =
                    [this](job::Answer answer) {
                        const std::lock_guard lock(mutex);
                        news.answers.push_back(std::move(answer));
                    },
                .remark =
                    [this](const std::string& sentence) {
                        const std::lock_guard lock(mutex);
                        news.remarks << fromCore(sentence);
                    },
                .progress =
                    [this](std::size_t done, std::size_t all) {
                        const std::lock_guard lock(mutex);
                        news.done = done;
                        news.all = all;
                        news.hasProgress = true;
                    },
                .written =
                    [this](const std::string& text) {
                        const std::lock_guard lock(mutex);
                        news.text = QString::fromUtf8(text.data(), qsizetype(text.size()));
                        news.hasText = true;
                    },
                .goesOn = [this] { return !stop; }};
    }
};

NetworkBridge::NetworkBridge(JobServices services, QObject* parent)
    : QObject(parent), services_(std::move(services)) {
    timer_.setInterval(kLookEvery);
    connect(&timer_, &QTimer::timeout, this, &NetworkBridge::fetch);
}

NetworkBridge::~NetworkBridge() {
    stopAsking();
}

void NetworkBridge::findFacts(const job::NetworkPlace& place) {
    if (!services_.factsOfNetwork) return;
    finding_.start([find = services_.factsOfNetwork, place] { return find(place); },
                   [this](const Result<job::NetworkFacts>& facts) {
                       if (facts)
                           Q_EMIT factsFound(*facts);
                       else
                           Q_EMIT factsFailed(facts.error());
                   });
}

void NetworkBridge::ask(const job::NetworkPlace& place, const job::Question& question) {
    if (!services_.ask) return;
    stopAsking();
    mailbox_ = std::make_shared<Mailbox>();
    asking_.start([ask = services_.ask, place, question,
                   mailbox = mailbox_] { return ask(place, question, mailbox->listener()); },
                  [this](const Result<job::Answered>& answered) { end(answered); });
    timer_.start();
    Q_EMIT asked();
}

void NetworkBridge::stopAsking() {
    if (mailbox_) mailbox_->stop = true;
}

void NetworkBridge::forget() {
    stopAsking();
    mailbox_.reset();
    timer_.stop();
    finding_.cancel();
    asking_.cancel();
}

void NetworkBridge::fetch() {
    if (!mailbox_) return;
    const Mailbox::News news = mailbox_->take();
    if (!news.answers.empty()) Q_EMIT answersArrived(news.answers);
    if (!news.remarks.isEmpty()) Q_EMIT remarked(news.remarks);
    if (news.hasText) Q_EMIT written(news.text);
    if (news.hasProgress) Q_EMIT progressed(news.done, news.all);
}

void NetworkBridge::end(const Result<job::Answered>& answered) {
    timer_.stop();
    fetch();
    if (answered)
        Q_EMIT ended(*answered);
    else
        Q_EMIT failed(answered.error());
}

void NetworkBridge::exportTo(const QString& file, const job::NetworkPlace& place,
                             job::NetworkFormat format) {
    if (!services_.exportNetwork || exporting_.isBusy()) return;
    exporting_.start([write = services_.exportNetwork, place, format,
                      path = file.toStdString()] { return write(place, format, path); },
                     [this, file](const Result<job::ExportedNetwork>& network) {
                         if (network)
                             Q_EMIT exported(file, *network);
                         else
                             Q_EMIT exportFailed(network.error());
                     });
}

}  // namespace lockstep::ui
