import { combineVerdicts } from './decide-verdict';
import type { InteropCase } from './interop-case';
import { findKnownResult } from './known-results';
import type { InteropCell, InteropClient, InteropMatrix, InteropRunSummary } from './run-schema';

/** The runs of a case with one version that decide whether it is flaky. */
const runsCompared = 5;

/** `runs`: the newest first. */
export function buildMatrix(
  cases: readonly InteropCase[],
  clients: readonly InteropClient[],
  runs: readonly InteropRunSummary[],
): InteropMatrix {
  const ended = groupRuns(runs);
  return {
    cases: cases.map(showCase),
    clients: [...clients],
    cells: cases.flatMap(({ name }) =>
      clients.map((client) => buildCell(name, client, ended.get(keyOf(name, client)) ?? [])),
    ),
  };
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
  const compared = all.slice(0, runsCompared);
  const [newest] = compared;
  const verdict = combineVerdicts(compared.map((run) => run.verdict ?? 'not-run'));
  const known = verdict === 'works' ? undefined : findKnownResult(name, { name: client });
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
    if (run.state !== 'ended') continue;
    const key = keyOf(run.case, run.client);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return groups;
}

function keyOf(name: string, client: { readonly name: string; readonly version: string }): string {
  return `${name} ${client.name}@${client.version}`;
}
