/* Laplace's equation on a square of SIZE x SIZE cells by Jacobi's method, on a square grid of ranks, as in Sonmez et
   al. 2006, section 5.1: each rank exchanges its four edges with its neighbours in each of STEPS steps. The upper edge
   of the square is held at 100, the others at 0. Rank 0 prints the seconds that the steps took, and the sum of all
   cells. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

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
    MPI_Sendrecv(now + width + 1, n, MPI_DOUBLE, up, 0, now + (n + 1) * width + 1, n, MPI_DOUBLE, down, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(now + n * width + 1, n, MPI_DOUBLE, down, 1, now + 1, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(now + width + 1, 1, edge, left, 2, now + width + n + 1, 1, edge, right, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(now + width + n, 1, edge, right, 3, now + width, 1, edge, left, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
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
