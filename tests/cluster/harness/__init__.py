# SPDX-License-Identifier: Apache-2.0
"""A real control plane for the tests: etcd, kube-apiserver, its controllers and scheduler, kwok, Kueue and valle."""
