// SPDX-License-Identifier: Apache-2.0
#include "k8s/api/object_meta.hpp"
