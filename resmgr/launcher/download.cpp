// See download.hpp.
#include "resmgr/launcher/download.hpp"

#include <curl/curl.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "keys/sha256.hpp"

namespace dmm::launcher {
namespace {

namespace fs = std::filesystem;

using Handle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

/// What is open of one download.
struct Target {
  int descriptor = -1;
  std::uint64_t bytes = 0;      ///< that are in the file
  std::uint64_t bytes_max = 0;  ///< 0: any number
  int error = 0;                ///< why a write failed
  bool is_too_long = false;
};

/// What one try came to.
enum class TryEnd : std::uint8_t { done, again, from_the_start, over };

/// A write beyond the job's limit for a file fails with EFBIG while this lives, rather than end the launcher.
class FileLimitHeld {
 public:
  FileLimitHeld() : before_(std::signal(SIGXFSZ, SIG_IGN)) {}
  ~FileLimitHeld() { std::signal(SIGXFSZ, before_); }
  FileLimitHeld(const FileLimitHeld&) = delete;
  FileLimitHeld& operator=(const FileLimitHeld&) = delete;

 private:
  void (*before_)(int);
};

std::size_t take_bytes(char* bytes, std::size_t, std::size_t count, void* context) {
  Target& target = *static_cast<Target*>(context);
  target.is_too_long = target.bytes_max > 0 && count > target.bytes_max - target.bytes;
  if (target.is_too_long) return 0;
  for (std::size_t written = 0; written < count;) {
    const ssize_t some = write(target.descriptor, bytes + written, count - written);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return target.error = errno, 0;
    written += static_cast<std::size_t>(some);
    target.bytes += static_cast<std::size_t>(some);
  }
  return count;
}

Handle handle_for(const std::string& url, const DownloadLimits& limits, Target& target) {
  Handle handle(curl_easy_init(), curl_easy_cleanup);
  if (!handle) return handle;
  CURL* const curl = handle.get();
  const auto milliseconds_of = [](Duration length) { return static_cast<long>(length.microseconds / 1000); };
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https,file");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");  // no server reads files of this host
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, limits.redirects);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, milliseconds_of(limits.connect));
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, std::max(milliseconds_of(limits.stall) / 1000, 1L));
  curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, 256 * 1024L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "dmm");
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &target);
  return handle;
}

/// Of what may be otherwise in a moment.
bool is_passing(CURLcode code, long status) {
  switch (code) {
    case CURLE_HTTP_RETURNED_ERROR: return status >= 500 || status == 408 || status == 429;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR: return true;
    default: return false;
  }
}

/// A copy of a file that is asked for.
struct Source {
  const InputFile& file;
  std::string url;
  std::string text() const { return "input file '" + std::string(file.name) + "' from " + url + ": "; }
};

DownloadFault fault_of(const Source& source, const std::string& why) {
  return {StartFault::staging, source.text() + why};
}

/// A full disk is the host's, and the job runs elsewhere; a limit is the job's.
DownloadFault fault_of_disk(const std::string& what, int error) {
  const bool is_of_host = error == ENOSPC || error == EDQUOT || error == EIO;
  return {is_of_host ? StartFault::resources : StartFault::staging,
          what + "can't be written: " + std::strerror(error)};
}

class Download {
 public:
  Download(Source source, const DownloadLimits& limits, int descriptor)
      : source_(std::move(source)), limits_(limits), handle_(handle_for(source_.url, limits, target_)) {
    target_.descriptor = descriptor;
    target_.bytes_max = source_.file.bytes;
  }

  /// What came so far is taken away; false with errno.
  bool empty() {
    target_.bytes = 0;
    return ftruncate(target_.descriptor, 0) == 0 && lseek(target_.descriptor, 0, SEEK_SET) == 0;
  }

