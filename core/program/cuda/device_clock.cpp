// SPDX-License-Identifier: Apache-2.0
#include "core/program/cuda/device_clock.h"

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/tensor/cuda/cuda_error.h"

namespace lockstep::program {

using tensor::cuda::check;

Result<void> DeviceClock::mark(cudaStream_t stream) {
    if (marked_ == marks_.size()) {
        cudaEvent_t event = nullptr;
        TRY(check(cudaEventCreate(&event), "making an event"));
        marks_.emplace_back(event);
    }
    return check(cudaEventRecord(marks_[marked_++].get(), stream), "marking");
}

Result<void> DeviceClock::addTo(std::vector<Nanos>& times) {
    LS_CHECK(marked_ == times.size() + 1, "a mark before and behind each instruction");
    TRY(check(cudaEventSynchronize(marks_[marked_ - 1].get()), "computing"));
    for (std::size_t i = 0; i < times.size(); ++i) {
        float milliseconds = 0;
        TRY(check(cudaEventElapsedTime(&milliseconds, marks_[i].get(), marks_[i + 1].get()),
                  "measuring"));
        times[i] += std::chrono::duration_cast<Nanos>(
            std::chrono::duration<double, std::milli>(milliseconds));
    }
    marked_ = 0;
    return {};
}

}  // namespace lockstep::program
