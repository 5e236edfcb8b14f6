// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/launch/host/restore_requests.h"
#include "core/launch/host/run_requests.h"
#include "core/launch/host/run_restore.h"
#include "core/run/run_folder.h"
#include "core/telemetry/journal.h"
#include "tests/support/checkpoint_samples.h"

namespace lockstep::launch::test {

inline constexpr std::size_t kFloats = 100'000;  // of several pieces

inline std::string frames(int records) {
    std::string bytes;
    for (int i = 0; i < records; ++i)
        telemetry::appendFrame("record " + std::to_string(i), bytes);
    return bytes;
}

/// Folders of three hosts, whose services answer in this process, and the launcher's copy.
struct Hosts {
    Hosts() {
        addRunRequests(requests);
        addRestoreRequests(requests);
        std::filesystem::create_directories(folder("home"));
    }

    [[nodiscard]] std::filesystem::path folder(const char* name) const {
        return std::filesystem::path(root.path().toStdString()) / name;
    }
    [[nodiscard]] run::RunPaths paths(const char* name) const { return {folder(name)}; }
    void commit(const char* host, std::int64_t step, std::int64_t best = 0) const {
        auto store = checkpoint::CheckpointStore::open(paths(host).checkpoints(),
                                                       checkpoint::CheckpointStore::Access::Write);
        checkpoint::test::Sample sample(step, kFloats);
        sample.snapshot.state.best.step = best;
        QVERIFY(store->commit(sample.snapshot));
    }
    void damage(const char* host, std::int64_t step) const {
        const std::filesystem::path file =
            paths(host).checkpoints() / ("step-" + std::to_string(step)) / "model.safetensors";
        std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
    }
    void write(const std::filesystem::path& file, const std::string& text) const {
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
    }
    [[nodiscard]] Result<std::string> restore(const std::optional<FormerHome>& former = {}) {
        return inTurn({{1, "node-b", folder("b").string()}, {2, "node-c", folder("c").string()}})
            .run(former);
    }
    /// What the launcher has heard of.
    void tellOfCommits(std::initializer_list<std::pair<std::int64_t, const char*>> commits) const {
        std::string bytes;
        for (const auto& [step, error] : commits) {
            wire::Record record;
            record.mutable_checkpoint()->set_step(static_cast<std::uint64_t>(step));
            record.mutable_checkpoint()->set_error(error);
            telemetry::appendFrame(record.SerializeAsString(), bytes);
        }
        write(paths("mirror").journal(), bytes);
    }
    /// As where node-z is lost, and `home` a new folder.
    [[nodiscard]] Result<std::string> takeCopy(std::int64_t trainedTo = 23) {
        return inTurn({{1, "node-b", folder("b").string()}})
            .takeCopy({"node-b", "node-z", "home", {"r1", "r2"}, trainedTo});
    }
    /// What a keeper has left of a run's newest start.
    void keepCopy(const std::string& runId) const {
        if (!std::filesystem::exists(paths("b").checkpoints())) commit("b", 20);
        write(paths("b").journal(), frames(5));
        write(paths("b").copyMark(), "r1\n");
        write(paths("b").lock(), runId + "\n");
    }
    [[nodiscard]] RunRestore inTurn(std::vector<RunFolderOnHost> others) {
        const auto ask = [this](std::size_t, const wire::ToHost& request,
                                Nanos) -> Result<wire::FromHost> {
            const bool isJournal = request.store_piece().file() == "journal";
            if (request.has_store_piece() && (cutAfter-- == 0 || (cutsJournal && isJournal)))
                return fail(ErrorCode::PeerLost, "the connection is lost");
            readings += request.has_survey_run() && !request.survey_run().list_only() ? 1 : 0;
            return requests.at(request.body_case())(request, {});
        };
        return {ask,
                [](const std::string&) {},
                {0, "node-a", folder("home").string()},
                std::move(others),
                seesHome ? std::filesystem::path() : folder("mirror")};
    }
    [[nodiscard]] Result<wire::FromHost> store(const std::string& file, std::uint64_t offset,
                                               const std::string& bytes) const {
        wire::ToHost request;
        wire::StorePiece& piece = *request.mutable_store_piece();
        piece.set_run_dir(folder("home").string());
        piece.set_step(-1);
        piece.set_file(file);
        piece.set_offset(offset);
        piece.set_bytes(bytes);
        return requests.at(wire::ToHost::kStorePiece)(request, {});
    }
    [[nodiscard]] std::int64_t bestAtHome() const {
        return checkpoint::CheckpointStore::open(paths("home").checkpoints(),
                                                 checkpoint::CheckpointStore::Access::Read)
            ->best()
            .value_or(0);
    }
    [[nodiscard]] bool homeHolds(std::int64_t step, std::int64_t best = 0) const {
        const auto store = checkpoint::CheckpointStore::open(
            paths("home").checkpoints(), checkpoint::CheckpointStore::Access::Read);
        const auto good = store ? store->loadLatestGood() : fail(store.error());
        checkpoint::test::Sample sample(step, kFloats);
        sample.snapshot.state.best.step = best;
        return good && good->step == step && sample.equals(*good->loaded);
    }

    QTemporaryDir root;
    HostRequests requests;
    int cutAfter = -1;
    bool cutsJournal = false;  ///< No piece of it comes.
    int readings = 0;          ///< Of all checkpoints of a host.
    bool seesHome = false;     ///< The launcher: it has no copy then.
};

}  // namespace lockstep::launch::test
