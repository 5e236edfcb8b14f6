// SPDX-License-Identifier: Apache-2.0
#include "core/config/dialects/kubernetes_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/text/yaml.h"

namespace lockstep::config {

namespace {

using text::YamlDocument;
using text::YamlList;
using text::YamlMap;

/// With "-" and the index it is a host name, which ends at 63 characters.
constexpr std::size_t kLongestName = 52;

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
    job.launch.onFailure = spec.launch.onFailure;
    job.launch.maxRestarts = spec.launch.maxRestarts;
    job.launch.command = spec.launch.command;
    job.launch.environment = spec.launch.environment;
    if (spec.launch.runsOwnProgram()) job.launch.directory = podFolder(spec);
    job.slurm = {};
    return resolvedToml(job);
}

YamlMap objectOf(std::string apiVersion, std::string kind, const std::string& name) {
    return {{"apiVersion", std::move(apiVersion)},
            {"kind", std::move(kind)},
            {"metadata", YamlMap{{"name", name}}}};
}

YamlDocument configMapOf(const JobSpec& spec, const std::string& name) {
    YamlMap object = objectOf("v1", "ConfigMap", name);
    object.push_back({"data", YamlMap{{"job.toml", podJobToml(spec)}}});
    return {
        fmt::format("Trains \"{0}\" as an indexed job of {1} pods. Written by lockstepctl "
                    "export --format k8s.\n"
                    "  kubectl apply -f FILE         start\n"
                    "  kubectl logs -f {2}-0-…    watch: process 0 shows the run\n"
                    "  kubectl delete -f FILE        stop, with a checkpoint; a new start needs "
                    "the old job deleted\n"
                    "Every pod finds its cluster by JOB_COMPLETION_INDEX and the variables "
                    "below (detection method k8s).",
                    sanitizeLine(spec.name), spec.cluster.numProcesses, name),
        std::move(object)};
}

YamlDocument serviceOf(const std::string& name) {
    YamlMap object = objectOf("v1", "Service", name);
    object.push_back({"spec", YamlMap{{"clusterIP", "None"},
                                      {"publishNotReadyAddresses", true,
                                       "Processes meet before any of them is ready."},
                                      {"selector", YamlMap{{"job-name", name}}}}});
    return {fmt::format(
                "Headless: gives every pod the name {0}-K.{0}, which the others connect to.", name),
            std::move(object)};
}

YamlList environmentOf(const JobSpec& spec, const std::string& name) {
    const YamlMap uid{{"fieldPath", "metadata.labels['batch.kubernetes.io/controller-uid']"}};
    return {YamlMap{{"name", "LOCKSTEP_K8S_PARALLELISM"},
                    {"value", std::to_string(spec.cluster.numProcesses)}},
            YamlMap{{"name", "LOCKSTEP_K8S_SUBDOMAIN"}, {"value", name}},
            YamlMap{{"name", "LOCKSTEP_K8S_JOB_UID",
                     "Tells this start from every other one of the same name."},
                    {"valueFrom", YamlMap{{"fieldRef", uid}}}},
            YamlMap{{"name", "XDG_CACHE_HOME",
                     "Caches and sockets: the image may have no home that can be written."},
                    {"value", "/tmp"}}};
}

YamlMap containerOf(const JobSpec& spec, const std::string& name, const std::string& image) {
    YamlMap container{
        {"name", "worker"},
        {"image", image},
        {"command", YamlList{"lockstep-worker", "/etc/lockstep/job.toml"}},
        {"workingDir", "/lockstep",
         fmt::format("The run folder is runs/{}-k8s-… below it, on the volume that all pods share.",
                     sanitizeLine(spec.name))},
        {"env", environmentOf(spec, name)}};
    if (spec.cluster.device == DeviceKind::Gpu)
        container.push_back(
            {"resources",
             YamlMap{{"limits", YamlMap{{"nvidia.com/gpu", spec.cluster.localReplicas()}}}}});
    container.push_back(
        {"volumeMounts",
         YamlList{YamlMap{{"name", "job"}, {"mountPath", "/etc/lockstep"}, {"readOnly", true}},
                  YamlMap{{"name", "runs"}, {"mountPath", "/lockstep"}}}});
    return container;
}

YamlDocument jobOf(const JobSpec& spec, const std::string& name, const KubernetesPlaces& places) {
    const YamlMap claim{
        {"claimName", places.claim, "ReadWriteMany, so that all pods see the run folder."}};
    const YamlMap pod{
        {"subdomain", name},
        {"restartPolicy", "Never"},
        {"terminationGracePeriodSeconds", 60,
         "From SIGTERM on, for the step in flight and a checkpoint."},
        {"containers", YamlList{containerOf(spec, name, places.image)}},
        {"volumes", YamlList{YamlMap{{"name", "job"}, {"configMap", YamlMap{{"name", name}}}},
                             YamlMap{{"name", "runs"}, {"persistentVolumeClaim", claim}}}}};
    const YamlMap labels{{"labels", YamlMap{{"job-name", name}}}};
    YamlMap object = objectOf("batch/v1", "Job", name);
    object.push_back(
        {"spec", YamlMap{{"completionMode", "Indexed"},
                         {"completions", spec.cluster.numProcesses},
                         {"parallelism", spec.cluster.numProcesses},
                         {"backoffLimit", 0,
                          "One process cannot train without the others: the job's own restarts are "
                          "launch.max_restarts."},
                         {"template", YamlMap{{"metadata", labels}, {"spec", pod}}}}});
    return {"", std::move(object)};
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
    return KubernetesManifest{
        text::writeYaml({configMapOf(spec, name), serviceOf(name), jobOf(spec, name, places)}),
        notesOf(spec, places)};
}

}  // namespace lockstep::config
