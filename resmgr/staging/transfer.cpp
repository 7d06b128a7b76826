#include "resmgr/staging/transfer.hpp"

#include <algorithm>
#include <string_view>

#include <time.h>

namespace dmm::staging {
namespace {

constexpr std::string_view pin_mark = "#pin=";
constexpr std::size_t words_max = 400;

void set_pin(CURL* curl, const std::string& pin) {
  curl_easy_setopt(curl, CURLOPT_PINNEDPUBLICKEY, ("sha256//" + pin).c_str());
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);  // the server's key itself is known
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);  // to no other server
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
  // The first is the fastest that both ends know, and strong enough.
  curl_easy_setopt(curl, CURLOPT_TLS13_CIPHERS, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384");
}

}  // namespace

CurlHandle curl_for(const std::string& url, const TransferLimits& limits) {
  CurlHandle handle(curl_easy_init(), curl_easy_cleanup);
  if (!handle) return handle;
  CURL* const curl = handle.get();
  const auto milliseconds_of = [](Duration length) { return static_cast<long>(length.microseconds / 1000); };
  const std::size_t mark = std::min(url.find(pin_mark), url.size());
  curl_easy_setopt(curl, CURLOPT_URL, url.substr(0, mark).c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https,file");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");  // no redirection may read files of this host
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, limits.redirects);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, milliseconds_of(limits.connect));
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, std::max(milliseconds_of(limits.stall) / 1000, 1L));
  curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, 256 * 1024L);
  curl_easy_setopt(curl, CURLOPT_UPLOAD_BUFFERSIZE, 64 * 1024L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "dmm");
  if (mark < url.size()) set_pin(curl, url.substr(mark + pin_mark.size()));
  return handle;
}

bool is_passing(CURLcode code, long status) {
  switch (code) {
    case CURLE_HTTP_RETURNED_ERROR: return (status >= 500 && status != 507) || status == 408 || status == 429;
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

std::string shown(const std::string& url) {
  if (url.find(pin_mark) == std::string::npos) return url;
  const std::size_t host = url.find("://") + 3;
  return "home (" + url.substr(host, url.find('/', host) - host) + ")";
}

std::string harmless(std::string_view text) {
  std::string words(text.substr(0, words_max));
  std::ranges::replace_if(
      words, [](char c) { return c < ' ' || c > '~'; }, ' ');
  while (words.ends_with(' ')) words.pop_back();
  return words;
}

void sleep_for(Duration length) {
  const timespec time{length.microseconds / 1'000'000, length.microseconds % 1'000'000 * 1'000};
  nanosleep(&time, nullptr);
}

}  // namespace dmm::staging
