// SPDX-License-Identifier: Apache-2.0
#include "core/config/cluster/tf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/keys/key_codec.h"
#include "core/text/json.h"
#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {

using text::Json;
using Names = std::vector<std::string>;

constexpr std::string_view kExample =
    "Write for example {\"cluster\":{\"worker\":[\"10.0.0.1:1234\",\"10.0.0.2:1234\"]},"
    "\"task\":{\"type\":\"worker\",\"index\":0}}.";

// What TensorFlow reads, and what Kubeflow and Vertex AI add; "ps" is known so that it gets its
// own refusal.
const Names kTopKeys = {"cluster", "task", "rpc_layer", "session_master", "environment", "job"};
const Names kTaskKeys = {"type", "index", "trial", "cloud"};
const Names kRoles = {"chief", "worker", "evaluator"};

tl::unexpected<Error> bad(std::string message, std::string remedy = std::string(kExample)) {
    return fail(ErrorCode::BadInput, std::move(message), std::move(remedy));
}

/// A JSON value as a sentence shows it.
std::string shown(const Json& value) {
    return sanitizeLine(value.text(), 80);
}

std::string meant(std::string_view word, const Names& candidates) {
    const auto nearest = nearestWord(word, candidates);
    return nearest ? fmt::format(", did you mean \"{}\"?", *nearest) : std::string();
}

/// One task of the cluster.
struct Task {
    std::string role;
    std::size_t index = 0;
};

class Reader {
public:
    explicit Reader(Origin origin) : origin_(std::move(origin)) {}

    Result<ClusterFacts> read(std::string_view text) {
        const auto parsed = text::parseJson(text);
        if (!parsed) return bad(parsed.error().message);
        return readParsed(*parsed);
    }

    [[nodiscard]] std::size_t count(const std::string& role) const {
        const auto found = cluster_.find(role);
        return found == cluster_.end() ? 0 : found->second.size();
    }

    [[nodiscard]] std::string task() const {
        return task_.role == "worker" ? fmt::format("worker {}", task_.index)
                                      : fmt::format("the {}", task_.role);
    }

private:
    Result<ClusterFacts> readParsed(const Json& json) {
        if (!json.isObject())
            return bad(fmt::format("it is {}, but must be an object", shown(json)));
        if (json.members().empty()) return ClusterFacts{};
        TRY(checkKeys(json, {}, kTopKeys));
        const Json* cluster = json.find("cluster");
        if (cluster == nullptr)
            return bad("\"cluster\" is missing, with which TensorFlow trains every process alone");
        TRY(readCluster(*cluster));
        const Json* task = json.find("task");
        if (task == nullptr)
            return bad(
                "When `cluster_spec` is given, you must also specify `task_type` and "
                "`task_id`: \"task\" is missing");
        TRY(readTask(*task));
        return facts();
    }

    static Result<void> checkKeys(const Json& object, std::string_view parent, const Names& known) {
        for (const auto& [key, value] : object.members()) {
            if (std::find(known.begin(), known.end(), key) != known.end()) continue;
            return bad(fmt::format("there is no key \"{}{}\"{}", parent, sanitizeLine(key, 60),
                                   meant(key, known)),
                       fmt::format("Correct or remove it; the keys are {}.", joinWords(known)));
        }
        return {};
    }

    Result<void> readCluster(const Json& cluster) {
        if (!cluster.isObject())
            return bad(fmt::format("\"cluster\" is {}, but must be an object", shown(cluster)));
        for (const auto& [role, given] : cluster.members()) {
            TRY(checkRole(role, cluster));
            auto addresses = TRY(readAddresses(role, given));
            if (!addresses.empty()) cluster_[role] = std::move(addresses);
        }
        for (const auto& role : {"chief", "evaluator"})
            if (count(role) > 1)
                return bad(fmt::format("There must be at most one '{}' job: \"cluster\" has {}",
                                       role, count(role)),
                           "Keep one address; further training processes are workers.");
        if (count("chief") + count("worker") > static_cast<std::size_t>(kMostProcesses))
            return bad(fmt::format("\"cluster\" has more than {} processes", kMostProcesses),
                       "Start fewer processes.");
        return checkDuplicates();
    }

