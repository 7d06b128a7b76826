// Rules for names and endpoints. A name has only characters that need no quoting in a file name, a log line and an
// identifier such as das-0/alice/17.
#include "topologies/text_rules.hpp"

#include <algorithm>
#include <string_view>

#include "keys/endpoint_key.hpp"
#include "protocol/host_port.hpp"

namespace dmm {

namespace {

/// The port behind the last colon, or 0.
unsigned port_of(const std::string& address) {
  const auto place = parse_host_and_port(address);
  return place ? place->port : 0;
}

/// The number of letters that were added, left out, replaced, or swapped with the next one.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({replaced, table[i - 1][j] + 1, table[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::string fault_of_name(const std::string& name, std::size_t length_max) {
  if (is_name(name, length_max)) return {};
  return "\"" + name.substr(0, 60) + "\" is not a name; expected 1 to " + std::to_string(length_max) +
         " of a-z, 0-9, '_', '.' and '-', beginning with a letter or a digit";
}

std::string fault_of_node_name(const std::string& name) {
  constexpr std::size_t length_max = 64;
  const auto may = [](char c) {
    const bool is_punctuation = c == '_' || c == '.' || c == '-';
    return is_punctuation || (c >= 'A' && c <= 'Z') || is_name(std::string_view(&c, 1));
  };
  if (!name.empty() && name.size() <= length_max && std::ranges::all_of(name, may)) return {};
  return "\"" + name.substr(0, 60) + "\" is not the name of a node; expected 1 to " + std::to_string(length_max) +
         " letters, digits, '_', '.' and '-'";
}

std::string fault_of_account(const std::string& name) {
  constexpr std::size_t length_max = 255;
  const auto may = [](char c) { return c > ' ' && c != ':' && c != '/' && c != '\x7f'; };
  if (!name.empty() && name.size() <= length_max && std::ranges::all_of(name, may)) return {};
  return "\"" + name.substr(0, 60) +
         "\" is not an account; expected the name of an account of this host, as `id -un` tells it";
}

std::string fault_of_job_account(const std::string& name) {
  if (name == "root") return "\"root\" may do everything; expected an account without privileges";
  return fault_of_account(name);
}

std::string fault_of_listen(const std::string& endpoint) {
  if (endpoint.starts_with("ipc://")) {
    const std::size_t length = endpoint.size() - 6;
    if (length == 0) return "\"ipc://\" names no path; expected ipc://path";
    if (length <= socket_path_length_max) return {};
    return "\"" + endpoint + "\": the path of a socket has at most " + std::to_string(socket_path_length_max) +
           " bytes, this one has " + std::to_string(length) + "; use a shorter directory";
  }
  if (endpoint.starts_with("tcp://") && port_of(endpoint.substr(6)) != 0) return {};
  return "\"" + endpoint.substr(0, 200) +
         "\" is not an endpoint; expected ipc://path or tcp://host:port with a port from 1 to 65535";
}

std::string fault_of_address(const std::string& address) {
  const auto is_possible = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '.' || letter == '-';
  };
  if (address.size() <= 253 && std::ranges::all_of(address, is_possible)) return {};
  return "expected the name or IPv4 address of a host, found \"" + address + '"';
}

std::string fault_of_folder(const std::string& path) {
  if (path.empty() || path.starts_with('/')) return {};
  return "expected an absolute path, found \"" + path + '"';
}

std::string fault_of_key(const std::string& key) {
  if (parse_key<SiteKey>(key)) return {};
  return "\"" + key.substr(0, 60) + "\" is not a key; expected " + std::to_string(key_letters) +
         " letters, as `dmm keys` prints them";
}

std::string fault_of_connect(const std::string& endpoint) {
  const auto [place, key] = place_and_key(endpoint);
  if (std::string fault = fault_of_place(place); !fault.empty() || !place.starts_with("tcp://") || key)
    return fault;
  return "\"" + endpoint.substr(0, 200) +
         "\" doesn't name the key of its far end; expected tcp://host:port#KEY, as its "
         "`dmm keys` prints it";
}

std::string fault_of_place(const std::string& endpoint) {
  if (endpoint.starts_with("tcp://*:"))
    return "\"" + endpoint + "\" can be listened on, but not connected to; expected the name or address of a host";
  return fault_of_listen(endpoint);
}

std::string suggestion(const std::string& word, const std::vector<std::string>& words) {
  if (word.size() > 64) return {};
  const std::string* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3 + 1);  // a larger distance is no typing error
  for (const std::string& candidate : words) {
    const bool longer = word.size() >= 3 && candidate.starts_with(word);  // "matchmaking_cycle" without its unit
    const std::size_t distance = longer ? 1 : edit_distance(word, candidate);
    if (distance >= least || distance >= candidate.size()) continue;
    least = distance;
    nearest = &candidate;
  }
  return nearest == nullptr ? std::string() : " (did you mean \"" + *nearest + "\"?)";
}

std::string list_of(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "\"" : ", \"") + word + "\"";
  return all;
}

}  // namespace dmm
