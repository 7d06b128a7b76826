/* Laplace's equation on a square grid by Jacobi's method, as in Sonmez et al. 2006, section 4.1: the grid is divided by
   rows, each rank exchanges its outer rows with its neighbours, and all agree on the largest change. The upper edge is
   held at 100, the others at 0. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int size = argc > 1 ? atoi(argv[1]) : 64, steps = argc > 2 ? atoi(argv[2]) : 200;
  const int first = size * rank / ranks, rows = size * (rank + 1) / ranks - first;
  const size_t width = (size_t)size + 2, cells = ((size_t)rows + 2) * width;
  double *now = calloc(cells, sizeof *now), *next = calloc(cells, sizeof *next);
  if (rank == 0)
    for (size_t column = 0; column < width; ++column) now[column] = next[column] = 100;
  const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  double change = 0;
  for (int step = 0; step < steps; ++step) {
    MPI_Sendrecv(now + width, (int)width, MPI_DOUBLE, above, 0, now + (size_t)(rows + 1) * width, (int)width,
                 MPI_DOUBLE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(now + (size_t)rows * width, (int)width, MPI_DOUBLE, below, 1, now, (int)width, MPI_DOUBLE, above, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
      for (size_t column = 0; column < width; ++column) now[column] = 100;
    double most = 0;
    for (int row = 1; row <= rows; ++row)
      for (int column = 1; column <= size; ++column) {
        const size_t i = (size_t)row * width + (size_t)column;
        next[i] = (now[i - 1] + now[i + 1] + now[i - width] + now[i + width]) / 4;
        most = fmax(most, fabs(next[i] - now[i]));
      }
    double* const before = now;
    now = next;
    next = before;
    MPI_Allreduce(&most, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  double heat = 0, all = 0;
  for (int row = 1; row <= rows; ++row)
    for (int column = 1; column <= size; ++column) heat += now[(size_t)row * width + (size_t)column];
  MPI_Reduce(&heat, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks: heat %.6f, last change %.3e\n", ranks, all, change);
  MPI_Finalize();
  return 0;
}
