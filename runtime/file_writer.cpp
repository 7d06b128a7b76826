// A thread for each folder that is being written to; see file_writer.hpp.
#include "runtime/file_writer.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "manager/assert.hpp"

namespace dmm {
namespace {}  // namespace

struct FileWriter::Shared {
  struct Waiting {
    std::uint64_t id = 0;
    FilePiece piece;
  };

  std::mutex mutex;
  std::condition_variable work;
  std::map<std::string, std::vector<Waiting>> folders;  ///< waiting pieces; none while the folder is written to
  std::deque<std::string> ready;                        ///< folders with pieces and without a thread
  std::vector<FileWritten> done;
  std::size_t threads = 0, idle = 0;
  bool closed = false;
  int bell = -1;
  Write write = nullptr;

  ~Shared() { ::close(bell); }

  static std::vector<FileWritten> write_all(const std::vector<Waiting>& batch, Write write);
};

/// Writes pieces of one folder. The name of a new file is synced with the last piece of its stream: once for all pieces
/// that came together.
std::vector<FileWritten> FileWriter::Shared::write_all(const std::vector<Waiting>& batch, Write write) {
  std::vector<FileWritten> done;
  const FilePiece* synced = nullptr;
  for (const Waiting& one : batch) {
    done.push_back({one.id, write(one.piece)});
    if (one.piece.syncs && one.piece.path != "/dev/null" && done.back().error.empty()) synced = &one.piece;
  }
  const std::string fault = synced ? sync_parent_of(synced->path) : std::string();
  for (std::size_t i = 0; i < batch.size() && !fault.empty(); ++i)
    if (batch[i].piece.syncs && done[i].error.empty()) done[i].error = fault;
  return done;
}

FileWriter::FileWriter(Write function) : bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), shared_(new Shared) {
  DMM_ASSERT(bell_ >= 0);
  shared_->bell = bell_;
  shared_->write = function;
}

FileWriter::~FileWriter() {
  const std::lock_guard lock(shared_->mutex);
  shared_->closed = true;
  shared_->work.notify_all();
}

void FileWriter::add(std::uint64_t id, FilePiece piece) {
  const std::lock_guard lock(shared_->mutex);
  std::string folder = parent_folder(piece.path);
  const auto [place, is_new] = shared_->folders.try_emplace(folder);
  place->second.push_back({id, std::move(piece)});
  if (!is_new) return;  // the thread that has the folder, or gets it, takes this piece too
  shared_->ready.push_back(std::move(folder));
  if (shared_->ready.size() <= shared_->idle || shared_->threads == threads_max) return shared_->work.notify_one();
  try {
    std::thread(serve, shared_).detach();
    ++shared_->threads;
  } catch (const std::system_error& error) {
    if (shared_->threads > 0) return;  // one of those will write it
    const std::vector<Shared::Waiting> batch = std::exchange(shared_->folders, {}).begin()->second;
    for (const Shared::Waiting& one : batch)
      shared_->done.push_back({one.id, std::string("no thread to write it: ") + error.what()});
    shared_->ready.clear();
    ::eventfd_write(bell_, 1);
  }
}

void FileWriter::serve(std::shared_ptr<Shared> shared) {
  std::unique_lock lock(shared->mutex);
  for (;;) {
    ++shared->idle;
    shared->work.wait(lock, [&] { return shared->closed || !shared->ready.empty(); });
    --shared->idle;
    if (shared->closed) return;
    const std::string folder = std::move(shared->ready.front());
    shared->ready.pop_front();
    const std::vector<Shared::Waiting> batch = std::exchange(shared->folders.at(folder), {});
    lock.unlock();
    std::vector<FileWritten> done = Shared::write_all(batch, shared->write);
    lock.lock();
    std::move(done.begin(), done.end(), std::back_inserter(shared->done));
    ::eventfd_write(shared->bell, 1);
    if (shared->folders.at(folder).empty())
      shared->folders.erase(folder);
    else
      shared->ready.push_back(folder);
  }
}

std::vector<FileWritten> FileWriter::take() {
  eventfd_t rung = 0;
  ::eventfd_read(bell_, &rung);
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->done, {});
}

}  // namespace dmm
