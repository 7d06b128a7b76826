/* The heat equation on SIZE x SIZE cells by a master and workers, as in Sonmez et al. 2006, section 5.2: the master
   cuts the domain into rows and sends them out; in each of STEPS steps the workers exchange their outer rows with
   their neighbours; in the end they send their rows back. Rank 0 is the master. It prints the seconds that all of it
   took, and the sum of all cells. Each step rests REST milliseconds (resting.h), by default none. */
#include <stdio.h>
#include <stdlib.h>

#include "resting.h"

enum { to_worker = 1, to_above, to_below, to_master };

static int first_row(int size, int worker, int workers) { return (int)((long)size * worker / workers); }

static void work(int size, int steps, int rank, int ranks) {
  const int workers = ranks - 1, rows = first_row(size, rank, workers) - first_row(size, rank - 1, workers);
  const size_t cells = (size_t)(rows + 2) * size;
  double *now = calloc(cells, sizeof *now), *next = calloc(cells, sizeof *next);
  const int above = rank > 1 ? rank - 1 : MPI_PROC_NULL, below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  receive(now + size, rows * size, 0, to_worker);
  for (int step = 0; step < steps; ++step) {
    exchange(now + size, above, now + (size_t)(rows + 1) * size, below, size, MPI_DOUBLE, to_above);
    exchange(now + (size_t)rows * size, below, now, above, size, MPI_DOUBLE, to_below);
    finish_exchanges();
    rest();
    for (int y = 1; y <= rows; ++y)
      for (int x = 0; x < size; ++x) {
        const size_t i = (size_t)y * size + x;
        const double left = x > 0 ? now[i - 1] : now[i], right = x + 1 < size ? now[i + 1] : now[i];
        next[i] = now[i] + 0.1 * (left + right + now[i - size] + now[i + size] - 4 * now[i]);
      }
    double* const before = now;
    now = next;
    next = before;
  }
  MPI_Send(now + size, rows * size, MPI_DOUBLE, 0, to_master, MPI_COMM_WORLD);
}

static double lead(int size, int ranks) {
  const int workers = ranks - 1;
  double* all = calloc((size_t)size * size, sizeof *all);
  for (int y = size / 4; y < 3 * size / 4; ++y)
    for (int x = size / 4; x < 3 * size / 4; ++x) all[(size_t)y * size + x] = 100;
  for (int way = 0; way < 2; ++way)
    for (int worker = 1; worker < ranks; ++worker) {
      const int first = first_row(size, worker - 1, workers), rows = first_row(size, worker, workers) - first;
      if (way == 0)
        MPI_Send(all + (size_t)first * size, rows * size, MPI_DOUBLE, worker, to_worker, MPI_COMM_WORLD);
      else
        receive(all + (size_t)first * size, rows * size, worker, to_master);
    }
  double sum = 0;
  for (size_t i = 0; i < (size_t)size * size; ++i) sum += all[i];
  return sum;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int size = argc > 1 ? atoi(argv[1]) : 240, steps = argc > 2 ? atoi(argv[2]) : 100;
  rest_ms = argc > 3 ? atof(argv[3]) : 0;
  if (ranks < 2 || size < ranks) {
    if (rank == 0) fprintf(stderr, "heat: expected two ranks at least, and no more ranks than rows\n");
    MPI_Finalize();
    return 2;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  double sum = 0;
  if (rank > 0)
    work(size, steps, rank, ranks);
  else
    sum = lead(size, ranks);
  if (rank == 0) printf("seconds %.6f sum %.6f ranks %d\n", MPI_Wtime() - began, sum, ranks);
  MPI_Finalize();
  return 0;
}
