// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockstep::tensor {

/// Before the first call of oneDNN in a process. On processors with AVX2 but without AVX-512 its
/// paths for AVX2 write beyond their arrays (2.6 ends programs by "double free or corruption") and
/// sum the rows of small batches in another order; there it is held to AVX, which does neither.
void holdLibraryToSoundInstructions();

}  // namespace lockstep::tensor
