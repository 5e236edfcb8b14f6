// SPDX-License-Identifier: Apache-2.0
// [distribution]: how it is read and written, every mistake in it, and the price that lint tells.
#include "core/config/job/mesh.h"
#include "tests/core/config/bad_jobs.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

/// Two dense layers of 64 and 10 on 784 inputs, on so many processes.
std::string job(int processes, const std::string& distribution, const std::string& more = {}) {
    std::string addresses;
    for (int i = 0; i < processes; ++i)
        addresses += "\"127.0.0.1:0\", ";
    return "[cluster]\njob_addresses = [" + addresses + "]\nevaluator = false\n" +
           "[data]\ndataset = \"digits\"\n" + more +
           "[model]\nlayers = [{ units = 64, activation = \"relu\" }, { units = 10 }]\n"
           "[training]\nglobal_batch_size = 32\n[distribution]\n" +
           distribution;
}

std::vector<Bad> mistakes() {
    return {
        {"more places than replicas",
         job(2, "mesh = { batch = 2, model = 2 }\nlayout = \"megatron\"\n"), "job.toml:11:18",
         kError, "distribution.mesh.batch",
         "distribution.mesh has 2 x 2, 4 places, but the job has 2 replicas",
         "Use a mesh.model that divides 2, one of 1, 2, and leave mesh.batch out; or 4 processes."},
        {"columns that do not divide", job(3, "mesh = { model = 2 }\nlayout = \"megatron\"\n"),
         "job.toml:11:18", kError, "distribution.mesh.model",
         "distribution.mesh has 2 columns, but the job has 3 replicas",
         "Use a mesh.model that divides 3, one of 1, 3, and leave mesh.batch out; or 4 processes."},
        {"no such key", job(1, "mesh = { rows = 2 }\n"), "job.toml:11:10", kError,
         "distribution.mesh.rows", "there is no key \"distribution.mesh.rows\"", ""},
        {"a mistyped preset", job(1, "layout = \"megatorn\"\n"), "job.toml:11:10", kError,
         "distribution.layout",
         "distribution.layout is \"megatorn\", but must be \"megatron\" or a table of tensor "
         "names, did you mean megatron?",
         "Write layout = \"megatron\", or"},
        {"a mistyped word", job(1, "layout = { \"layers.0.weight\" = \"outs\" }\n"),
         "job.toml:11:32", kError, "distribution.layout",
         "distribution.layout has \"layers.0.weight\" = \"outs\", but a tensor is cut along one of "
         "out, in, heads, vocabulary, features and whole, did you mean out?",
         "Write layout = \"megatron\", or"},
        {"a layout without a mesh", job(1, "layout = \"megatron\"\n"), "job.toml:11:10", kWarning,
         "distribution.layout",
         "distribution.layout changes nothing: distribution.mesh.model is 1, so every replica has "
         "all tensors",
         "Set distribution.mesh.model"},
        {"a size that does not divide",
         job(4, "mesh = { model = 4 }\nlayout = { \"layers.1.weight\" = \"out\" }\n"),
         "job.toml:12:10", kError, "distribution.layout",
         "distribution.layout: \"layers.1.weight\" = \"out\": layers.1.weight has 10 outputs, "
         "which 4 processes cannot share",
         "8 or 12 outputs would divide, or mesh.model as one of 1, 2, 5, 10."},
    };
}

std::vector<std::string> messagesOf(const std::string& text) {
    std::vector<std::string> messages;
    const auto document = parsed(text);
    for (const Finding& finding : document.findings())
        messages.push_back(finding.message);
    return messages;
}

bool isSaid(const std::string& text, const std::string& sentence) {
    const auto messages = messagesOf(text);
    if (std::ranges::count(messages, sentence) == 1) return true;
    for (const std::string& message : messages)
        qWarning("said: %s", message.c_str());
    return false;
}

}  // namespace

class MeshKeysTest : public QObject {
    Q_OBJECT
private slots:
    void everyMistakeIsNamedOnceWithPlaceAndRemedy_data() { addRows(mistakes()); }
    void everyMistakeIsNamedOnceWithPlaceAndRemedy() {
        QFETCH(int, index);
        checkNamedOnce(mistakes()[static_cast<std::size_t>(index)]);
    }

    void aMeshIsReadAndItsRowsFollowFromTheReplicas() {
        const auto document =
            parsed(job(4, "mesh = { model = 2 }\nlayout = { \"layers.0.weight\" = \"out\" }\n"));
        const JobSpec spec = document.checked().value();
        QVERIFY(isModelParallel(spec));
        QCOMPARE(batchReplicas(spec), 2);
        QCOMPARE(spec.distribution.layout,
                 (std::vector<model::LayoutRule>{{"layers.0.weight", "out"}}));
        QVERIFY(!isModelParallel(parsed(job(4, "")).checked().value()));
        QCOMPARE(batchReplicas(parsed(job(4, "")).checked().value()), 4);
    }

