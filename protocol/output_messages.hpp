// Messages by which a job manager brings the output of a job home, in pieces, also while the job runs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/ids.hpp"
#include "protocol/message_fields.hpp"

namespace dmm {

enum class Stream : std::uint8_t { output, error };
inline constexpr std::array both_streams{Stream::output, Stream::error};
std::string_view to_text(Stream stream);

/// Asks for the next piece of a component's output.
struct Fetch {
  RequestId request;
  std::uint32_t component = 0;
  Stream stream = Stream::output;
  std::uint64_t offset = 0;
  bool unkept = false;  ///< the answer is to be a Piece
  DMM_MESSAGE(44, self.request, self.component, self.stream, self.offset, self.unkept)
};

/// At most 48 KiB of output.
struct Chunk {
  RequestId request;
  std::uint32_t component = 0;
  Stream stream = Stream::output;
  std::uint64_t offset = 0;
  std::string data;
  bool last = false;  ///< the stream ends here
  bool cut = false;   ///< the stream was longer than the part that is kept
  DMM_MESSAGE(45, self.request, self.component, self.stream, self.offset, self.data, self.last, self.cut)
};

/// At most 48 KiB of output, as a Chunk. It isn't kept to be sent again: a reader that misses it asks again.
struct Piece {
  RequestId request;
  std::uint32_t component = 0;
  Stream stream = Stream::output;
  std::uint64_t offset = 0;
  std::string data;
  bool last = false;       ///< nothing comes after this
  std::uint64_t size = 0;  ///< of the stream, as far as it was written
  DMM_MESSAGE(47, self.request, self.component, self.stream, self.offset, self.data, self.last, self.size)
};

/// A running component has written more output than was fetched or reported before.
struct Grown {
  RequestId request;
  std::uint32_t component = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t error_bytes = 0;
  DMM_MESSAGE(48, self.request, self.component, self.output_bytes, self.error_bytes)
};

}  // namespace dmm
