// The helper process that empties the folder of removed directories, however long that takes.
#pragma once

#include <sys/types.h>

#include "resmgr/keeper/files.hpp"

namespace dmm::keeper {

class Remover {
 public:
  /// Starts the process; if it runs, it is started again when it has ended.
  void start(const JobFolder& folder);
  /// A child of the keeper, which waits for it; 0 if there is none.
  pid_t process() const { return process_; }
  /// The keeper has waited for it.
  void ended(const JobFolder& folder);
  /// It is not started again.
  void stop() { again_ = false; }

 private:
  pid_t process_ = 0;
  bool again_ = false;
};

}  // namespace dmm::keeper
