// The testbeds of this user on this machine. Each has a folder under ${DMM_HOME:-${XDG_STATE_HOME:-~/.local/state}/dmm}
// with the daemons' configurations, logs and process ids. Everything that a command needs is there, so `dmm testbed
// down NAME` needs only the name, even after everything else failed.
//
//   testbeds/NAME/testbed.json   what was started, and where it listens.
//   testbeds/NAME/processes      a line for each daemon: its place in testbed.json, process id, start time.
//   /tmp/dmm-UID/NAME-XXXX       a link to that folder: the path of a socket may have 107 bytes and no more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/managers/processes.hpp"
#include "protocol/ids.hpp"
#include "protocol/or_fault.hpp"

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
  std::string short_path;  ///< the short link to the folder
  std::string topology;    ///< the file
  double speedup = 1;
  std::string created;  ///< UTC
  ProcessKey creator;   ///< the command that started it
  bool owned = false;   ///< its daemons end with its creator
  std::vector<TestbedDaemon> daemons;

  std::string logs() const { return folder + "/logs"; }
};

/// What went wrong, for people.
struct RegistryFault {
  std::string text;
};

/// The folder of everything that dmm keeps for this user.
std::string home_folder();
/// Makes a folder of mode 0700, or checks an existing one, which another user may have made. Returns why the folder
/// isn't private to this user; empty if it is.
std::string make_private_folder(const std::string& folder);
/// Why home_folder() can't be trusted; empty if it can. Without a home directory it is in /tmp.
std::string fault_of_home();

/// Makes the testbed's folder and its short path, and fills in both. A fault if a living testbed has this name; the
/// remains of a dead one are removed first. Locks the registry meanwhile.
std::optional<RegistryFault> create_testbed(Testbed& testbed);
/// Writes testbed.json. Returns an error text, or empty.
std::string save_testbed(const Testbed& testbed);
/// Adds a started daemon to the file of processes.
std::string record_process(const Testbed& testbed, std::size_t daemon);

OrFault<Testbed, RegistryFault> load_testbed(const std::string& name);
/// All testbeds, by name. A testbed with unreadable files has no daemons.
std::vector<Testbed> all_testbeds();
/// How many of the testbed's daemons live.
std::size_t count_alive(const Testbed& testbed);

struct Removal {
  Ending daemons;
  std::size_t strays = 0;    ///< other processes of it that had to be killed
  std::size_t left = 0;      ///< processes that could not be ended
  std::string kept_logs;     ///< where the logs went; empty: nowhere
  std::string kept_outputs;  ///< where the jobs' output went; empty: there was none
  std::string fault;         ///< what could not be removed
};
/// Which files stay when a testbed is removed.
struct Keeping {
  std::string logs_to = {};     ///< where its logs go; an existing folder is replaced; empty: nowhere
  bool delete_outputs = false;  ///< false: its jobs' output goes to outputs/NAME-DATE in the home folder
};
/// Ends all processes of a testbed, and removes its folder and its short path, except for what `keeping` says.
Removal remove_testbed(const Testbed& testbed, const Keeping& keeping = {});

/// What is still there of a removed testbed: processes, sockets, folders; one line each.
std::vector<std::string> left_behind(const Testbed& testbed);

}  // namespace dmm
