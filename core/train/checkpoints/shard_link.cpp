// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/shard_link.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/checkpoint/layout.h"
#include "core/coordination/client/store_link.h"
#include "core/text/json.h"
#include "core/text/json_fields.h"

namespace lockstep::train {

namespace fs = std::filesystem;

using checkpoint::FileRecords;
using checkpoint::ShardOrder;
using text::Json;

namespace {

/// For the parts of all; what a disk needs for the largest, and more.
constexpr std::chrono::seconds kWritingTimeout{300};
/// Of a value of the store, which takes 256 KiB.
constexpr std::size_t kPiece = std::size_t{200} << 10;

std::string orderKey(std::uint64_t count) {
    return fmt::format("shards/{}/order", count);
}

std::string answerKey(std::uint64_t count, int replica, std::size_t piece) {
    return fmt::format("shards/{}/{}/{}", count, replica, piece);
}

std::string encodeAnswer(const std::string& folder, const Result<FileRecords>& written) {
    Json answer = Json::object({{"folder", folder}});
    if (written) {
        answer["records"] = checkpoint::encodeRecords(*written);
    } else {
        answer["error"] = written.error().message;
        answer["no_room"] = written.error().code == ErrorCode::NoRoom;
    }
    return answer.text();
}

Result<FileRecords> parseAnswer(const std::string& text, const std::string& folder) {
    const auto answer = TRY(text::parseJson(text, text.size()));
    if (answer.get<std::string>("folder") != folder)
        return fail(ErrorCode::Unavailable, "its answer is about an older checkpoint");
    if (const auto error = answer.get<std::string>("error"))
        return fail(answer.get<bool>("no_room").value_or(false) ? ErrorCode::NoRoom : ErrorCode::Io,
                    *error);
    return checkpoint::parseRecords(answer.get<std::string>("records").value_or(""));
}

class StoreDesk final : public checkpoint::ShardDesk {
public:
    StoreDesk(coordination::Client& client, int replica) : client_(client), replica_(replica) {}

    Result<std::optional<ShardOrder>> next(Nanos timeout) override {
        const Nanos begin = SteadyClock::read();
        const auto text = client_.get(orderKey(count_), timeout);
        if (!text && text.error().code == ErrorCode::Timeout) {
            // A coordinator that has ended the job answers at once.
            const Nanos left = timeout - (SteadyClock::read() - begin);
            if (left > Nanos{0}) std::this_thread::sleep_for(left);
            return std::nullopt;
        }
        if (!text) return fail(text.error());
        const auto document = TRY(text::parseJson(*text, text->size()));
        text::JsonFields fields(document);
        ShardOrder order;
        fields.read("number", order.number);
        fields.read("folder", order.folder);
        TRY(fields.checked());
        folder_ = order.folder;
        return order;
    }

