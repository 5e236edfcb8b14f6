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
    const bool half = program.precision == Precision::BFloat16;
    double sum = 0;
    for (std::size_t i = 0; i < program.layers.size(); ++i) {
        const EngineLayer& layer = program.layers[i];
        const bool last = i + 1 == program.layers.size();
        for (const Product product :
             {Product::Forward, Product::WeightGradient, Product::InputGradient}) {
            if (product == Product::InputGradient && i == 0) continue;
            const bool wide =
                product == Product::WeightGradient || (product == Product::Forward && last);
            const auto seconds = TRY(products->bestSeconds(
                {product, rows, layer.inputs, layer.units, Epilogue::None, program.precision,
                 half && !wide ? Element::BFloat16 : Element::Float32}));
            sum += seconds;
        }
    }
    return sum;
}

}  // namespace lockstep::tensor::cuda
