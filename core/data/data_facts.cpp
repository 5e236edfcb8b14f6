// SPDX-License-Identifier: Apache-2.0
#include "core/data/data_facts.h"

#include "core/base/try.h"
#include "core/config/job/data_sources.h"
#include "core/data/images/image_listing.h"
#include "core/data/load_dataset.h"
#include "core/data/text/load_text.h"

namespace lockstep::data {

Result<model::DataFacts> readDataFacts(const config::DataSpec& spec,
                                       const std::filesystem::path& jobFolder) {
    if (spec.dataset == "text") return textFacts(spec, jobFolder);
    if (spec.dataset != "image_folder") return TRY(loadDataset(spec, jobFolder)).facts;
    const auto classes = TRY(classFolders("data.directory", jobFolder / spec.directory));
    return model::DataFacts{.input = {spec.imageSize.height, spec.imageSize.width,
                                      spec.color == config::ImageColor::Grey ? 1 : 3},
                            .columns = {},
                            .classes = static_cast<std::int64_t>(classes.size())};
}

std::uint64_t namedBytes(const config::DataSpec& spec, const std::filesystem::path& jobFolder) {
    std::uint64_t all = 0;
    for (const config::NamedFile& file : config::dataFiles(spec)) {
        std::error_code error;
        const auto bytes = std::filesystem::file_size(jobFolder / file.path, error);
        if (!error) all += bytes;
    }
    return all;
}

}  // namespace lockstep::data
