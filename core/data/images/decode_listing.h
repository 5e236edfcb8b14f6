// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/data/images/image_listing.h"
#include "core/data/packed/packed_file.h"

namespace lockstep::data {

/// What every image is made to be.
struct ImageForm {
    int height = 0;
    int width = 0;
    int channels = 3;
    bool skipsBroken = false;  ///< Else one image that cannot be read is an error.
};

/// Decodes all files of the listing, in its order, on as many threads as there are processors;
/// the result does not depend on them. Writes a section of pixels and one of labels; what they are,
/// without bytes. Says on standard error how far it is, every few seconds, and which images are
/// left out. BadInput names the first of those that cannot be read, or says that none can; what the
/// writer fails with; Cancelled once `watch` waits no longer.
[[nodiscard]] Result<Split> decodeListing(const ImageListing& listing, const ImageForm& form,
                                          PackedWriter& writer, const LoadWatch& watch = {});

}  // namespace lockstep::data
