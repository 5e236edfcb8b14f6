// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/length_keys.h"

namespace lockstep::config {

std::vector<Key<JobSpec>> lengthKeys() {
    using Spec = JobSpec;
    return {
        named("training.epochs", "epochs", "How often the training set is gone through.",
              integerKey<Spec>(at<&Spec::training, &TrainingSpec::epochs>, {1, 1'000'000})),
        named("training.steps", "steps",
              "Training ends after so many steps instead of epochs; 0: after the epochs.",
              integerKey<Spec>(at<&Spec::training, &TrainingSpec::steps>, {0, 1e12})),
        named("training.evaluate_every_steps", "steps",
              "Validation, early stopping and the like come after so many steps, which figures "
              "then count as an epoch; 0: after each time through the training set.",
              integerKey<Spec>(at<&Spec::training, &TrainingSpec::evaluateEverySteps>, {0, 1e12})),
        named("training.gradient_accumulation_steps", "parts",
              "A step's samples are computed in so many parts, one after the other, for one "
              "update: less memory, the same gradient. Batch normalisations see a part at a time.",
              integerKey<Spec>(at<&Spec::training, &TrainingSpec::gradientAccumulationSteps>,
                               {1, 1 << 16})),
        named("training.use_ema", "",
              "A moving average of the weights is kept, as Keras does: validation, checkpoints, "
              "the evaluator and exported files use it; training goes on with the weights.",
              flagKey<Spec>(at<&Spec::training, &TrainingSpec::average, &AverageSpec::isUsed>)),
        named("training.ema_momentum", "",
              "What of the average stays at each step; the rest is the weights'.",
              numberKey<Spec>(at<&Spec::training, &TrainingSpec::average, &AverageSpec::momentum>,
                              {0, 1, false, false})),
    };
}

}  // namespace lockstep::config