    void thePriceIsToldBeforeTheLaunch() {
        QVERIFY(isSaid(
            job(2, "mesh = { model = 2 }\nlayout = \"megatron\"\n"),
            "each of 2 columns holds 25450 of 50890 parameters, with gradients and the optimiser's "
            "state 397.7 KiB instead of 795.2 KiB; in a step it sends 1.2 KiB to the others of its "
            "row, in 1 exchange"));
    }

    /// Four members send half of what each would send to all: between hosts, and where sums are so
    /// large that a second round is worth it.
    void sumsOfMoreThanTwoGoByPiecesOverANetwork() {
        const auto text = [](int batch, const std::string& transport) {
            std::string job4 = job(4,
                                   "mesh = { model = 4 }\nlayout = { \"layers.0.weight\" = "
                                   "\"in\" }\n");
            const std::string size = "global_batch_size = 32\n";
            job4.replace(job4.find(size), size.size(),
                         "global_batch_size = " + std::to_string(batch) + "\n");
            job4.replace(job4.find("[cluster]\n"), 10, "[cluster]\n" + transport);
            return job4;
        };
        const auto sent = [&](int batch, const std::string& transport) {
            const auto messages = messagesOf(text(batch, transport));
            const auto found = std::ranges::find_if(messages, [](const std::string& one) {
                return one.find("in a step it sends ") != std::string::npos;
            });
            if (found == messages.end()) return std::string("nothing");
            const std::size_t begin = found->find("in a step it sends ") + 19;
            return found->substr(begin, found->find(" to the others", begin) - begin);
        };
        const std::string gloo = "transport = \"gloo\"\n";
        qInfo("%s, %s, %s, %s", sent(32, "").c_str(), sent(32, gloo).c_str(),
              sent(4096, "").c_str(), sent(4096, gloo).c_str());
        QCOMPARE(sent(32, gloo), sent(32, ""));
        const double whole = std::stod(sent(4096, ""));
        QVERIFY(std::abs(std::stod(sent(4096, gloo)) / whole - 0.5) < 0.01);
    }

    /// Not those of a replica, of which the row has four.
    void aStepIsComputedInAsManyPartsAsARowHasSamples() {
        std::string text =
            job(4, "mesh = { model = 4 }\nlayout = { \"layers.0.weight\" = \"out\" }\n");
        const std::string batch = "global_batch_size = 32\n";
        text.insert(text.find(batch) + batch.size(), "gradient_accumulation_steps = 16\n");
        const auto messages = messagesOf(text);
        QVERIFY(std::ranges::none_of(messages, [](const std::string& message) {
            return message.find("gradient_accumulation_steps is 16") != std::string::npos;
        }));
        QVERIFY(std::ranges::any_of(messages, [](const std::string& message) {
            return message.ends_with("to the others of its row, in 16 exchanges");
        }));
    }

    void aProgramOfOnesOwnKnowsNothingOfAMesh() {
        const std::string text =
            "[cluster]\njob_addresses = [\"127.0.0.1:0\", \"127.0.0.1:0\"]\n"
            "[launch]\ncommand = [\"true\"]\n"
            "[distribution]\nmesh = { model = 2 }\nlayout = \"megatron\"\n";
        for (const char* key : {"distribution.mesh.model", "distribution.layout"})
            QVERIFY(isSaid(text, key + std::string(" is given, but launch.command trains, which "
                                                   "does not see it")));
    }

    void whatAMeshDoesNotGoWithIsRefused() {
        const std::string mesh = "mesh = { model = 2 }\nlayout = \"megatron\"\n";
        QVERIFY(isSaid(job(2, mesh, "auto_shard = \"off\"\n"),
                       "data.auto_shard gives every process samples of its own, but those of a "
                       "mesh's row must see the same ones"));
        QVERIFY(isSaid(job(2, "mesh = { model = 2 }\n"),
                       "distribution.mesh.model is 2, but there is no distribution.layout: the "
                       "replicas of a row do the same work"));
        QVERIFY(isSaid(job(2, "mesh = { model = 2 }\nlayout = { \"layer.0\" = \"out\" }\n"),
                       "distribution.layout: no tensor is called as layer.0"));
    }
};

QTEST_GUILESS_MAIN(MeshKeysTest)
#include "tst_mesh_keys.moc"
