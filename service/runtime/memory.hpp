// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace valle::service::runtime {

/// Few pools of memory for all threads, so that what one frees another can use. Once, before any thread is started.
void share_memory_pools();

/// Gives freed memory back to the system. Milliseconds; from any thread.
void give_back_memory();

}  // namespace valle::service::runtime
