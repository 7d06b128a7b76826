// A folder for ledgers of one test, and what is in a ledger as a value to compare.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "runtime/ledger.hpp"

namespace dmm {

/// Goes away with all that is in it.
class LedgerFolder {
 public:
  explicit LedgerFolder(std::filesystem::path below = std::filesystem::temp_directory_path())
      : path_(below / ("dmm-ledger-" + std::to_string(getpid()) + "-" + std::to_string(++made))) {
    std::filesystem::create_directories(path_);
  }
  ~LedgerFolder() { std::filesystem::remove_all(path_); }
  LedgerFolder(const LedgerFolder&) = delete;
  LedgerFolder& operator=(const LedgerFolder&) = delete;

  std::string file(const std::string& name = "ledger.sqlite") const { return (path_ / name).string(); }
  std::string content(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
  }
  /// Leaves only what is written next.
  void clear() const {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) std::filesystem::remove(entry.path());
  }

 private:
  inline static int made = 0;
  std::filesystem::path path_;
};

/// A small file system of its own, where that is allowed.
class SmallDisk {
 public:
  SmallDisk() : ok_(mount("tmpfs", folder_.file("").c_str(), "tmpfs", 0, "size=2m") == 0) {}
  ~SmallDisk() {
    if (ok_) umount2(folder_.file("").c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool ok() const { return ok_; }
  const LedgerFolder& folder() const { return folder_; }

 private:
  LedgerFolder folder_;
  bool ok_;
};

/// Takes all the room that is left.
inline void fill(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const std::string page(4096, 'x');
  while (write(file, page.data(), page.size()) > 0) {
  }
  close(file);
}

/// "table/key" and the record.
using LedgerContent = std::map<std::string, std::string>;

inline LedgerOptions ledger_options(const std::string& path) { return {path, "sitemgr a", {"leases", "usage"}, false}; }

inline std::unique_ptr<Ledger> open_ledger(const std::string& path) {
  auto opened = Ledger::open(ledger_options(path));
  if (const auto* fault = std::get_if<std::string>(&opened)) FAIL(*fault);
  return std::move(std::get<std::unique_ptr<Ledger>>(opened));
}

inline std::string fault_of_open(const LedgerOptions& options) {
  const auto opened = Ledger::open(options);
  const auto* fault = std::get_if<std::string>(&opened);
  return fault != nullptr ? *fault : "none";
}

inline LedgerContent content_of(Ledger& ledger) {
  LedgerContent content;
  for (const char* const table : {"leases", "usage"}) {
    const auto rows = ledger.rows(table);
    if (const auto* fault = std::get_if<std::string>(&rows)) FAIL(*fault);
    for (const LedgerRowText& row : std::get<0>(rows)) content[table + ("/" + row.key)] = row.record;
  }
  return content;
}

}  // namespace dmm
