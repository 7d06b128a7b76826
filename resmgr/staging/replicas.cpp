#include "resmgr/staging/replicas.hpp"

#include <curl/curl.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resmgr/staging/following_sum.hpp"

namespace dmm::staging {
namespace {

/// libcurl gives 16 KiB at a time, for which a file system does as much work as for eight times that. Pieces of a
/// mebibyte are slower: the kernel has to look for such large pages.
constexpr std::size_t written_at_once = 1 << 17;

/// The open files of one download.
struct Target {
  int descriptor = -1;
  std::uint64_t bytes = 0;      ///< in the file so far, and in `kept`
  std::string kept;             ///< behind what is in the file
  std::uint64_t bytes_max = 0;  ///< 0: any number
  int error = 0;                ///< why a write failed
  bool is_too_long = false;
  std::string reason;                 ///< in the server's words
  std::string version;                ///< the server's name for it, with quotes; empty: none
  std::unique_ptr<FollowingSum> sum;  ///< of a file that is to be compared
};

/// The outcome of one try.
enum class TryEnd : std::uint8_t { done, again, from_the_start, over };

/// Writes what is kept; false if it can't be.
bool flush(Target& target) {
  const std::string& kept = target.kept;
  for (std::size_t written = 0; written < kept.size();) {
    const ssize_t some = write(target.descriptor, kept.data() + written, kept.size() - written);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return target.error = errno, false;
    written += static_cast<std::size_t>(some);
  }
  target.kept.clear();
  if (target.sum) target.sum->grew(target.bytes);
  return true;
}

std::size_t take_bytes(char* bytes, std::size_t, std::size_t count, void* context) {
  Target& target = *static_cast<Target*>(context);
  target.is_too_long = target.bytes_max > 0 && count > target.bytes_max - target.bytes;
  if (target.is_too_long) return 0;
  target.kept.append(bytes, count);
  target.bytes += count;
  return target.kept.size() < written_at_once || flush(target) ? count : 0;
}

bool is_header(std::string_view line, std::string_view name) {
  return line.size() > name.size() && strncasecmp(line.data(), name.data(), name.size()) == 0;
}

/// Keeps the server's name of this version of the file, and why a job manager's server refuses it.
std::size_t take_header(char* line, std::size_t, std::size_t count, void* context) {
  Target& target = *static_cast<Target*>(context);
  const std::string_view text(line, count);
  if (is_header(text, "etag:")) {
    const std::size_t first = text.find('"'), last = text.rfind('"');
    const bool is_strong = first != std::string_view::npos && last > first && text[first - 1] != '/';
    target.version = is_strong ? std::string(text.substr(first, last - first + 1)) : "";
  }
  if (is_header(text, reason_header)) target.reason = harmless(text.substr(reason_header.size()));
  return count;
}

CurlHandle handle_for(const std::string& url, const TransferLimits& limits, Target& target) {
  CurlHandle handle = curl_for(url, limits);
  if (!handle) return handle;
  CURL* const curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &target);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &target);
  return handle;
}

/// A copy of a file that is asked for.
struct Source {
  const InputFile& file;
  std::string url;
  std::string text() const { return "input file '" + std::string(file.name) + "' from " + shown(url) + ": "; }
};

TransferFault fault_of(const Source& source, const std::string& why) {
  return {StartFault::staging, source.text() + why};
}

class Download {
 public:
  Download(Source source, const TransferLimits& limits, int descriptor)
      : source_(std::move(source)), limits_(limits), handle_(handle_for(source_.url, limits, target_)) {
    target_.descriptor = descriptor;
    target_.bytes_max = source_.file.bytes;
  }

