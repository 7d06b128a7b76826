#include "jobmgr/files/shelf.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/files.hpp"

namespace dmm {
namespace {

/// Of a ticket, in the name of a file that isn't whole: no other attempt goes on with it.
constexpr std::size_t mark_letters = 12;

}  // namespace

/// Where one output file goes.
struct Incoming::Place {
  std::string path;                        ///< at home
  std::string part;                        ///< beside it, until it is whole
  std::atomic<bool> is_busy = false;       ///< a connection brings it
  std::atomic<bool> is_withdrawn = false;  ///< its task counts no longer
  std::atomic<std::uint64_t> whole = 0;    ///< its bytes and one, once it is there
};

Incoming::~Incoming() {
  if (file_) file_->flush();  // the next connection goes on from there
  file_.reset();
  if (descriptor_ >= 0) close(descriptor_);
  if (place_->is_withdrawn) unlink(place_->part.c_str());
  place_->is_busy = false;
}

bool Incoming::write(const char* bytes, std::size_t count) {
  is_too_long_ = count > bytes_ - here_;
  if (is_too_long_ || place_->is_withdrawn) return false;
  if (count > 0 && !file_->add(bytes, count)) return false;
  here_ += count;
  return true;
}

std::optional<ShelfFault> Incoming::finish() {
  if (place_->is_withdrawn) return ShelfFault{404, "its task counts no longer"};
  if (is_too_long_) return ShelfFault{413, "more came than was announced"};
  if (!file_) return std::nullopt;
  const auto refuse = [&](int error) {
    return ShelfFault{507, place_->path + " can't be written at home: " + std::strerror(error)};
  };
  if (const int error = file_->flush(); error != 0) return refuse(error);
  if (here_ < bytes_) return ShelfFault{409, "more is to come"};
  if (fdatasync(descriptor_) != 0) return refuse(errno);
  if (const std::string fault = rename_synced(place_->part, place_->path); !fault.empty())
    return ShelfFault{507, fault};
  place_->whole = bytes_ + 1;
  return std::nullopt;
}

void HomeShelf::take(HomeShare share) {
  const std::lock_guard guard(lock_);
  if (share.ticket.empty()) {
    for (const std::string& ticket : by_job_[share.job]) {
      for (const auto& place : by_ticket_[ticket].outputs) {
        if (!place) continue;
        place->is_withdrawn = true;
        if (!place->is_busy) unlink(place->part.c_str());
      }
      by_ticket_.erase(ticket);
    }
    by_job_.erase(share.job);
    return;
  }
  if (by_ticket_.contains(share.ticket)) return;  // its Start was said again
  Shared shared{std::move(share.inputs), {}};
  for (std::string& path : share.outputs) {
    auto& place = shared.outputs.emplace_back();
    if (path.empty()) continue;
    place = std::make_shared<Incoming::Place>();
    place->part = path + '.' + share.ticket.substr(0, mark_letters) + ".part";
    place->path = std::move(path);
  }
  by_job_[share.job].insert(share.ticket);
  by_ticket_.emplace(std::move(share.ticket), std::move(shared));
}

std::optional<std::string> HomeShelf::input(const std::string& ticket, std::size_t number) const {
  const std::lock_guard guard(lock_);
  const auto found = by_ticket_.find(ticket);
  if (found == by_ticket_.end() || number >= found->second.inputs.size()) return std::nullopt;
  const std::string& path = found->second.inputs[number];
  return path.empty() ? std::nullopt : std::optional(path);
}

std::shared_ptr<Incoming::Place> HomeShelf::place(const std::string& ticket, std::size_t number) const {
  const std::lock_guard guard(lock_);
  const auto found = by_ticket_.find(ticket);
  return found == by_ticket_.end() || number >= found->second.outputs.size() ? nullptr
                                                                             : found->second.outputs[number];
}

std::variant<std::uint64_t, ShelfFault> HomeShelf::received(const std::string& ticket, std::size_t number) const {
  const auto at = place(ticket, number);
  if (!at) return ShelfFault{404, "no such file is expected"};
  if (const std::uint64_t whole = at->whole; whole > 0) return whole - 1;
  struct stat is {};
  return stat(at->part.c_str(), &is) == 0 ? static_cast<std::uint64_t>(is.st_size) : 0;
}

std::variant<std::unique_ptr<Incoming>, ShelfFault> HomeShelf::bring(const std::string& ticket, std::size_t number,
                                                                     std::uint64_t from, std::uint64_t bytes) {
  const auto at = place(ticket, number);
  if (!at) return ShelfFault{404, "no such file is expected"};
  if (bytes > output_bytes_max_)
    return ShelfFault{413, "it has " + std::to_string(bytes) + " bytes; this job manager takes files of at most " +
                               std::to_string(output_bytes_max_)};
  if (at->is_busy.exchange(true)) return ShelfFault{409, "another connection brings it"};
  std::unique_ptr<Incoming> incoming(new Incoming(at, bytes));
  if (const std::uint64_t whole = at->whole; whole > 0) {  // the answer to its last piece was lost
    if (whole != bytes + 1 || from != bytes) return ShelfFault{409, std::to_string(whole - 1) + " bytes are here"};
    incoming->here_ = bytes;
    return incoming;
  }
  const auto refuse = [&](int error) {
    return ShelfFault{507, at->path + " can't be written at home: " + std::strerror(error)};
  };
  struct stat old {};
  if (lstat(at->path.c_str(), &old) == 0 && !S_ISREG(old.st_mode))
    return ShelfFault{507, at->path + " at home is no regular file"};
  if (const std::string fault = make_directory(parent_folder(at->path)); !fault.empty())
    return ShelfFault{507, fault};
  incoming->descriptor_ = open(at->part.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
  struct stat is {};
  if (incoming->descriptor_ < 0 || fstat(incoming->descriptor_, &is) != 0) return refuse(errno);
  incoming->here_ = static_cast<std::uint64_t>(is.st_size);
  if (incoming->here_ != from || from > bytes)
    return ShelfFault{409, std::to_string(incoming->here_) + " bytes are here"};
  incoming->file_ = std::make_unique<DirectWriter>(incoming->descriptor_, from);
  return incoming;
}

}  // namespace dmm
