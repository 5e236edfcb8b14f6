// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/data/images/image_listing.h"

namespace lockstep::data {

/// What every image is made to be.
struct ImageForm {
    int height = 0;
    int width = 0;
    int channels = 3;
    bool skipsBroken = false;  ///< Else one image that cannot be read is an error.
};

/// Decodes all files of the listing, in its order, on as many threads as there are processors;
/// the result does not depend on them. Says on standard error how far it is, every few seconds, and
/// which images are left out. BadInput names the first of those that cannot be read, or says that
/// none can.
[[nodiscard]] Result<Split> decodeListing(const ImageListing& listing, const ImageForm& form);

}  // namespace lockstep::data
