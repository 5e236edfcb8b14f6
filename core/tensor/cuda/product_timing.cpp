// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/product_timing.h"

#include "core/base/try.h"
#include "core/tensor/cuda/cuda_error.h"
#include "core/tensor/cuda/lt_products.h"

namespace lockstep::tensor::cuda {

Result<double> productSeconds(int index, const EngineProgram& program, std::uint32_t rows) {
    if (auto chosen = check(cudaSetDevice(index), "being chosen"); !chosen)
        return fail(std::move(chosen).error());
    const auto products = TRY(LtProducts::make());
    double sum = 0;
    for (std::size_t i = 0; i < program.products.size(); ++i) {
        const EngineProduct& one = program.products[i];
        for (const Product product :
             {Product::Forward, Product::WeightGradient, Product::InputGradient}) {
            if (product == Product::InputGradient && i == 0) continue;
            sum += TRY(products->bestSeconds({product, rows * one.positions, one.inputs, one.units,
                                              Epilogue::None, program.precision}));
        }
    }
    return sum;
}

}  // namespace lockstep::tensor::cuda
