// SPDX-License-Identifier: Apache-2.0
#include "core/config/dialects/kubernetes_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"

namespace lockstep::config {

namespace {

/// With "-" and the index it is a host name, which ends at 63 characters.
constexpr std::size_t kLongestName = 52;

constexpr std::string_view kHead =
    R"(# Trains "{job}" as an indexed job of {count} pods. Written by lockstepctl export --format k8s.
#   kubectl apply -f FILE         start
#   kubectl logs -f {name}-0-…    watch: process 0 shows the run
#   kubectl delete -f FILE        stop, with a checkpoint; a new start needs the old job deleted
# Every pod finds its cluster by JOB_COMPLETION_INDEX and the variables below (detection method k8s).
apiVersion: v1
kind: ConfigMap
metadata:
  name: {name}
data:
  job.toml: |
{toml}---
# Headless: gives every pod the name {name}-K.{name}, which the others connect to.
apiVersion: v1
kind: Service
metadata:
  name: {name}
spec:
  clusterIP: None
  # Processes meet before any of them is ready.
  publishNotReadyAddresses: true
  selector:
    job-name: {name}
---
)";

constexpr std::string_view kJob = R"(apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
spec:
  completionMode: Indexed
  completions: {count}
  parallelism: {count}
  # One process cannot train without the others: the job's own restarts are launch.max_restarts.
  backoffLimit: 0
  template:
    metadata:
      labels:
        job-name: {name}
    spec:
      subdomain: {name}
      restartPolicy: Never
      # From SIGTERM on, for the step in flight and a checkpoint.
      terminationGracePeriodSeconds: 60
      containers:
        - name: worker
          image: {image}
          command: ["lockstep-worker", "/etc/lockstep/job.toml"]
          # The run folder is runs/{job}-k8s-… below it, on the volume that all pods share.
          workingDir: /lockstep
          env:
            - name: LOCKSTEP_K8S_PARALLELISM
              value: "{count}"
            - name: LOCKSTEP_K8S_SUBDOMAIN
              value: "{name}"
            # Tells this start from every other one of the same name.
            - name: LOCKSTEP_K8S_JOB_UID
              valueFrom:
                fieldRef:
                  fieldPath: metadata.labels['batch.kubernetes.io/controller-uid']
            # Caches and sockets: the image may have no home that can be written.
            - name: XDG_CACHE_HOME
              value: /tmp
{resources}          volumeMounts:
            - name: job
              mountPath: /etc/lockstep
              readOnly: true
            - name: runs
              mountPath: /lockstep
      volumes:
        - name: job
          configMap:
            name: {name}
        - name: runs
          # ReadWriteMany, so that all pods see the run folder.
          persistentVolumeClaim:
            claimName: {claim}
)";

