// How a message declares its number and its elements.
#pragma once

#include <cstdint>
#include <tuple>

/// Declares a message's number and its elements on the wire.
#define DMM_MESSAGE(number, ...)                    \
  static constexpr std::uint16_t type = (number);   \
  template <class Self>                             \
  static auto fields([[maybe_unused]] Self& self) { \
    return std::tie(__VA_ARGS__);                   \
  }
