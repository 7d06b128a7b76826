/* A token goes round all ranks once; each adds its number. Rank 0 prints the sum, and every rank where it runs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, ranks, token = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* component = getenv("DMM_COMPONENT");
  printf("rank %d of %d in component %s\n", rank, ranks, component ? component : "?");
  if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  token += rank;
  if (ranks > 1) MPI_Send(&token, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    if (ranks > 1) MPI_Recv(&token, 1, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("sum %d\n", token);
  }
  MPI_Finalize();
  return argc > 1 ? atoi(argv[1]) : 0;
}
