// HomeServer: the job manager's server of files, by cpp-httplib over TLS. Its threads hand out input files and
// take output files of the shelf; the manager's loop never waits for them (docs/protocol.md, S132h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "jobmgr/home_files.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

struct HomeServerSettings {
  std::string listen;  ///< "0.0.0.0:7430"; port 0: one that is free, and the same after a restart if it still is
  std::string host;    ///< "HOST" or "HOST:PORT" by which nodes reach it; empty: of `listen`, or this host's name
  std::string folder;  ///< of the job manager: keeps the server's key and port
  std::uint64_t output_bytes_max = 0;
};

class HomeServer {
 public:
  /// Listens; or why it can't.
  static OrFault<std::unique_ptr<HomeServer>> open(const HomeServerSettings& settings);
  ~HomeServer();
  HomeServer(const HomeServer&) = delete;
  HomeServer& operator=(const HomeServer&) = delete;

  const HomeServerAddress& address() const { return address_; }
  /// From now on it answers: what runs over a restart of the job manager is on the shelf again.
  void begin();
  void take(HomeShare share);

  struct Parts;

 private:
  explicit HomeServer(std::shared_ptr<Parts> parts);

  std::shared_ptr<Parts> parts_;
  bool is_begun_ = false;
  HomeServerAddress address_;
};

}  // namespace dmm
