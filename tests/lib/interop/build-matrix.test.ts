import { expect, it } from 'vitest';
import { buildMatrix } from '@/lib/interop/build-matrix';
import type { InteropCase } from '@/lib/interop/interop-case';
import type { InteropRunSummary } from '@/lib/interop/run-schema';

const caseOf = (name: string): InteropCase => ({
  ...{ name, title: `${name} works`, feature: 'Failover', grfc: 'A27', origin: 'description' },
  ...{ backends: {}, steps: [] },
});
const [js, go] = [
  { name: 'grpc-js', version: '1.14.1' },
  { name: 'grpc-go', version: '1.85.0' },
];

function runOf(id: string, run: Partial<InteropRunSummary>): InteropRunSummary {
  const usual = {
    case: 'ping_pong',
    client: go,
    state: 'ended',
    startedAt: 0,
    seconds: 2,
    reason: '',
  } as const;
  return { id, ...usual, ...run };
}

const matrixOf = (...own: InteropRunSummary[]) => matrixBeside([], own);
const matrixBeside = (shipped: readonly InteropRunSummary[], own: readonly InteropRunSummary[]) =>
  buildMatrix([caseOf('ping_pong'), caseOf('outlier_detection')], [js, go], { own, shipped });

it('has a cell for each case and client, with the newest run', () => {
  const { cells, cases } = matrixOf(
    runOf('3', { state: 'running' }),
    runOf('2', { verdict: 'works', seconds: 1 }),
    runOf('1', { verdict: 'works' }),
  );
  expect(cases[0]).toEqual({
    ...{
      name: 'ping_pong',
      title: 'ping_pong works',
      feature: 'Failover',
      grfc: 'A27',
      origin: 'description',
    },
  });
  expect(cells.map((cell) => [cell.case, cell.client.name, cell.verdict])).toEqual([
    ['ping_pong', 'grpc-js', 'not-run'],
    ['ping_pong', 'grpc-go', 'works'],
    ['outlier_detection', 'grpc-js', 'not-run'],
    ['outlier_detection', 'grpc-go', 'not-run'],
  ]);
  // A run that has not ended has no result.
  expect(cells[1]).toMatchObject({ runId: '2', seconds: 1, working: 2, runs: 2 });
});

it('calls a cell flaky by the newest five runs of the version', () => {
  const failed = runOf('0', { verdict: 'fails', reason: 'none answered' });
  const worked = [1, 2, 3, 4, 5].map((id) => runOf(String(id), { verdict: 'works' }));
  expect(matrixOf(...worked.slice(1), failed).cells[1]).toMatchObject({
    verdict: 'flaky',
    working: 4,
    runs: 5,
  });
  expect(matrixOf(...worked, failed).cells[1]).toMatchObject({ verdict: 'works', working: 5, runs: 5 });
  const otherVersion = { ...failed, client: { ...go, version: '1.84.0' } };
  expect(matrixOf(...worked.slice(1), otherVersion).cells[1]?.verdict).toBe('works');
});

it('has the reason of a result that is listed', () => {
  const outlier = { case: 'outlier_detection', client: js, verdict: 'fails', reason: 'expected 4' } as const;
  expect(matrixOf(runOf('1', outlier)).cells[2]).toMatchObject({
    ...{ verdict: 'fails', reason: 'expected 4', known: expect.stringMatching(/unset fields/) },
  });
  expect(matrixOf(runOf('1', { ...outlier, verdict: 'works' })).cells[2]?.known).toBeUndefined();
});

it('states a run with environment variables instead of the one that it repeats', () => {
  const environment = { GRPC_A: 'true' };
  const flagged = runOf('2', { verdict: 'by-flag', reason: 'works with GRPC_A=true', environment });
  const without = runOf('1', { verdict: 'fails' });
  expect(matrixOf(flagged, without, flagged, without).cells[1]).toMatchObject({
    ...{ verdict: 'by-flag', reason: 'works with GRPC_A=true', runId: '2', runs: 2 },
  });
  const later = runOf('3', { verdict: 'works' });
  expect(matrixOf(later, flagged, without).cells[1]).toMatchObject({ verdict: 'flaky', working: 1, runs: 2 });
});

it('states a run that ships with xdscope where none was done here, and its client if it is not on this machine', () => {
  const java = { name: 'grpc-java', version: '1.85.1' };
  const shipped = [
    runOf('s1', { verdict: 'works', startedAt: 5 }),
    runOf('s2', { case: 'outlier_detection', verdict: 'fails', startedAt: 6 }),
    runOf('s3', { client: java, verdict: 'works', startedAt: 7 }),
    runOf('s4', { client: { ...go, version: '1.9.2' }, verdict: 'works', startedAt: 8 }),
    runOf('s5', { client: { ...go, version: '1.64.1' }, verdict: 'works', startedAt: 9 }),
  ];
  const { clients, cells } = matrixBeside(shipped, [runOf('1', { verdict: 'rejects' })]);
  const unavailable = expect.stringMatching(/found none on this machine: npm run test:peers/);
  // The versions of a client are together, the newest first.
  expect(clients).toEqual([
    js,
    go,
    ...['1.64.1', '1.9.2'].map((version) => ({ ...go, version, unavailable })),
    { ...java, unavailable },
  ]);
  const byGo = cells.filter(({ client: { name, version } }) => `${name} ${version}` === 'grpc-go 1.85.0');
  expect(byGo.map(({ runId, verdict, shippedAt }) => [runId, verdict, shippedAt])).toEqual([
    ['1', 'rejects', undefined],
    ['s2', 'fails', 6],
  ]);
  expect(cells.find(({ client }) => client.name === 'grpc-java')).toMatchObject({
    runId: 's3',
    shippedAt: 7,
  });
});

it('states a known result of the version alone that has it, or of every version of a program', () => {
  const knownOf = (testCase: string, client: InteropRunSummary['client'], verdict: 'fails' | 'unable') => {
    const { cells } = buildMatrix([caseOf(testCase)], [client], {
      own: [runOf('1', { case: testCase, client, verdict })],
      shipped: [],
    });
    return cells[0]?.known;
  };
  const goOf = (version: string) => ({ name: 'grpc-go', version });
  expect(knownOf('fallback_on_startup', goOf('1.85.0'), 'fails')).toMatch(/^grpc-go 1.85.0 does not request/);
  expect(knownOf('fallback_on_startup', goOf('1.64.1'), 'fails')).toBeUndefined();
  expect(knownOf('fallback_on_startup', goOf('1.64.1'), 'unable')).toMatch(/^grpc-go 1.64.1 uses the first/);
  expect(knownOf('fallback_on_startup', goOf('1.86.0'), 'fails')).toBeUndefined();
  expect(knownOf('custom_lb', { ...js, version: '1.15.0' }, 'unable')).toMatch(/does not implement/);
});

it('leaves out runs with the servers of another program than the lab', () => {
  const { cells } = matrixOf(
    runOf('2', { verdict: 'fails', backends: { name: 'c-core', version: '1.85.1' } }),
    runOf('1', { verdict: 'works', backends: { name: 'grpc-js', version: '1.14.1' } }),
  );
  expect(cells[1]).toMatchObject({ verdict: 'works', runId: '1', runs: 1 });
});
