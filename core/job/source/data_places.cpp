// SPDX-License-Identifier: Apache-2.0
#include "core/job/source/data_places.h"

#include <utility>

#include "core/data/load_dataset.h"

namespace lockstep::job {

namespace fs = std::filesystem;

fs::path absoluteBelow(const fs::path& folder, const std::string& path) {
    std::error_code error;
    return fs::absolute(folder / path, error).lexically_normal();
}

fs::path dataDirectoryOf(const config::JobSpec& job, const fs::path& folder) {
    return data::readsFiles(job.data.dataset) ? absoluteBelow(folder, job.data.directory)
                                              : fs::path();
}

std::vector<config::NamedFile> dataPlacesOf(const config::DataSpec& data, const fs::path& folder) {
    std::vector<config::NamedFile> places = config::dataFiles(data);
    if (data.dataset == "image_folder")
        for (const auto& [key, path] :
             {std::pair{"data.validation_directory", &data.validationDirectory},
              std::pair{"data.test_directory", &data.testDirectory}})
            if (!path->empty()) places.push_back({key, *path});
    for (config::NamedFile& place : places)
        place.path = absoluteBelow(folder, place.path).string();
    return places;
}

wire::Examine examinationOf(const config::JobSpec& job, const fs::path& folder,
                            const fs::path& runFolder) {
    wire::Examine what;
    what.set_run_folder(runFolder.string());
    if (job.launch.runsOwnProgram()) return what;  // its data are its own affair
    what.set_dataset(job.data.dataset);
    what.set_data_directory(dataDirectoryOf(job, folder).string());
    for (const config::NamedFile& file : dataPlacesOf(job.data, folder)) {
        wire::DataPlace& place = *what.add_data_places();
        place.set_key(file.key);
        place.set_path(file.path);
    }
    return what;
}

}  // namespace lockstep::job
