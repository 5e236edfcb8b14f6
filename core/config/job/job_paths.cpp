// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/job_paths.h"

#include <filesystem>
#include <vector>

#include "core/config/job/data_sources.h"

namespace lockstep::config {

namespace {

/// Those that are given; words that stand in a path's place are none.
std::vector<std::string*> pathsOf(JobSpec& job) {
    DataSpec& data = job.data;
    std::vector<std::string*> paths;
    for (std::string* path :
         {&data.directory, &data.validationDirectory, &data.testDirectory, &data.arrays.inputs,
          &data.arrays.targets, &data.arrays.validationInputs, &data.arrays.validationTargets,
          &data.arrays.testInputs, &data.arrays.testTargets, &job.model.initialWeights.file})
        if (!path->empty()) paths.push_back(path);
    for (std::string& file : data.files)
        paths.push_back(&file);
    const bool isPacked =
        data.cache == "packed" && (data.dataset == "image_folder" || namesFiles(data.dataset));
    if (data.cache != "memory" && data.cache != "none" && !isPacked) paths.push_back(&data.cache);
    if (data.text.tokenizer != "bytes" && data.text.tokenizer != "characters")
        paths.push_back(&data.text.tokenizer);
    return paths;
}

}  // namespace

void makePathsAbsolute(JobSpec& job, const std::string& jobFolder) {
    std::error_code error;
    const auto base = std::filesystem::absolute(jobFolder, error);
    for (std::string* path : pathsOf(job))
        *path = (base / *path).lexically_normal().string();
}

void takePaths(JobSpec& job, const JobSpec& own) {
    job.data.directory = own.data.directory;
    job.data.validationDirectory = own.data.validationDirectory;
    job.data.testDirectory = own.data.testDirectory;
    job.data.cache = own.data.cache;
    job.data.files = own.data.files;
    job.data.arrays = own.data.arrays;
    job.data.text.tokenizer = own.data.text.tokenizer;
    job.model.initialWeights.file = own.model.initialWeights.file;
}

void hidePaths(JobSpec& job) {
    job.data.directory.clear();  // one that is not needed may be left out
    job.data.cache.clear();      // every process keeps its data as it likes
    for (std::string* path : pathsOf(job))
        *path = "a path of each host";
}

}  // namespace lockstep::config
