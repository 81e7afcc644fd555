import type * as z from 'zod';
import { addShippedClients, buildMatrix, showCase } from '@/lib/interop/build-matrix';
import { interopCases } from '@/lib/interop/cases/interop-cases';
import type {
  InteropMatrix,
  InteropRun,
  InteropRunSummary,
  interopRunRequest,
  interopRuns,
} from '@/lib/interop/run-schema';
import { ApiError, badRequest, notFound } from '../../api-error';
import {
  chooseCases,
  findProgram,
  type InteropRuns,
  listPrograms,
} from '../../lab/interop-runs/interop-runs';
import { referenceRuns } from '../../lab/interop-runs/reference-runs';

/** Runs of the interop tests by the API. */
export class InteropRunsApi {
  readonly #runs: InteropRuns;

  constructor(runs: InteropRuns) {
    this.#runs = runs;
  }

  list(): z.infer<typeof interopRuns> {
    return {
      clients: addShippedClients(this.#listClients(), referenceRuns),
      cases: interopCases.map(showCase),
      items: [...this.#runs.list()],
    };
  }

  find(id: string): InteropRun {
    const shipped = referenceRuns.find((run) => run.id === id);
    const found = this.#runs.find(id) ?? (shipped && { ...shipped, isShipped: true as const });
    if (found === undefined) throw notFound('Run', `no run has the id ${JSON.stringify(id)}`);
    return found;
  }

  matrix(): InteropMatrix {
    const runs = { own: this.#runs.list(), shipped: referenceRuns };
    return buildMatrix(interopCases, this.#listClients(), runs);
  }

  /** Throws an ApiError: 400 if there is no such client or case, 409 if the client runs already. */
  start({ client, cases: names }: z.output<typeof interopRunRequest>): readonly InteropRunSummary[] {
    const { programs } = this.#runs;
    const program = findProgram(programs, client);
    if (program === undefined) {
      const known = listPrograms(programs);
      throw badRequest(`client: expected one of ${known}, got ${JSON.stringify(client)}`, 'client');
    }
    if (program.unavailable !== undefined) {
      const detail = `client ${client}: ${program.unavailable}`;
      throw new ApiError(409, 'Client cannot be started', detail);
    }
    const { cases, unknown } = chooseCases(names);
    if (unknown !== undefined) {
      const known = interopCases.map(({ name }) => name).join(', ');
      throw badRequest(`cases: expected some of ${known}, got ${JSON.stringify(unknown)}`, 'cases');
    }
    if (this.#runs.isBusy(program)) {
      const detail = `expected no other run of ${client} under way, got one: wait until it has ended, or stop it`;
      throw new ApiError(409, 'Client is running', detail);
    }
    return this.#runs.start(program, cases);
  }

  stop(): void {
    this.#runs.stop();
  }

  #listClients() {
    return this.#runs.programs.map(({ name, version, unavailable }) => ({
      ...{ name, version, ...(unavailable !== undefined && { unavailable }) },
    }));
  }
}
