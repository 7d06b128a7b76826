// HomeShelf: the files at home that tasks may fetch and bring, by ticket, and output files while they come.
// Threads of a server use it; it has a lock of its own, which no file system is waited for under.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "jobmgr/files/direct_writer.hpp"
#include "jobmgr/home_files.hpp"

namespace dmm {

/// Why a file isn't given or taken, as HTTP says it.
struct ShelfFault {
  int status =
      404;  ///< 404: no such ticket or file; 409: not at this place; 413: too long; 507: it can't be written
  std::string text;
};

/// An output file that one connection brings: its bytes go to a file beside its place, from where the last
/// connection broke.
class Incoming {
 public:
  Incoming(Incoming&&) = delete;
  ~Incoming();

  /// False if the bytes can't be written, or are more than were announced: the fault is said by `finish`.
  bool write(const char* bytes, std::size_t count);
  /// All that was announced is safe and in its place; or why not. Nothing yet if more is to come.
  std::optional<ShelfFault> finish();

 private:
  friend class HomeShelf;
  struct Place;
  Incoming(std::shared_ptr<Place> place, std::uint64_t bytes) : place_(std::move(place)), bytes_(bytes) {}

  std::shared_ptr<Place> place_;
  std::uint64_t bytes_ = 0, here_ = 0;
  int descriptor_ = -1;
  bool is_too_long_ = false;
  std::unique_ptr<DirectWriter> file_;  ///< the last: it uses the descriptor; none: it is whole
};

class HomeShelf {
 public:
  /// No output file may be longer.
  explicit HomeShelf(std::uint64_t output_bytes_max) : output_bytes_max_(output_bytes_max) {}

  /// From now on its files are there for its ticket; or nothing of its job is, and what came in part is removed.
  void take(HomeShare share);

  /// The path of an input file; nothing if there is none.
  std::optional<std::string> input(const std::string& ticket, std::size_t number) const;
  /// How much of an output file is here.
  std::variant<std::uint64_t, ShelfFault> received(const std::string& ticket, std::size_t number) const;
  /// More of it comes, from that place on; it has that many bytes in all.
  std::variant<std::unique_ptr<Incoming>, ShelfFault> bring(const std::string& ticket, std::size_t number,
                                                            std::uint64_t from, std::uint64_t bytes);

 private:
  using Places = std::vector<std::shared_ptr<Incoming::Place>>;
  struct Shared {
    std::vector<std::string> inputs;
    Places outputs;  ///< by number; null where none is expected
  };

  std::shared_ptr<Incoming::Place> place(const std::string& ticket, std::size_t number) const;

  mutable std::mutex lock_;
  std::map<std::string, Shared> by_ticket_;
  std::map<std::uint64_t, std::set<std::string>> by_job_;  ///< its tickets
  std::uint64_t output_bytes_max_;
};

}  // namespace dmm
