/* What lets a program of many ranks run on few processors: a rank rests in place of a part of its calculation, and
   sleeps while it waits for messages. With `rest_ms` 0 all calls are MPI's own. */
#include <mpi.h>
#include <unistd.h>

static double rest_ms;

static inline void rest(void) {
  if (rest_ms > 0) usleep((useconds_t)(rest_ms * 1000));
}

static MPI_Request posted[8];
static int posted_count;

/* Waits for what was posted since the last call. */
static inline void finish_exchanges(void) {
  MPI_Status statuses[8];
  int done = posted_count == 0;
  for (useconds_t nap = 100; !done; nap = nap < 1000 ? nap * 2 : nap) {
    MPI_Testall(posted_count, posted, &done, statuses);
    if (!done) usleep(nap);
  }
  posted_count = 0;
}

static inline void receive(void* data, int count, int from, int tag) {
  if (rest_ms == 0) {
    MPI_Recv(data, count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Irecv(data, count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, &posted[posted_count++]);
  finish_exchanges();
}

/* Sends `count` of a type to one rank, and receives as many from another; done after finish_exchanges(). */
static inline void exchange(const void* out, int to, void* in, int from, int count, MPI_Datatype type, int tag) {
  if (rest_ms == 0) {
    MPI_Sendrecv(out, count, type, to, tag, in, count, type, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Irecv(in, count, type, from, tag, MPI_COMM_WORLD, &posted[posted_count++]);
  MPI_Isend(out, count, type, to, tag, MPI_COMM_WORLD, &posted[posted_count++]);
}
