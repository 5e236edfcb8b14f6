// SPDX-License-Identifier: Apache-2.0
// A folder of a job with files of tables, texts and arrays.
#pragma once

#include <QTemporaryDir>
#include <QtTest>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "core/config/document/job_file.h"
#include "core/data/load_dataset.h"

namespace lockstep::data::test {

struct Place {
    QTemporaryDir dir;
    std::filesystem::path job = dir.path().toStdString();

    void write(const std::string& name, const std::string& content) const {
        std::filesystem::create_directories((job / name).parent_path());
        std::ofstream(job / name, std::ios::binary) << content;
    }
    /// The data of a job whose [data] has these lines.
    [[nodiscard]] Result<Dataset> load(const std::string& lines) const {
        const auto document = config::JobDocument::lenient("[data]\n" + lines, "job.toml");
        return loadDataset(document.spec().data, job, {});
    }
};

/// Numbers of a split's inputs or targets.
template <typename T>
std::vector<T> numbersOf(const SharedBytes& bytes) {
    std::vector<T> numbers(bytes.size() / sizeof(T));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
    return numbers;
}

inline bool says(const Dataset& dataset, std::string_view words) {
    for (const std::string& note : dataset.notes)
        if (note.find(words) != std::string::npos) return true;
    for (const std::string& note : dataset.notes)
        qWarning("note: %s", note.c_str());
    return false;
}

#define LOADED(dataset) QVERIFY2(dataset, dataset ? "" : dataset.error().message.c_str())

}  // namespace lockstep::data::test
