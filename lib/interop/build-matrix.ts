import { combineVerdicts } from './decide-verdict';
import type { InteropCase } from './interop-case';
import { findKnownResult } from './known-results';
import type { InteropCell, InteropClient, InteropMatrix, InteropRunSummary } from './run-schema';

/** The runs of a case with one version that decide whether it is flaky. */
const runsCompared = 5;

interface MatrixRuns {
  /** Runs of this xdscope, the newest first. */
  readonly own: readonly InteropRunSummary[];
  /** Runs that ship with xdscope: they state the cases that were not run here. */
  readonly shipped: readonly InteropRunSummary[];
}

/** The servers of the lab, with which the matrix compares clients. */
const usualBackends = 'grpc-js';

/** Runs with the servers of another program are left out. */
export function buildMatrix(
  cases: readonly InteropCase[],
  clients: readonly InteropClient[],
  { own, shipped }: MatrixRuns,
): InteropMatrix {
  const ended = groupRuns(own);
  const endedElsewhere = groupRuns(shipped);
  const all = addShippedClients(clients, shipped);
  return {
    cases: cases.map(showCase),
    clients: all,
    cells: cases.flatMap(({ name }) =>
      all.map((client) => {
        const key = keyOf(name, client);
        const runs = ended.get(key);
        if (runs !== undefined) return buildCell(name, client, runs);
        const elsewhere = endedElsewhere.get(key) ?? [];
        const [newest] = elsewhere;
        const cell = buildCell(name, client, elsewhere);
        return newest === undefined ? cell : { ...cell, shippedAt: newest.startedAt };
      }),
    ),
  };
}

/**
 * Adds clients with runs that ship with xdscope, which this machine does not have, with how to get them. The versions of a client
 * are together, the newest first.
 */
export function addShippedClients(
  clients: readonly InteropClient[],
  shipped: readonly InteropRunSummary[],
): InteropClient[] {
  const known = new Set(clients.map((client) => keyOf('', client)));
  const others = new Map<string, InteropClient>();
  for (const { client } of shipped) {
    const key = keyOf('', client);
    const unavailable = `expected the program of ${client.name} ${client.version}, found none on this machine: npm run test:peers -- --interop builds it`;
    if (!known.has(key)) others.set(key, { ...client, unavailable });
  }
  const all = [...clients, ...others.values()];
  const names = [...new Set(all.map(({ name }) => name))];
  return names.flatMap((name) =>
    all
      .filter((client) => client.name === name)
      .sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true })),
  );
}

export function showCase({
  name,
  title,
  feature,
  grfc,
  origin,
}: InteropCase): InteropMatrix['cases'][number] {
  return { name, title, feature, origin, ...(grfc !== undefined && { grfc }) };
}

function buildCell(
  name: string,
  { name: client, version }: InteropClient,
  all: readonly InteropRunSummary[],
): InteropCell {
  // A run that was repeated with environment variables is part of that run.
  const decisive = all.filter(
    ({ environment }, at) => environment !== undefined || all[at - 1]?.environment === undefined,
  );
  const compared = decisive.slice(0, runsCompared);
  const [newest] = compared;
  const verdict = combineVerdicts(compared.map((run) => run.verdict ?? 'not-run'));
  const known = verdict === 'works' ? undefined : findKnownResult(name, { name: client, version });
  return {
    ...{ case: name, client: { name: client, version }, verdict, reason: newest?.reason ?? '' },
    ...(known?.verdict === verdict && { known: known.reason }),
    ...(newest !== undefined && { runId: newest.id }),
    ...(newest?.seconds !== undefined && { seconds: newest.seconds }),
    working: compared.filter((run) => run.verdict === 'works').length,
    runs: compared.length,
  };
}

function groupRuns(runs: readonly InteropRunSummary[]): ReadonlyMap<string, InteropRunSummary[]> {
  const groups = new Map<string, InteropRunSummary[]>();
  for (const run of runs) {
    if (run.state !== 'ended' || (run.backends?.name ?? usualBackends) !== usualBackends) continue;
    const key = keyOf(run.case, run.client);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return groups;
}

function keyOf(name: string, client: { readonly name: string; readonly version: string }): string {
  return `${name} ${client.name}@${client.version}`;
}
