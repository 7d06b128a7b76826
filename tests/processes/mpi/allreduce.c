/* Every rank knows the sum of all, again and again; with an argument for so many seconds, else once. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, ranks;
  long sum = 0, rounds = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double until = MPI_Wtime() + (argc > 1 ? atof(argv[1]) : 0);
  if (rank == 0) {
    printf("begins\n");
    fflush(stdout);
  }
  int goes_on = 1;
  while (goes_on) {
    const long one = rank + 1;
    MPI_Allreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    ++rounds;
    const int mine = MPI_Wtime() < until;
    MPI_Allreduce(&mine, &goes_on, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("sum %ld of %d ranks\n", sum, ranks);
  MPI_Finalize();
  return sum == (long)ranks * (ranks + 1) / 2 ? 0 : 1;
}