/// A job's name as Kubernetes names things: lower case letters, digits and "-".
std::string kubernetesName(const std::string& job) {
    std::string name;
    for (const char c : job) {
        const auto byte = static_cast<unsigned char>(c);
        const bool isPlain = byte < 0x80 && std::isalnum(byte) != 0;
        if (isPlain)
            name += static_cast<char>(std::tolower(byte));
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    name.resize(std::min(name.size(), kLongestName));
    while (!name.empty() && name.back() == '-')
        name.pop_back();
    // It becomes the first part of a host name, and the service's, which begins with a letter.
    if (!name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0)
        name = ("job-" + name).substr(0, kLongestName);
    return name;
}

bool isPlainWord(const std::string& text, std::string_view alsoAllowed) {
    return !text.empty() && text.size() <= 250 &&
           std::isalnum(static_cast<unsigned char>(text.front())) != 0 &&
           std::all_of(text.begin(), text.end(), [alsoAllowed](unsigned char c) {
               return std::isalnum(c) != 0 ||
                      alsoAllowed.find(static_cast<char>(c)) != std::string_view::npos;
           });
}

Result<void> checkPlaces(const KubernetesPlaces& places) {
    if (!isPlainWord(places.image, "-_./:@"))
        return fail(ErrorCode::BadInput,
                    fmt::format("--image is \"{}\", which names no container image",
                                sanitizeLine(places.image, 80)),
                    "Write for example registry.example/lockstep:1.0.");
    if (!isPlainWord(places.claim, "-."))
        return fail(ErrorCode::BadInput,
                    fmt::format("--claim is \"{}\", which names no volume claim",
                                sanitizeLine(places.claim, 80)),
                    "`kubectl get pvc` lists them.");
    return {};
}

/// Where the program runs: a relative folder is one of the volume, since the job file's own folder
/// is a ConfigMap in every pod.
std::string podFolder(const JobSpec& spec) {
    const std::filesystem::path volume = "/lockstep";
    if (spec.launch.directory.empty()) return volume.string();
    return (volume / spec.launch.directory).lexically_normal().string();
}

/// The job without what the pods find out themselves.
std::string podJobToml(const JobSpec& spec) {
    JobSpec job = spec;
    job.runDir.clear();
    job.cluster.jobAddresses = {Address{"127.0.0.1", 0}};
    job.cluster.evaluatorAddress.reset();
    job.launch = {};
    job.launch.maxRestarts = spec.launch.maxRestarts;
    job.launch.command = spec.launch.command;
    job.launch.environment = spec.launch.environment;
    if (spec.launch.runsOwnProgram()) job.launch.directory = podFolder(spec);
    job.slurm = {};
    const std::string toml = resolvedToml(job);
    std::string indented;
    for (std::size_t begin = 0; begin < toml.size();) {
        const std::size_t end = std::min(toml.find('\n', begin), toml.size());
        if (end > begin) indented += "    " + toml.substr(begin, end - begin);
        indented += '\n';
        begin = end + 1;
    }
    return indented;
}

std::string resourcesOf(const ClusterSpec& cluster) {
    if (cluster.device != DeviceKind::Gpu) return "";
    return fmt::format(
        "          resources:\n            limits:\n              nvidia.com/gpu: {}\n",
        cluster.devicesPerProcess);
}

std::vector<std::string> notesOf(const JobSpec& spec, const KubernetesPlaces& places) {
    std::vector<std::string> notes{
        fmt::format("the volume claim {} must be there, ReadWriteMany; the image is {}",
                    places.claim, places.image)};
    if (!spec.data.directory.empty())
        notes.push_back(
            fmt::format("data.directory is {}: it must be there in every pod, in the "
                        "image or below /lockstep",
                        sanitizeLine(spec.data.directory, 200)));
    if (spec.launch.runsOwnProgram())
        notes.push_back(fmt::format(
            "the program {} must be in the image besides lockstep-worker; it "
            "runs in {}",
            sanitizeLine(spec.launch.command.front(), 200), sanitizeLine(podFolder(spec), 200)));
    if (spec.cluster.evaluator) notes.emplace_back("the evaluator runs in the pod of process 0");
    if (!spec.runDir.empty())
        notes.emplace_back("job.run_dir is left out: every start has a folder of its own");
    return notes;
}

}  // namespace

Result<KubernetesManifest> kubernetesManifest(const JobSpec& spec, const KubernetesPlaces& places) {
    TRY(checkPlaces(places));
    const std::string name = kubernetesName(spec.name);
    if (name.empty())
        return fail(ErrorCode::BadInput,
                    fmt::format("job.name is \"{}\", of which Kubernetes can make no name",
                                sanitizeLine(spec.name, 80)),
                    "Give it at least one letter.");
    using fmt::arg;
    KubernetesManifest manifest;
    manifest.text =
        fmt::format(kHead, arg("job", spec.name), arg("name", name),
                    arg("count", spec.cluster.numProcesses), arg("toml", podJobToml(spec))) +
        fmt::format(kJob, arg("job", spec.name), arg("name", name),
                    arg("count", spec.cluster.numProcesses), arg("image", places.image),
                    arg("claim", places.claim), arg("resources", resourcesOf(spec.cluster)));
    manifest.notes = notesOf(spec, places);
    return manifest;
}

}  // namespace lockstep::config