    Result<void> report(const Result<FileRecords>& written) override {
        const std::string text = encodeAnswer(folder_, written);
        coordination::StoreLink store(client_);
        const std::size_t pieces = (text.size() + kPiece - 1) / kPiece;
        // The first one last: it says how many there are.
        for (std::size_t i = pieces; i-- > 0;) {
            std::string piece = text.substr(i * kPiece, kPiece);
            if (i == 0) piece = fmt::format("{} {}", pieces, piece);
            TRY(store.set(answerKey(count_, replica_, i), piece));
        }
        ++count_;
        return {};
    }

private:
    coordination::Client& client_;
    const int replica_;
    std::uint64_t count_ = 1;  ///< Of the order that is awaited, or carried out.
    std::string folder_;
};

bool findsIn(const fs::path& checkpoints, const std::string& name) {
    std::error_code error;
    return fs::exists(checkpoints / name, error) && ::access(checkpoints.c_str(), W_OK) == 0;
}

constexpr const char* kProbeKey = "shards/probe";
constexpr const char* kBlindKey = "shards/blind";

std::string sightKey(int process) {
    return fmt::format("shards/sight/{}", process);
}

/// Process 0's part of looking: what the others find.
Result<RunFolderSight> showRunFolder(coordination::Client& client,
                                     const std::vector<int>& processes, const fs::path& checkpoints,
                                     Nanos timeout) {
    const std::string name = checkpoint::temporaryName(0);  // swept where this process dies
    TRY(writeNewFileDurably(checkpoints / name, {}));
    coordination::StoreLink store(client);
    auto shown = store.set(kProbeKey,
                           Json::object({{"name", name}, {"folder", checkpoints.string()}}).text());
    RunFolderSight sight{checkpoints, {}};
    for (const int process : processes) {
        if (process == 0 || !shown) continue;
        const auto sees = client.get(sightKey(process), timeout);
        if (!sees) shown = fail(sees.error());
        if (sees && *sees != "1") sight.blind.push_back(process);
    }
    std::error_code ignored;
    fs::remove(checkpoints / name, ignored);
    TRY(std::move(shown));
    TRY(store.set(kBlindKey, Json(sight.blind).text()));
    return sight;
}

}  // namespace

Result<void> StoreCrew::order(const ShardOrder& order) {
    if (replicas_.empty()) return {};
    coordination::StoreLink store(client_);
    folder_ = order.folder;
    TRY(store.set(orderKey(count_ + 1),
                  Json::object({{"number", order.number}, {"folder", order.folder}}).text()));
    ++count_;
    return {};
}

Result<FileRecords> StoreCrew::collect() {
    FileRecords all;
    Result<void> done;
    bool isAnswered = true;
    const Nanos deadline = SteadyClock::read() + kWritingTimeout;
    for (const int replica : replicas_) {
        auto records = answerOf(replica, std::max(deadline - SteadyClock::read(), Nanos{0}));
        if (records) {
            all.merge(*records);
            if (!records->empty() && done)
                done = fail(ErrorCode::Internal,
                            fmt::format("two replicas have written {}", records->begin()->first));
            continue;
        }
        isAnswered = isAnswered && records.error().code != ErrorCode::Timeout;
        if (done) done = failWithin(fmt::format("replica {}", replica), records.error());
    }
    // Who has not answered may still have to read it.
    if (isAnswered && !replicas_.empty())
        std::ignore = coordination::StoreLink(client_).erase(fmt::format("shards/{}", count_));
    TRY(std::move(done));
    return all;
}

Result<FileRecords> StoreCrew::answerOf(int replica, Nanos timeout) {
    auto first = client_.get(answerKey(count_, replica, 0), timeout);
    if (!first && first.error().code == ErrorCode::Timeout)
        return fail(ErrorCode::Timeout,
                    fmt::format("its part was not written within {} s", kWritingTimeout.count()));
    if (!first) return fail(first.error());
    const std::size_t space = first->find(' ');
    const auto pieces = text::parseJson(first->substr(0, space), kPiece);
    if (space == std::string::npos || !pieces || !pieces->as<std::size_t>())
        return fail(ErrorCode::Corrupt, "its answer cannot be read");
    std::string text = first->substr(space + 1);
    for (std::size_t i = 1; i < *pieces->as<std::size_t>(); ++i)
        text += TRY(client_.get(answerKey(count_, replica, i), kWritingTimeout));
    return parseAnswer(text, folder_);
}

std::unique_ptr<checkpoint::ShardDesk> shardDesk(coordination::Client& client, int replica) {
    return std::make_unique<StoreDesk>(client, replica);
}

Result<RunFolderSight> lookForRunFolder(coordination::Client& client, int process,
                                        const std::vector<int>& processes, const fs::path& own,
                                        Nanos timeout) {
    if (process == 0) return showRunFolder(client, processes, own, timeout);
    const auto probe = TRY(client.get(kProbeKey, timeout));
    const auto document = TRY(text::parseJson(probe, probe.size()));
    const std::string name = document.get<std::string>("name").value_or("");
    RunFolderSight sight;
    for (const fs::path& folder : {own, fs::path(document.get<std::string>("folder").value_or(""))})
        if (sight.checkpoints.empty() && !name.empty() && findsIn(folder, name))
            sight.checkpoints = folder;
    TRY(coordination::StoreLink(client).set(sightKey(process),
                                            sight.checkpoints.empty() ? "0" : "1"));
    const auto blind = TRY(client.get(kBlindKey, timeout));
    sight.blind = TRY(text::parseJson(blind, blind.size()))
                      .as<std::vector<int>>()
                      .value_or(std::vector<int>{});
    return sight;
}

}  // namespace lockstep::train
