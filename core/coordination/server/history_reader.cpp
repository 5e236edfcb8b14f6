// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/server/history_reader.h"

#include <algorithm>

#include "core/base/thread.h"

namespace lockstep::coordination {

namespace {
constexpr std::size_t kMostWishes = 256;  // several of each monitor; those who ask anew are served
constexpr Nanos kEndPatience = std::chrono::seconds(1);
}  // namespace

HistoryReader::HistoryReader(telemetry::JournalReader reader, std::function<void()> onRead)
    : shared_(std::make_shared<Shared>(std::move(reader), std::move(onRead))),
      thread_(startThread("journal-read", [shared = shared_](const std::stop_token& stop) {
          run(*shared, stop);
      })) {}

HistoryReader::~HistoryReader() {
    thread_.request_stop();
    bool ended = false;
    {
        Lock lock(shared_->mutex);
        shared_->onRead = nullptr;
        ended = shared_->changed.wait_for(
            shared_->mutex, kEndPatience,
            [this]() LS_REQUIRES(shared_->mutex) { return shared_->ended; });
    }
    if (!ended) thread_.detach();
}

std::optional<Result<std::string>> HistoryReader::take(std::uint64_t offset, std::size_t maxBytes) {
    Lock lock(shared_->mutex);
    auto& wishes = shared_->wishes;
    const auto found = wishes.find(offset);
    if (found != wishes.end()) {
        if (!found->second.answer) return std::nullopt;
        auto answer = std::move(*found->second.answer);
        wishes.erase(found);
        return answer;
    }
    if (wishes.size() >= kMostWishes)  // left by monitors that are gone
        std::erase_if(wishes, [](const auto& wish) { return wish.second.answer.has_value(); });
    if (wishes.size() < kMostWishes) wishes[offset] = {maxBytes, ++shared_->wished, {}};
    shared_->changed.notify_all();
    return std::nullopt;
}

void HistoryReader::run(Shared& shared, const std::stop_token& stop) {
    const auto next = [&shared]() LS_REQUIRES(shared.mutex) {
        auto first = shared.wishes.end();
        for (auto wish = shared.wishes.begin(); wish != shared.wishes.end(); ++wish)
            if (!wish->second.answer &&
                (first == shared.wishes.end() || wish->second.number < first->second.number))
                first = wish;
        return first;
    };
    shared.mutex.lock();
    while (!stop.stop_requested()) {
        shared.changed.wait(shared.mutex, stop, [&]() LS_REQUIRES(shared.mutex) {
            return next() != shared.wishes.end();
        });
        const auto wish = next();
        if (wish == shared.wishes.end()) continue;
        const std::uint64_t offset = wish->first;
        const std::size_t maxBytes = wish->second.maxBytes;
        shared.mutex.unlock();
        auto read = shared.reader.read(offset, maxBytes);
        shared.mutex.lock();
        // Only what has an answer is ever taken away.
        shared.wishes.at(offset).answer = std::move(read);
        if (shared.onRead) shared.onRead();
    }
    shared.ended = true;
    shared.changed.notify_all();
    shared.mutex.unlock();
}

}  // namespace lockstep::coordination
