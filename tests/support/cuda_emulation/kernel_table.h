// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// The kernels of the module, compiled for the processor, by a part of the names that CUDA's
// compiler gives them.
namespace cuda_emulation {

/// One thread of a launch, with the arguments of that launch.
using ThreadBody = std::function<void()>;

struct Kernel {
    std::string_view name;
    bool waits;  ///< Its threads wait for each other.
    ThreadBody (*bind)(void** arguments);
    /// The words of the arguments, in which pointers are looked for.
    std::vector<const void*> (*words)(void** arguments);
};

template <typename... P, std::size_t... I>
ThreadBody bindTo(void (*kernel)(P...), void** arguments, std::index_sequence<I...>) {
    return [kernel, values = std::tuple<P...>(*static_cast<P*>(arguments[I])...)] {
        std::apply(kernel, values);
    };
}
template <auto kKernel>
ThreadBody bind(void** arguments) {
    return [&]<typename... P>(void (*kernel)(P...)) {
        return bindTo(kernel, arguments, std::index_sequence_for<P...>());
    }(kKernel);
}

template <typename P>
void addWords(const void* argument, std::vector<const void*>& words) {
    if constexpr (std::is_pointer_v<P> || std::is_class_v<P>)
        for (std::size_t i = 0; i < sizeof(P) / sizeof(void*); ++i)
            words.push_back(static_cast<const void* const*>(argument)[i]);
}
template <auto kKernel>
std::vector<const void*> words(void** arguments) {
    std::vector<const void*> found;
    [&]<typename... P>(void (*)(P...)) {
        [[maybe_unused]] std::size_t i = 0;
        (addWords<P>(arguments[i++], found), ...);
    }(kKernel);
    return found;
}

/// The kernels of all sources.
[[nodiscard]] inline __attribute__((visibility("hidden"))) std::vector<Kernel>& kernelTable() {
    static std::vector<Kernel> table;
    return table;
}

/// Adds a source's kernels while the library is loaded, which is before the module that has them.
struct KernelRegistration {
    explicit KernelRegistration(std::span<const Kernel> kernels) {
        kernelTable().insert(kernelTable().end(), kernels.begin(), kernels.end());
    }
};

}  // namespace cuda_emulation
