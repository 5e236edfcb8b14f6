// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/picture_shelf.h"

namespace lockstep::job {

void PictureShelf::share(EvaluationView& evaluation) {
    for (EvaluationView::Sample& sample : evaluation.samples) {
        if (!sample.pixels) continue;
        EvaluationView::Pixels& known = pictures_[{evaluation.split, sample.index}];
        if (known && *known == *sample.pixels)
            sample.pixels = known;
        else
            known = sample.pixels;
    }
}

}  // namespace lockstep::job
