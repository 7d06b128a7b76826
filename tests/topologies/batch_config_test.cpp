// The configuration of a batch manager: what it must have, and the text of each fault.
#include <doctest/doctest.h>

#include <algorithm>

#include "topologies/daemon_config.hpp"

namespace dmm::batch_config_test {
namespace {

/// The fault of a sound configuration with these keys added or replaced; or "none".
std::string fault(const std::string& keys, const std::string& without = "") {
  std::string text =
      "{'site': 'alpha', 'name': 'slurm', 'system': 'slurm', 'cluster': 'nodes', 'sitemgr': "
      "'ipc:///run/alpha.ipc', "
      "'node_endpoint': 'tcp://head:7700', 'node_folder': '/var/lib/dmm', 'listen': ['ipc:///run/batch.ipc'], "
      "'directory': '/var/lib/batch'";
  if (!without.empty()) {
    const std::size_t at = text.find("'" + without + "'");
    text.erase(at, text.find(", '", at) + 2 - at);
  }
  text += (keys.empty() ? "" : ", ") + keys + "}";
  std::ranges::replace(text, '\'', '"');
  const auto read = parse_batch_manager_config(text, "b.json");
  return std::holds_alternative<ConfigError>(read) ? std::get<ConfigError>(read).text : std::string("none");
}

}  // namespace

TEST_CASE("batch config: it is read, and reads back equal") {
  CHECK(fault("") == "none");
  CHECK(fault("'reserve': 2, 'nodes_max': 8, 'hours': '20:00-06:00', 'features': ['gpu'], 'grace_seconds': 2.5, "
              "'node_settings': ['accounts.first_uid=70000']") == "none");
  CHECK(fault("'borrow': {'from': ['beta/nodes'], 'trust': 'full', 'jobmgr': 'ipc:///run/j.ipc', "
              "'slurm_conf': '/etc/slurm/slurm.conf', 'munge_key': '/etc/munge/munge.key'}") == "none");
}

TEST_CASE("batch config: a key that is missing or makes no sense is named") {
  CHECK(fault("", "sitemgr").find("sitemgr") != std::string::npos);
  CHECK(fault("'hours': 'at night'") == "b.json: hours: expected hours as in \"20:00-06:00\", found \"at night\"");
  CHECK(fault("'node_settings': ['reserve']") ==
        "b.json: node_settings[0]: expected KEY=VALUE, found \"reserve\"");
  CHECK(fault("'grace_seconds': 9").starts_with("b.json: grace_seconds: "));
  CHECK(fault("'programs': '/etc/dmm'") == "b.json: programs: only system \"script\" has programs");
  CHECK(fault("'system': 'lsf'", "system").starts_with("b.json: system: "));
  CHECK(fault("'system': 'script'", "system") ==
        "b.json: programs: expected the folder with the programs look, hold, recall and withdraw");
}

TEST_CASE("batch config: nodes are borrowed only with full trust, said in words") {
  CHECK(fault("'borrow': {'from': ['beta/nodes'], 'jobmgr': 'ipc:///run/j.ipc', 'slurm_conf': '/s', "
              "'munge_key': '/m'}") ==
        "b.json: borrow.trust: root of each of these sites can act as root of this cluster; expected \"full\"");
  CHECK(fault("'borrow': {'from': ['beta'], 'trust': 'full'}") ==
        "b.json: borrow.from[0]: expected SITE/CLUSTER, found \"beta\"");
  CHECK(fault("'borrow': {'from': ['beta/nodes'], 'trust': 'full', 'jobmgr': 'ipc:///run/j.ipc', 'slurm_conf': "
              "'/s'}") == "b.json: borrow.munge_key: it is missing, and nothing can be borrowed without it");
}

}  // namespace dmm::batch_config_test