  /// Removes what came so far; false with errno. A file that was cut is written to the disk when it is closed, and the
  /// job would wait for that: a new one isn't.
  bool empty() {
    target_.bytes = 0;
    target_.kept.clear();
    target_.sum.reset();
    const off_t end = lseek(target_.descriptor, 0, SEEK_END);
    if (end < 0 || (end > 0 && ftruncate(target_.descriptor, 0) != 0)) return false;
    if (lseek(target_.descriptor, 0, SEEK_SET) != 0) return false;
    if (!source_.file.sha256.empty()) target_.sum = std::make_unique<FollowingSum>(target_.descriptor);
    return true;
  }

  TransferFault run() {
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
    CurlWords words{};
    CURL* const curl = handle_.get();
    const std::uint64_t from = target_.bytes;
    target_.reason.clear();
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words.data());
    curl_easy_setopt(curl, CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(from));
    // The rest must be of the same version as the part that is here.
    const Headers headers(from > 0 && !target_.version.empty()
                              ? curl_slist_append(nullptr, ("If-Match: " + target_.version).c_str())
                              : nullptr,
                          curl_slist_free_all);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
    const CURLcode code = curl_easy_perform(curl);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, nullptr);
    if (target_.error == 0) flush(target_);
    if (target_.error != 0) return fault_ = fault_of_disk(source_.text(), target_.error), TryEnd::over;
    if (target_.is_too_long) {
      fault_ =
          fault_of(source_, "it is longer than the " + std::to_string(source_.file.bytes) + " bytes that it has");
      return TryEnd::over;
    }
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_OK) return whole();
    const std::string said = words[0] != '\0' ? words.data() : curl_easy_strerror(code);
    fault_ = fault_of(source_, target_.reason.empty() ? said : target_.reason);
    const bool can_not_resume =
        code == CURLE_RANGE_ERROR || code == CURLE_BAD_DOWNLOAD_RESUME || status == 416 || status == 412;
    if (from > 0 && can_not_resume) return TryEnd::from_the_start;
    return is_passing(code, status) ? TryEnd::again : TryEnd::over;
  }

  /// The file may be mixed from two versions: then it is fetched once more.
  TryEnd whole() {
    if (source_.file.bytes > 0 && target_.bytes < source_.file.bytes) {
      fault_ = fault_of(source_, "it has " + std::to_string(target_.bytes) + " bytes there; expected " +
                                     std::to_string(source_.file.bytes));
      return TryEnd::over;
    }
    if (source_.file.sha256.empty()) return TryEnd::done;
    const std::string sum = target_.sum ? target_.sum->finish() : std::string();
    target_.sum.reset();
    if (sum == source_.file.sha256.view()) return TryEnd::done;
    fault_ = fault_of(source_, "its SHA-256 is " + sum + " there; expected " + std::string(source_.file.sha256));
    return std::exchange(compared_, true) ? TryEnd::over : TryEnd::from_the_start;
  }

  Source source_;
  const TransferLimits& limits_;
  Target target_;
  CurlHandle handle_;
  TransferFault fault_;
  bool compared_ = false;  // once before, and found wrong
};

}  // namespace

std::string what_of(const InputFile& file) { return "input file '" + std::string(file.name) + "': "; }

TransferFault fault_of_disk(const std::string& what, int error) {
  const bool is_of_host = error == ENOSPC || error == EDQUOT || error == EIO;
  return {is_of_host ? StartFault::resources : StartFault::staging,
          what + "can't be written: " + std::strerror(error)};
}

TransferFault bring(const InputFile& file, int descriptor, const TransferLimits& limits) {
  const FileLimitHeld held;
  const std::string what = what_of(file);
  TransferFault fault{StartFault::staging, what + "there is no place where it is"};
  std::string earlier;
  for (const Replica& replica : file.replicas) {
    Download one({file, replica.url}, limits, descriptor);
    fault = one.empty() ? one.run() : fault_of_disk(what, errno);
    if (fault.fault != StartFault::staging) break;
    fault.text.insert(0, earlier);
    earlier = fault.text + "; ";
  }
  return fault;
}

}  // namespace dmm::staging