  DownloadFault run() {
    if (!handle_) return {StartFault::resources, "libcurl has no memory"};
    int failures = 0;
    for (Duration pause = limits_.pause;; pause = pause * 2) {
      const std::uint64_t before = target_.bytes;
      const TryEnd end = once();
      if (end == TryEnd::done) return {};
      if (end == TryEnd::over) return fault_;
      if (target_.bytes > before) failures = 0, pause = limits_.pause;
      if (++failures >= limits_.tries) return fault_;
      if (end == TryEnd::from_the_start && !empty()) return fault_of_disk(source_.text(), errno);
      sleep_for(pause);
    }
  }

 private:
  TryEnd once() {
    std::array<char, CURL_ERROR_SIZE> words{};
    CURL* const curl = handle_.get();
    const std::uint64_t from = target_.bytes;
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words.data());
    curl_easy_setopt(curl, CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(from));
    const CURLcode code = curl_easy_perform(curl);
    if (target_.error != 0) return fault_ = fault_of_disk(source_.text(), target_.error), TryEnd::over;
    if (target_.is_too_long) {
      fault_ =
          fault_of(source_, "it is longer than the " + std::to_string(source_.file.bytes) + " bytes that it has");
      return TryEnd::over;
    }
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_OK) return whole();
    fault_ = fault_of(source_, words[0] != '\0' ? words.data() : curl_easy_strerror(code));
    const bool can_not_resume = code == CURLE_RANGE_ERROR || code == CURLE_BAD_DOWNLOAD_RESUME || status == 416;
    if (from > 0 && can_not_resume) return TryEnd::from_the_start;
    return is_passing(code, status) ? TryEnd::again : TryEnd::over;
  }

  /// What came may have been put together from two versions of the file: then it is fetched once more.
  TryEnd whole() {
    if (source_.file.bytes > 0 && target_.bytes < source_.file.bytes) {
      fault_ = fault_of(source_, "it has " + std::to_string(target_.bytes) + " bytes there; expected " +
                                     std::to_string(source_.file.bytes));
      return TryEnd::over;
    }
    if (source_.file.sha256.empty()) return TryEnd::done;
    const std::string sum = sha256_of(target_.descriptor);
    if (sum == source_.file.sha256.view()) return TryEnd::done;
    fault_ = fault_of(source_, "its SHA-256 is " + sum + " there; expected " + std::string(source_.file.sha256));
    return std::exchange(compared_, true) ? TryEnd::over : TryEnd::from_the_start;
  }

  static void sleep_for(Duration length) {
    const timespec time{length.microseconds / 1'000'000, length.microseconds % 1'000'000 * 1'000};
    nanosleep(&time, nullptr);
  }

  Source source_;
  const DownloadLimits& limits_;
  Target target_;
  Handle handle_;
  DownloadFault fault_;
  bool compared_ = false;  // once before, and found wrong
};

}  // namespace

DownloadFault download(const InputFile& file, const std::string& folder, const DownloadLimits& limits) {
  const FileLimitHeld held;
  const fs::path path = fs::path(folder) / std::string(file.name);
  const std::string part = path.string() + ".part", what = "input file '" + std::string(file.name) + "': ";
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const int descriptor = open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (descriptor < 0) return fault_of_disk(what, errno);
  DownloadFault fault{StartFault::staging, what + "there is no place where it is"};
  std::string earlier;
  for (const Replica& replica : file.replicas) {
    Download one({file, replica.url}, limits, descriptor);
    fault = one.empty() ? one.run() : fault_of_disk(what, errno);
    if (fault.fault != StartFault::staging) break;
    fault.text.insert(0, earlier);
    earlier = fault.text + "; ";
  }
  if (close(descriptor) != 0 && fault.fault == StartFault::none) fault = fault_of_disk(what, errno);
  if (fault.fault == StartFault::none && rename(part.c_str(), path.c_str()) != 0)
    fault = fault_of_disk(what, errno);
  if (fault.fault != StartFault::none) unlink(part.c_str());
  return fault;
}

}  // namespace dmm::launcher
