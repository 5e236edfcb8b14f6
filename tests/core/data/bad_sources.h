// SPDX-License-Identifier: Apache-2.0
// Every data set with a mistake, at most ten of a kind.
#pragma once

#include "tests/core/data/bad_arrays.h"
#include "tests/core/data/bad_images.h"
#include "tests/core/data/bad_pieces.h"

namespace lockstep::data::test {

inline BadSources badSources() {
    BadSources every;
    for (BadSources (*kind)() :
         {&badFiles,      &badFormats,    &badHeaders,  &badRows,     &badNumbers,
          &missingCells,  &badCategories, &badShares,   &badTexts,    &badPieces,
          &badNpyHeaders, &badNpyTypes,   &badNpySizes, &badArchives, &badNumbersOfArrays,
          &badShapes,     &badImageFiles, &badFolders,  &badTars,     &badIdxFiles})
        for (BadSource& source : (*kind)())
            every.push_back(std::move(source));
    return every;
}

}  // namespace lockstep::data::test
