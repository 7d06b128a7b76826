// Shared by downloads and uploads: a handle of libcurl with its limits, which of its failures pass, and servers that
// are known by their key.
#pragma once

#include <curl/curl.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/reasons.hpp"
#include "protocol/time.hpp"

namespace dmm::staging {

/// How long a server may be silent, and how often it is tried again.
struct TransferLimits {
  Duration connect = seconds(30);
  Duration stall = seconds(30);  ///< without a byte
  Duration pause = seconds(1);   ///< before the first further try; doubles
  int tries = 5;                 ///< in a row that bring nothing
  long redirects = 5;
};

/// Why a file wasn't transferred; StartFault::none if it was.
struct TransferFault {
  StartFault fault = StartFault::none;
  std::string text = {};  ///< names the file
};

using CurlHandle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using Headers = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;
using CurlWords = std::array<char, CURL_ERROR_SIZE>;

/// For a URL of http, https or file. Behind "#pin=" it may have the SHA-256 of the server's public key in base64: then
/// only that server is accepted, without a certificate authority. Empty: there is no memory.
CurlHandle curl_for(const std::string& url, const TransferLimits& limits);

/// Whether the failure may pass in a moment. `status`: of HTTP, 0 if there was none.
bool is_passing(CURLcode code, long status);

/// The URL for people and logs: without tickets and keys of servers at home.
std::string shown(const std::string& url);

/// A server's text, reduced to what people can read.
std::string harmless(std::string_view text);

/// The header by which a job manager's server says why it gives no file.
inline constexpr std::string_view reason_header = "DMM-Reason: ";

void sleep_for(Duration length);

}  // namespace dmm::staging
