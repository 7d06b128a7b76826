// The server of a job manager takes the file with PUT. After a broken try, GET tells how many bytes it has
// (docs/protocol.md, S132h).
#include "resmgr/staging/upload.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dmm::staging {
namespace {

/// The most bytes of a server's answer: a number, or words for people.
constexpr std::size_t answer_bytes_max = 400;

/// A file that is read from some place to its end.
struct OpenFile {
  int descriptor = -1;
  off_t at = 0, end = 0;
  int error = 0;
};

std::size_t give_bytes(char* bytes, std::size_t, std::size_t wanted, void* context) {
  OpenFile& source = *static_cast<OpenFile*>(context);
  const auto left = static_cast<std::size_t>(source.end - source.at);
  const ssize_t some = pread(source.descriptor, bytes, std::min(wanted, left), source.at);
  if (some < 0 || (some == 0 && left > 0)) return source.error = some < 0 ? errno : ENODATA, CURL_READFUNC_ABORT;
  source.at += some;
  return static_cast<std::size_t>(some);
}

std::size_t take_answer(char* bytes, std::size_t, std::size_t count, void* context) {
  std::string& answer = *static_cast<std::string*>(context);
  answer.append(bytes, std::min(count, answer_bytes_max - std::min(answer.size(), answer_bytes_max)));
  return count;
}

class Upload {
 public:
  Upload(const OutputFile& file, int descriptor, off_t bytes, const UploadLimits& limits)
      : url_(file.to), what_("output file '" + std::string(file.name) + "'"), limits_(limits) {
    source_.descriptor = descriptor;
    source_.end = bytes;
  }

  TransferFault run() {
    Duration pause = limits_.one.pause, waited;
    for (;;) {
      const off_t before = received_;
      if (once()) return fault_;
      is_first_ = false;
      if (received_ > before) pause = limits_.one.pause, waited = {};
      if (waited >= limits_.patience) return fault_;
      sleep_for(pause);
      waited = waited + pause;
      pause = std::min(pause * 2, limits_.pause_max);
    }
  }

 private:
  struct Said {
    CURLcode code = CURLE_OK;
    long status = 0;
    std::string text;
  };

  /// Whether the file has arrived, or is given up: `fault_` says which. The first try sends at once: a question costs
  /// a round trip, and of a file with a new ticket nothing is at home.
  bool once() {
    if (!is_first_) {
      const Said here = ask(false);
      const char* const end = here.text.data() + here.text.size();
      if (here.code != CURLE_OK || here.status != 200 ||
          std::from_chars(here.text.data(), end, received_).ptr != end || received_ < 0 || received_ > source_.end)
        return fail(here);
    }
    source_.at = received_;
    const Said said = ask(true);
    if (source_.error != 0)
      return fault_ = {StartFault::staging, what_ + " can't be read: " + std::strerror(source_.error)}, true;
    if (said.code != CURLE_OK || said.status != 201) return fail(said);
    fault_ = {};
    return true;
  }

  /// GET, or PUT with what the server lacks.
  Said ask(bool with_bytes) {
    const std::size_t mark = std::min(url_.find('#'), url_.size());
    const std::string range = "?from=" + std::to_string(source_.at) + "&bytes=" + std::to_string(source_.end);
    const CurlHandle handle =
        curl_for(with_bytes ? url_.substr(0, mark) + range + url_.substr(mark) : url_, limits_.one);
    Said said{CURLE_OUT_OF_MEMORY, 0, {}};
    if (!handle) return said;
    CURL* const curl = handle.get();
    const Headers headers(is_first_ ? curl_slist_append(nullptr, "Expect:") : nullptr, curl_slist_free_all);
    CurlWords words{};
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words.data());
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &said.text);
    if (with_bytes) {
      curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
      curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
      curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_bytes);
      curl_easy_setopt(curl, CURLOPT_READDATA, &source_);
      curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(source_.end - source_.at));
    }
    said.code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &said.status);
    if (said.code == CURLE_OK && said.status >= 400) said.code = CURLE_HTTP_RETURNED_ERROR;
    if (said.code != CURLE_OK && said.text.empty())
      said.text = words[0] != '\0' ? words.data() : curl_easy_strerror(said.code);
    return said;
  }

  /// Whether the upload is over. 409: the server has another number of bytes by now.
  bool fail(const Said& said) {
    fault_ = {StartFault::staging, what_ + " to " + shown(url_) + ": " + harmless(said.text)};
    return !is_passing(said.code, said.status) && said.status != 409;
  }

  std::string url_, what_;
  const UploadLimits& limits_;
  OpenFile source_;
  off_t received_ = 0;
  bool is_first_ = true;  ///< of the tries
  TransferFault fault_;
};

}  // namespace

TransferFault upload(const OutputFile& file, const std::string& folder, const UploadLimits& limits) {
  const std::string path = folder + '/' + std::string(file.name);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat is {};
  const auto refuse = [&](const std::string& why) {
    if (descriptor >= 0) close(descriptor);
    return TransferFault{StartFault::staging, "output file '" + std::string(file.name) + "': " + why};
  };
  if (descriptor < 0 || fstat(descriptor, &is) != 0) return refuse(std::strerror(errno));
  if (!S_ISREG(is.st_mode)) return refuse("it is no regular file");
  TransferFault fault = Upload(file, descriptor, is.st_size, limits).run();
  close(descriptor);
  return fault;
}

}  // namespace dmm::staging
