// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/data/packed/packed_file.h"

namespace lockstep::data {

/// Writes a packed file under another name beside it, which takes its place when it is whole.
class PackedFileWriter final : public PackedWriter {
public:
    /// Whoever makes one holds the right to write `file`.
    explicit PackedFileWriter(std::filesystem::path file);
    ~PackedFileWriter() override;  ///< Leaves nothing of what is not whole.
    PackedFileWriter(const PackedFileWriter&) = delete;
    PackedFileWriter& operator=(const PackedFileWriter&) = delete;

    [[nodiscard]] Result<void> open();
    [[nodiscard]] Result<void> append(std::span<const std::uint8_t> bytes) override;
    [[nodiscard]] Result<void> endSection() override;
    [[nodiscard]] ScratchBytes scratch() const override {
        return ScratchBytes(file_.parent_path());
    }
    /// Io or NoRoom, leaving the former file.
    [[nodiscard]] Result<void> finish(const std::string& source, const std::string& meaning);

private:
    [[nodiscard]] Result<void> flush();

    const std::filesystem::path file_;
    const std::filesystem::path part_;
    UniqueFd fd_;
    std::string held_;  ///< Not written yet.
    ContentHash hash_;
    std::vector<std::uint64_t> sections_;  ///< Bytes of those that are ended.
    std::uint64_t open_ = 0;               ///< Of the one that is not.
};

/// Holds the data in memory.
class PackedMemoryWriter final : public PackedWriter {
public:
    [[nodiscard]] Result<void> append(std::span<const std::uint8_t> bytes) override {
        return open_.append(bytes);
    }
    [[nodiscard]] Result<void> endSection() override;
    [[nodiscard]] ScratchBytes scratch() const override { return ScratchBytes({}); }
    [[nodiscard]] PackedData take(std::string meaning) {
        return {std::move(meaning), std::move(sections_)};
    }

private:
    ScratchBytes open_{{}};
    std::vector<SharedBytes> sections_;
};

}  // namespace lockstep::data
