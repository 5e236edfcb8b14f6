// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "core/job/fold/evaluation_view.h"

namespace lockstep::job {

/// The pictures of scored samples, each once: the hardest samples of a split are told again with
/// every checkpoint, and a long run has thousands of them.
class PictureShelf {
public:
    /// Its samples' pictures become those that are here where they are the same; the others are
    /// put here.
    void share(EvaluationView& evaluation);

private:
    std::map<std::pair<std::string, int>, EvaluationView::Pixels> pictures_;  // by split and index
};

}  // namespace lockstep::job
