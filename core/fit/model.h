// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/fit/callback.h"
#include "core/fit/dataset.h"
#include "core/fit/history.h"
#include "core/fit/named.h"

namespace lockstep::train {
class Predictor;
}

namespace lockstep::fit {

/// What fit() is told.
struct FitOptions {
    /// Scored at the end of each epoch: all its samples. Its order and batches change no score.
    std::optional<Dataset> validation{};
    /// Of this call; with `resume` all of the run's.
    int epochs = 1;
    std::vector<std::shared_ptr<Callback>> callbacks{};
    /// Of the run, on a file system that all processes share: its data, checkpoints, journal, event
    /// files and summary come to lie there. Empty: `runs/<name>-<utc time>`. Process 0's counts.
    std::filesystem::path runFolder{};
    bool resume = false;       ///< Goes on with the run that `runFolder` holds, on the same data.
    std::string name = "fit";  ///< Of the run.
    std::optional<std::uint64_t> seed{};  ///< Below 2^63. Absent: the replicas agree on one.
    /// Any key of [checkpoint], [early_stopping] and [log], and cluster.device and
    /// cluster.transport, as the job file has them: what Keras' callbacks of these names do.
    /// `{{"early_stopping.monitor", "validation_loss"}, {"log.csv", true}}`
    std::vector<Option> settings{};
};

/// A network that is trained, scored and asked from a program (keras.Model). Its weights lie in the
/// run's checkpoints, not in the object. Of one thread; can be moved.
class Model {
public:
    /// Layers one behind the other, or as their "name" and "input" options join them, by the names
    /// and options of model.layers. BadInput, naming the layer, where one is none.
    [[nodiscard]] static Result<Model> sequential(const std::vector<Layer>& layers);
    /// The [model] of a job file; all else in it is not read. NotFound, or BadInput with the place.
    [[nodiscard]] static Result<Model> fromJobFile(const std::filesystem::path& file);
    /// The network of a run, with its weights, compiled as the run was. fit() goes on with that
    /// run. NotFound where there is none.
    [[nodiscard]] static Result<Model> fromRun(const std::filesystem::path& run);

    Model(Model&&) noexcept;
    Model& operator=(Model&&) noexcept;
    ~Model();

    /// What fit() makes small, how, and what is measured besides: training.optimizer, training.loss
    /// ("auto" is what fits the targets) and training.metrics with their keys. May be called again
    /// before the next fit(). BadInput, as in a job file, for what does not fit together.
    [[nodiscard]] Result<void> compile(const Optimizer& optimizer = {"adam"},
                                       const Loss& loss = {"auto"},
                                       const std::vector<std::string>& metrics = {});

    /// Weights with which the first fit() begins: a safetensors file, such as a checkpoint's
    /// model.safetensors. BadInput where there are weights of a run already.
    [[nodiscard]] Result<void> loadWeights(const std::filesystem::path& file);

    /// Trains under the distribution in force (a strategy's scope()), as job::fit() does; the
    /// dataset's batch is the global one. Process 0 keeps the samples in the run's folder, from
    /// where all processes read them. All processes of a group call it alike, with the same data:
    /// BadInput in all of them where they differ. Called again it goes on with its run, on the same
    /// data, from where the training had come to: its last weights, also where the run then took
    /// those of its best epoch, and the state of the optimiser; early stopping counts anew. Errors
    /// else: those of job::fit(), and BadInput for a dataset that cannot be trained on (see
    /// trainingDataOf()) and a model that is not compiled. Blocks for as long as the training
    /// takes. (keras.Model.fit)
    [[nodiscard]] Result<History> fit(const Dataset& train, const FitOptions& options = {});

    /// "loss", "accuracy" and the metrics over all samples, with the weights that the run has come
    /// to, on all CPU devices of this process: what `lockstepctl evaluate` says of the same
    /// samples. NaN where a number is not known. How the dataset shuffles and batches, and whether
    /// it drops a remainder, changes nothing. BadInput before fit(), and for samples of another
    /// kind. (keras.Model.evaluate)
    [[nodiscard]] Result<std::map<std::string, double>> evaluate(const Dataset& data);

    /// What the last layer gives for each sample, in the order in which they were given to the
    /// dataset, or in which its last cache() keeps them: {samples, outputs} of float32, of classes
    /// the logits. Targets are not looked at. Errors as evaluate(). (keras.Model.predict)
    [[nodiscard]] Result<Tensor> predict(const Dataset& data);
    [[nodiscard]] Result<Tensor> predict(const Tensor& x);

    /// Of the newest fit(); empty before it.
    [[nodiscard]] const std::filesystem::path& runFolder() const { return runFolder_; }
    [[nodiscard]] const config::ModelSpec& spec() const { return job_.model; }

private:
    Model();
    [[nodiscard]] static Result<Model> ofToml(const std::string& section, const std::string& name);
    [[nodiscard]] Result<void> check(const FitOptions& options) const;
    [[nodiscard]] Result<config::JobSpec> prepare(const Dataset& train, const FitOptions& options,
                                                  job::FitOptions& run);
    [[nodiscard]] Result<train::Predictor*> predictor();

    config::JobSpec job_;  ///< Its model, and its training once compiled.
    bool isCompiled_ = false;
    std::filesystem::path runFolder_;
    int epochsDone_ = 0;  ///< In that run.
    std::unique_ptr<train::Predictor> predictor_;
};

}  // namespace lockstep::fit
