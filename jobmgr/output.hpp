// The job manager brings output back, while the job runs and when it is over: small streams come with the end of a
// component, larger ones piece by piece. Of each stream one piece is asked for or being written at a time, so a
// slow disk is brought little. The job's outcome shows when all is safe; its nodes were released before.
#pragma once

#include "jobmgr/job_step.hpp"

namespace dmm::job_steps {

/// A component that runs has written something.
void on(JobStep& s, FromProvider from, const Grown& grown);
/// Nothing of the job runs any more: what there is of its output is all that there will be.
void collect(JobStep& s, Job& job);
void ask_piece(JobStep& s, Job& job, std::uint32_t component, Stream stream);
void on(JobStep& s, FromProvider from, Chunk& chunk);
void on(JobStep& s, FromProvider from, Piece& piece);
void on(JobStep& s, const OutputWritten& written);
/// What isn't safe here stays where it is for a while, also after the outcome is known.
void close_if_written(JobStep& s, Job& job);
/// The one way into an outcome. Synced before any Forget leaves: what would be fetched once more is gone then.
void close(JobStep& s, Job& job, JobEvent event);

}  // namespace dmm::job_steps
