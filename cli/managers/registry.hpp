// The testbeds of this user on this machine: a folder each, under
// ${DMM_HOME:-${XDG_STATE_HOME:-~/.local/state}/dmm}, with the daemons' configurations, logs and process ids. What
// a command needs to know of a testbed stands there, so that `dmm testbed down NAME` works with nothing but the
// name, also after everything else went wrong.
//
//   testbeds/NAME/testbed.json   what was started, and where it listens
//   testbeds/NAME/processes      a line a daemon: its place in testbed.json, process id, start time
//   /tmp/dmm-UID/NAME-XXXX       a link to that folder: the path of a socket may have 107 bytes and no more
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/managers/processes.hpp"
#include "protocol/ids.hpp"
#include "protocol/outcome.hpp"

namespace dmm {

/// A manager of a testbed.
struct TestbedDaemon {
  Party party;
  std::string endpoint;
  std::string config_file;
  std::string log_file;
  ProcessKey process;  ///< id 0: never started
};

struct Testbed {
  std::string name;
  std::string folder;
  std::string short_path;  ///< the link to it
  std::string topology;    ///< the file
  double speedup = 1;
  std::string created;  ///< UTC
  ProcessKey creator;   ///< the command that started it
  bool owned = false;   ///< it ends with its creator
  std::vector<TestbedDaemon> daemons;

  std::string logs() const { return folder + "/logs"; }
};

/// What went wrong, for people.
struct RegistryFault {
  std::string text;
};

/// The folder of everything that dmm keeps for this user.
std::string home_folder();
/// Makes a folder of mode 0700, or looks at one that is there, which anybody may have made: why it isn't this user's
/// alone, or empty.
std::string make_private_folder(const std::string& folder);
/// Why what is in home_folder() can't be trusted, or empty: without a home it is in /tmp.
std::string fault_of_home();

/// Makes the testbed's folder and its short path, filling in both; a fault if one of that name is there. Holds a
/// lock on the registry meanwhile. What a dead testbed of that name left is removed first.
std::optional<RegistryFault> create_testbed(Testbed& testbed);
/// Writes testbed.json. Error text or empty.
std::string save_testbed(const Testbed& testbed);
/// Adds a started daemon to the file of processes.
std::string record_process(const Testbed& testbed, std::size_t daemon);

OrFault<Testbed, RegistryFault> load_testbed(const std::string& name);
/// All that are there, by name. Those whose files can't be read have no daemons.
std::vector<Testbed> all_testbeds();
/// How many of its daemons live.
std::size_t count_alive(const Testbed& testbed);

struct Removal {
  Ending daemons;
  std::size_t strays = 0;    ///< processes beyond the daemons that had to be killed
  std::size_t left = 0;      ///< processes that nothing ended
  std::string kept_logs;     ///< where the logs went; empty: nowhere
  std::string kept_outputs;  ///< where the jobs' output went; empty: there was none
  std::string fault;         ///< what could not be removed
};
/// Whether a testbed's files stay when it is removed.
struct Keeping {
  std::string logs_to = {};     ///< where its logs go; a folder that is there is replaced; empty: nowhere
  bool delete_outputs = false;  ///< else what its jobs wrote goes to outputs/NAME-DATE in the home folder
};
/// Ends everything of a testbed and removes its folder and its short path, but for what is to be kept.
Removal remove_testbed(const Testbed& testbed, const Keeping& keeping = {});

/// What is still there of a testbed that was removed: processes, sockets, folders; one line each.
std::vector<std::string> left_behind(const Testbed& testbed);

}  // namespace dmm
