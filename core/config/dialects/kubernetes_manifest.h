// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"

namespace lockstep::config {

/// What a manifest takes from its cluster rather than from the job.
struct KubernetesPlaces {
    std::string image = "lockstep:latest";  ///< Has lockstep-worker on its PATH.
    std::string claim = "lockstep";  ///< Of a volume that all pods mount; run folders lie in it.
};

struct KubernetesManifest {
    std::string text;                ///< YAML: a ConfigMap, a headless Service and an indexed Job.
    std::vector<std::string> notes;  ///< What to know before applying it, one sentence each.
};

/// The manifest that starts lockstep-worker once per process, which then finds its cluster by the
/// k8s detection method. BadInput for an image or claim that no manifest can name, and for a job
/// that Kubernetes cannot give a name.
[[nodiscard]] Result<KubernetesManifest> kubernetesManifest(const JobSpec& spec,
                                                            const KubernetesPlaces& places);

}  // namespace lockstep::config