    static Result<void> checkRole(const std::string& role, const Json& cluster) {
        if (std::find(kRoles.begin(), kRoles.end(), role) != kRoles.end()) return {};
        if (role == "ps")
            return bad(
                "\"cluster\" has parameter servers (\"ps\"), but training is synchronous: "
                "every process holds all weights and none serves them",
                "Remove \"ps\"; its machines can be workers.");
        const std::string hint =
            role == "master" ? ", did you mean \"chief\"?" : meant(role, kRoles);
        return bad(fmt::format("Disallowed task type found in cluster spec. Allowed types are {} "
                               "and the cluster spec is {}: \"{}\" is none{}",
                               joinWords(kRoles), shown(cluster), sanitizeLine(role, 60), hint),
                   "Correct the role's name, or remove it.");
    }

    /// A role may be an object from index to address; ids then must have no gaps.
    static Result<Json> asList(const std::string& role, const Json& object) {
        std::map<std::int64_t, Json> byIndex;
        for (const auto& [key, address] : object.members()) {
            const auto index = wholeNumber(key);
            if (!index || *index < 0 || *index >= kMostProcesses)
                return bad(fmt::format("cluster.{} has the index \"{}\", but must have 0, 1, …",
                                       role, sanitizeLine(key, 40)));
            byIndex[*index] = address;
        }
        std::vector<int> missing;
        const int last = byIndex.empty() ? -1 : static_cast<int>(byIndex.rbegin()->first);
        for (int i = 0; i < last; ++i)
            if (!byIndex.contains(i)) missing.push_back(i);
        if (!missing.empty())
            return bad(fmt::format("cluster.{} goes up to {} and leaves out {}", role, last,
                                   compressRanges(missing)),
                       "Ids have no gaps: add the missing addresses, or number the tasks anew.");
        Json::List list;
        for (const auto& [index, address] : byIndex)
            list.push_back(address);
        return Json(std::move(list));
    }

    static Result<std::vector<Address>> readAddresses(const std::string& role, const Json& given) {
        const Json list = given.isObject() ? TRY(asList(role, given)) : given;
        if (!list.isList())
            return bad(fmt::format("cluster.{} is {}, but must be a list of \"host:port\"", role,
                                   shown(list)));
        std::vector<Address> addresses;
        for (const Json& item : list.items()) {
            const std::string place = fmt::format("cluster.{}[{}]", role, addresses.size());
            const auto text = item.as<std::string>();
            if (!text)
                return bad(fmt::format("{} is {}, but must be \"host:port\"", place, shown(item)));
            auto address = parseAddress(*text);
            if (!address) return failWithin(place, std::move(address).error());
            addresses.push_back(std::move(*address));
        }
        return addresses;
    }

    Result<void> checkDuplicates() const {
        std::map<std::string, std::string> taken;
        for (const auto& role : kRoles) {
            const auto found = cluster_.find(role);
            if (found == cluster_.end()) continue;
            for (std::size_t i = 0; i < found->second.size(); ++i) {
                const std::string address = toString(found->second[i]);
                const std::string task = fmt::format("{} {}", role, i);
                const auto [first, isNew] = taken.emplace(address, task);
                if (!isNew && found->second[i].port != 0)
                    return bad(duplicateSentence(first->second, task, address),
                               duplicateRemedy(first->second, task));
            }
        }
        return {};
    }

    static std::string duplicateSentence(const std::string& first, const std::string& second,
                                         const std::string& address) {
        if (first == "chief 0" && second == "worker 0")
            return fmt::format(
                "chief and worker 0 are both given as {}, but they are two processes", address);
        if (second == "evaluator 0")
            return fmt::format(
                "the evaluator is {}, which is {} already: it is a process of its "
                "own and does not train",
                address, first);
        return fmt::format("{} is {}, which is {} already", second, address, first);
    }
    static std::string duplicateRemedy(const std::string& first, const std::string& second) {
        if (first == "chief 0" && second == "worker 0")
            return "Remove one of them: without a chief, worker 0 is it.";
        return "Give every task an address of its own.";
    }

