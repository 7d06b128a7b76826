// What a job manager gives back beside messages and log events: changes to its ledger, pieces of output to write,
// jobs that came to their outcome. It also has the one local event that the shell feeds a job manager.
#pragma once

#include <string>
#include <vector>

#include "jobmgr/home_files.hpp"
#include "jobmgr/records.hpp"
#include "manager/effects.hpp"
#include "manager/ledger.hpp"

namespace dmm {

/// A piece of a job's output, for the shell to write as the user. Pieces of a stream come in order, the next one when
/// the last is written; a stream without any bytes has no pieces unless a path was asked for.
struct OutputPiece {
  std::uint64_t job = 0;
  Stream stream = Stream::output;
  std::uint32_t component = 0;
  std::uint64_t serial = 0;  ///< names it in the answer
  std::uint64_t offset = 0;
  std::string data;
  bool begins = false;  ///< the file is made, or emptied, first
  bool appends =
      false;  ///< both streams, or other jobs too, go to this file: the piece goes to its end, wherever it is
  bool last = false;  ///< the stream is to be safe before it is answered
  std::string path;   ///< where the submitter wants it, for components above 0 with ".<component>" at its end;
                      ///< empty: the shell names a file of the manager's folder by job, component and stream
};

struct JobManagerEffects : Effects {
  LedgerChanges<JobManagerRecord> ledger;
  std::vector<OutputPiece> output;
  std::vector<std::uint64_t> ended;  ///< jobs that came to their outcome
  /// In their order. One without a ticket: the job shares nothing any more, and what was brought in part goes.
  std::vector<HomeShare> shares;
};

/// The shell's answer to a piece, whenever it is written or can't be.
struct OutputWritten {
  std::uint64_t job = 0;
  std::uint32_t component = 0;
  Stream stream = Stream::output;
  std::uint64_t serial = 0;
  std::string error;  ///< why it could not be written; empty if it was
  bool last = true;   ///< as in the piece
};

}  // namespace dmm
