# SPDX-License-Identifier: Apache-2.0
# Every foreign package is found here and nowhere else; docs/DEPENDENCIES.md says why each is there.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(cpprestsdk REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(date REQUIRED)
find_package(tl-expected REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(yaml-cpp REQUIRED)