    Result<void> readTask(const Json& task) {
        if (!task.isObject())
            return bad(fmt::format("\"task\" is {}, but must be an object", shown(task)));
        TRY(checkKeys(task, "task.", kTaskKeys));
        for (const auto& key : {"type", "index"})
            if (!task.has(key))
                return bad(
                    fmt::format("When `cluster_spec` is given, you must also specify "
                                "`task_type` and `task_id`: \"task.{}\" is missing",
                                key));
        task_.role = task.get<std::string>("type").value_or(shown(*task.find("type")));
        if (task_.role == "ps")
            return bad(
                "this task is a parameter server (\"ps\"), but training is synchronous: "
                "every process holds all weights and none serves them",
                "Start this process as a worker, or do not start it.");
        if (std::find(kRoles.begin(), kRoles.end(), task_.role) == kRoles.end())
            return bad(fmt::format("Unrecognized task_type: '{}', valid task types are: {}{}",
                                   sanitizeLine(task_.role, 60), joinWords(kRoles),
                                   meant(task_.role, kRoles)));
        return readIndex(*task.find("index"));
    }

    Result<void> readIndex(const Json& value) {
        auto index = value.as<std::int64_t>();
        if (const auto text = value.as<std::string>()) index = wholeNumber(trimmed(*text));
        if (!index || *index < 0)
            return bad(
                fmt::format("task.index is {}, but must be a whole number from 0", shown(value)));
        task_.index = static_cast<std::size_t>(*index);
        const std::size_t tasks = count(task_.role);
        // An evaluator need not be in the cluster: it is a cluster of its own.
        if (tasks == 0 && task_.role != "evaluator")
            return bad(
                fmt::format("`task_type` '{}' not found in cluster_spec.", task_.role),
                fmt::format("Add \"{}\" to \"cluster\", or correct the task's type.", task_.role));
        const std::size_t last = std::max<std::size_t>(tasks, 1) - 1;
        if (task_.index > last)
            return bad(fmt::format("The `task_id` {} exceeds the maximum id of {}.", task_.index,
                                   task_.role),
                       fmt::format("Ids of {} go from 0 to {}; add the missing address to "
                                   "\"cluster\", or correct task.index.",
                                   task_.role, last));
        return {};
    }

    template <typename T>
    Said<T> said(T value) const {
        return Sourced<T>{std::move(value), origin_};
    }

    Result<ClusterFacts> facts() const {
        std::vector<Address> addresses;
        for (const auto& role : {"chief", "worker"})
            if (const auto found = cluster_.find(role); found != cluster_.end())
                addresses.insert(addresses.end(), found->second.begin(), found->second.end());
        ClusterFacts facts;
        const bool evaluates = task_.role == "evaluator";
        if (addresses.empty() && count("evaluator") == 0)
            return bad("No `worker`, `chief` or `evaluator` tasks can be found in `cluster_spec`.");
        if (addresses.empty())
            return bad("\"cluster\" has an evaluator alone, and nothing that trains for it",
                       "Add the training processes under \"worker\".");
        const std::size_t id = task_.role == "worker" ? task_.index + count("chief") : 0;
        facts.numProcesses = said(static_cast<int>(addresses.size()));
        facts.jobAddresses = said(std::move(addresses));
        facts.role = said(evaluates ? ProcessRole::Evaluator : ProcessRole::Worker);
        facts.processId = said(static_cast<int>(id));
        if (evaluates || count("evaluator") > 0) facts.evaluator = said(true);
        if (count("evaluator") > 0) facts.evaluatorAddress = said(cluster_.at("evaluator").front());
        return facts;
    }

    Origin origin_;
    std::map<std::string, std::vector<Address>> cluster_;
    Task task_;
};

std::string counted(std::size_t count, std::string_view role) {
    const std::string_view article = role == "evaluator" ? "an" : "a";
    return count == 1 ? fmt::format("{} {}", article, role) : fmt::format("{} {}s", count, role);
}

}  // namespace

Result<ClusterFacts> readTfConfig(std::string_view json, const Origin& origin) {
    auto facts = Reader(origin).read(json);
    if (!facts) return failWithin(origin.name, std::move(facts).error());
    return facts;
}

std::string TfConfigRoles::list() const {
    Names roles;
    if (chiefs > 0) roles.push_back(counted(chiefs, "chief"));
    if (workers > 0) roles.push_back(counted(workers, "worker"));
    if (evaluators > 0) roles.push_back(counted(evaluators, "evaluator"));
    return joinWords(roles);
}

std::optional<TfConfigRoles> tfConfigRoles(std::string_view json) {
    Reader reader({});
    const auto facts = reader.read(json);
    if (!facts || !facts->numProcesses) return std::nullopt;
    return TfConfigRoles{reader.count("chief"), reader.count("worker"), reader.count("evaluator"),
                         reader.task()};
}

}  // namespace lockstep::config
