// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/file.h"
#include "core/config/document/job_file.h"

namespace lockstep::testsupport {

/// Without fsync: there are many.
inline void writeQuickly(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

/// So many ended runs of the digits in `folder`, of 7 learning rates and a seed each; every ninth
/// has failed, every tenth has a name and the tag "tenth".
inline void writeManyRuns(const std::filesystem::path& folder, int count) {
    const std::string job =
        readFile(LOCKSTEP_SOURCE_DIR "/resources/examples/digits.toml", 1 << 20).value();
    writeQuickly(folder / "whole.toml", job);
    const auto document = config::loadJobFile(folder / "whole.toml").value();
    std::filesystem::remove(folder / "whole.toml");
    for (int i = 0; i < count; ++i) {
        config::JobSpec spec = document.spec();
        spec.training.learningRate = 0.001 * (1 + i % 7);
        spec.training.seed = std::uint64_t(i);
        const std::filesystem::path run = folder / ("digits-" + std::to_string(1000 + i));
        std::filesystem::create_directories(run);
        writeQuickly(run / "job.toml", config::resolvedToml(spec));
        writeQuickly(run / "summary.json", R"({"status": ")" +
                                               std::string(i % 9 == 0 ? "failed" : "completed") +
                                               R"(", "wall_seconds": 12.5, "test_accuracy": 0.)" +
                                               std::to_string(900 + i) + "}");
        if (i % 10 == 0)
            writeQuickly(run / "about.json", R"({"name": "run )" + std::to_string(i) +
                                                 R"(", "tags": ["tenth"], "note": "a\nb"})");
    }
}

}  // namespace lockstep::testsupport
