// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/estimate.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace valle::scheduler {
namespace {

// FNV-1a over 128 bits: equal texts must meet, a chance collision must not happen, nobody is kept out by it.
__extension__ typedef unsigned __int128 Hash;
constexpr Hash wide(std::uint64_t high, std::uint64_t low) { return Hash{high} << 64 | low; }
constexpr Hash k_basis = wide(0x6c62272e07bb0142, 0x62b821756295c58d);
constexpr Hash k_prime = wide(0x0000000001000000, 0x000000000000013b);

class Digest {
 public:
  /// With its length, so that no two lists of texts run together into the same bytes.
  void add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    for (const char c : text) byte(static_cast<unsigned char>(c));
  }
  void add(std::int64_t number) {
    for (int shift = 0; shift < 64; shift += 8) byte(static_cast<unsigned char>(number >> shift & 0xff));
  }
  [[nodiscard]] std::string text() const {
    constexpr std::string_view k_digits = "0123456789abcdef";
    std::string text(32, '0');
    for (std::size_t i = 0; i < text.size(); ++i) {
      text[i] = k_digits[static_cast<std::size_t>(hash_ >> (124 - 4 * i) & 0xf)];
    }
    return text;
  }

 private:
  void byte(unsigned char value) { hash_ = (hash_ ^ value) * k_prime; }
  Hash hash_ = k_basis;
};

enum class Images { with_tags, without_tags };

std::string digest_of(std::span<const ContainerShape> containers, Images images) {
  Digest digest;
  digest.add(static_cast<std::int64_t>(containers.size()));
  for (const auto& container : containers) {
    digest.add(images == Images::with_tags ? std::string_view{container.image} : image_without_tag(container.image));
    digest.add(static_cast<std::int64_t>(container.command.size()));
    for (const auto& word : container.command) digest.add(word);
  }
  return digest.text();
}

std::string digest_of(std::span<const JobSignature> pods, std::string JobSignature::*which,
                      std::span<const ResourceDemand> demand, std::string_view board_model) {
  Digest digest;
  digest.add(static_cast<std::int64_t>(pods.size()));
  for (const auto& each : pods) digest.add(each.*which);
  std::map<std::string_view, std::int64_t> amounts;
  for (const auto& each : demand) amounts[each.resource] += each.amount.base();
  for (const auto& [resource, amount] : amounts) {
    digest.add(resource);
    digest.add(amount);
  }
  digest.add(board_model);
  return digest.text();
}

/// The smallest value that at least `percent` of 100 of the sorted values don't exceed.
template <class T>
T percentile(const std::vector<T>& sorted, std::size_t percent) {
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

template <class T>
Spread<T> spread_of(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return {percentile(values, 10), percentile(values, 50), percentile(values, 90)};
}

std::int64_t count_of(Duration duration) { return duration.count(); }
std::int64_t count_of(Energy energy) { return energy.base(); }

/// `values`: the newest first.
template <class T>
bool has_drifted(const std::vector<T>& values, std::size_t newest) {
  if (newest == 0 || values.size() < 2 * newest) return false;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(newest);
  std::vector<T> late{values.begin(), middle};
  std::vector<T> early{middle, values.end()};
  std::sort(late.begin(), late.end());
  std::sort(early.begin(), early.end());
  if (!(late.front() > early.back() || late.back() < early.front())) return false;
  const Wide before = count_of(percentile(early, 50));
  const Wide apart = Wide{count_of(percentile(late, 50))} - before;
  return (apart < 0 ? -apart : apart) * 10 > before;
}

/// The newest alone where they have drifted. Returns whether they have.
template <class T>
bool keep_what_holds(std::vector<T>& newest_first, std::size_t newest) {
  if (!has_drifted(newest_first, newest)) return false;
  newest_first.resize(newest);
  return true;
}

constexpr std::array k_boundaries{EnergyBoundary::job, EnergyBoundary::wall, EnergyBoundary::node,
                                  EnergyBoundary::board, EnergyBoundary::pod};

}  // namespace

std::string_view image_without_tag(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const auto slash = image.rfind('/');
  const auto colon = image.rfind(':');
  const bool tagged = colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return tagged ? image.substr(0, colon) : image;
}

JobSignature signature_of(std::span<const ContainerShape> containers) {
  return {digest_of(containers, Images::with_tags), digest_of(containers, Images::without_tags)};
}

JobSignature signature_of(std::span<const JobSignature> pods, std::span<const ResourceDemand> demand,
                          std::string_view board_model) {
  return {digest_of(pods, &JobSignature::exact, demand, board_model),
          digest_of(pods, &JobSignature::family, demand, board_model)};
}

bool teaches(const EnergyFigure& figure) {
  constexpr std::int64_t k_whole = 950'000;  // ppm; what is not covered is not in the energy
  return figure.quality != EnergyQuality::unknown && figure.energy > Energy{} && figure.complete &&
         figure.coverage.base() >= k_whole &&
         std::none_of(figure.notes.begin(), figure.notes.end(),
                      [](const auto& note) { return note.starts_with(k_not_for_estimates); });
}

std::optional<LearnedEstimate> learn(std::vector<PastRun> runs, const LearningRules& rules) {
  std::erase_if(runs, [](const PastRun& run) { return run.run_time <= Duration{0}; });
  std::stable_sort(runs.begin(), runs.end(),
                   [](const PastRun& a, const PastRun& b) { return a.finished > b.finished; });
  if (runs.size() > rules.most_runs) runs.resize(rules.most_runs);
  if (runs.empty() || runs.size() < rules.fewest_runs) return {};

  LearnedEstimate learned;
  std::vector<Duration> times;
  for (const auto& run : runs) times.push_back(run.run_time);
  learned.drifted = keep_what_holds(times, rules.newest);
  learned.runs = times.size();
  learned.run_time = spread_of(times);
  std::sort(times.begin(), times.end());
  learned.planned_run_time = percentile(times, 80);

  for (const auto boundary : k_boundaries) {
    std::vector<Energy> energies;
    for (const auto& run : runs) {
      for (const auto& reading : run.energy) {
        if (reading.boundary == boundary) energies.push_back(reading.energy);
      }
    }
    if (energies.empty() || energies.size() < rules.fewest_runs) continue;
    const bool drifted = keep_what_holds(energies, rules.newest);
    learned.energy.push_back({boundary, energies.size(), spread_of(energies), drifted});
  }
  return learned;
}

const LearnedEstimate::OfBoundary* planned_energy(const LearnedEstimate& learned, bool has_boards) {
  for (const auto& each : learned.energy) {  // in the order of k_boundaries
    const bool of_boards = each.boundary == EnergyBoundary::board;
    if (of_boards && !has_boards) continue;
    // A job that computes on boards uses little in its pods' processors: that alone is not its energy.
    if (each.boundary == EnergyBoundary::pod && has_boards) continue;
    return &each;
  }
  return nullptr;
}

}  // namespace valle::scheduler
