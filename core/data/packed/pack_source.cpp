// SPDX-License-Identifier: Apache-2.0
#include "core/data/packed/pack_source.h"

#include "core/data/source_file.h"

namespace lockstep::data {

Result<PackedData> packSource(const config::DataSpec& spec, const std::filesystem::path& jobFolder,
                              const std::filesystem::path& cacheFolder, const PackedSource& source,
                              const PackData& pack, std::vector<std::string>& notes,
                              const LoadWatch& watch) {
    const bool isCached = spec.cache == "memory" || spec.cache == "packed";
    const bool isSmall = sizeOf(source.files) < kSmallestCached;
    if (spec.cache == "none" || (isCached && isSmall)) return packedInMemory(pack, watch);
    const std::string files = identityOf(source.files);
    const std::string identity = source.name + source.content + files;
    if (isCached)
        return packedInCache(cacheFolder.empty() ? cacheFolder : cacheFolder / "packed",
                             source.name, identity, pack, notes, watch);
    return packedInFile(jobFolder / spec.cache, identity, pack, notes, watch);
}

}  // namespace lockstep::data
