/* Laplace's equation on a square of SIZE x SIZE cells by Jacobi's method, on a square grid of ranks, as in Sonmez et
   al. 2006, section 5.1: each rank exchanges its four edges with its neighbours in each of STEPS steps. The upper edge
   of the square is held at 100, the others at 0. Rank 0 prints the seconds that the steps took, and the sum of all
   cells. Each step rests REST milliseconds (resting.h), by default none. */
#include <stdio.h>
#include <stdlib.h>

#include "resting.h"

static int side_of(int ranks) {
  int side = 1;
  while (side * side < ranks) ++side;
  return side;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int size = argc > 1 ? atoi(argv[1]) : 240, steps = argc > 2 ? atoi(argv[2]) : 100;
  rest_ms = argc > 3 ? atof(argv[3]) : 0;
  const int side = side_of(ranks);
  if (side * side != ranks || size % side != 0) {
    if (rank == 0) fprintf(stderr, "laplace: expected a square number of ranks whose root divides the size\n");
    MPI_Finalize();
    return 2;
  }
  const int row = rank / side, column = rank % side, n = size / side, width = n + 2;
  const int up = row > 0 ? rank - side : MPI_PROC_NULL, down = row + 1 < side ? rank + side : MPI_PROC_NULL;
  const int left = column > 0 ? rank - 1 : MPI_PROC_NULL, right = column + 1 < side ? rank + 1 : MPI_PROC_NULL;
  double *now = calloc((size_t)width * width, sizeof *now), *next = calloc((size_t)width * width, sizeof *next);
  if (row == 0)
    for (int i = 0; i < width; ++i) now[i] = next[i] = 100;
  MPI_Datatype edge; /* a column */
  MPI_Type_vector(n, 1, width, MPI_DOUBLE, &edge);
  MPI_Type_commit(&edge);
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    exchange(now + width + 1, up, now + (n + 1) * width + 1, down, n, MPI_DOUBLE, 0);
    exchange(now + n * width + 1, down, now + 1, up, n, MPI_DOUBLE, 1);
    exchange(now + width + 1, left, now + width + n + 1, right, 1, edge, 2);
    exchange(now + width + n, right, now + width, left, 1, edge, 3);
    finish_exchanges();
    rest();
    for (int y = 1; y <= n; ++y)
      for (int x = 1; x <= n; ++x) {
        const int i = y * width + x;
        next[i] = (now[i - 1] + now[i + 1] + now[i - width] + now[i + width]) / 4;
      }
    double* const before = now;
    now = next;
    next = before;
  }
  const double took = MPI_Wtime() - began;
  double sum = 0, all = 0, longest = 0;
  for (int y = 1; y <= n; ++y)
    for (int x = 1; x <= n; ++x) sum += now[y * width + x];
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("seconds %.6f sum %.6f ranks %d\n", longest, all, ranks);
  MPI_Finalize();
  return 0;
}
