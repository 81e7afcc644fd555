import { describe, expect, it } from 'vitest';
import type { InteropCell, InteropMatrix } from '@/lib/interop/run-schema';
import { buildMatrix } from '@/lib/views/interop-matrix/build-matrix';
import type { InteropFleet } from '@/lib/views/interop-matrix/fleet-schema';
import { listConsequences } from '@/lib/views/interop-matrix/list-consequences';

const js = { name: 'grpc-js', version: '1.14.1' };
const go = { name: 'grpc-go', version: '1.85.0' };
const other = { name: 'my-client', version: '3' };

const caseOf = (name: string, feature: string, grfc?: string) => ({
  ...{ name, feature, title: `The case ${name}.`, origin: 'description' as const },
  ...(grfc !== undefined && { grfc }),
});
const cell = (
  testCase: string,
  client: InteropCell['client'],
  verdict: InteropCell['verdict'],
  more: Partial<InteropCell> = {},
): InteropCell => ({
  ...{ case: testCase, client, verdict, reason: '' },
  ...{ working: verdict === 'works' ? 1 : 0, runs: 1, runId: `run-${testCase}`, ...more },
});

const matrix: InteropMatrix = {
  cases: [
    caseOf('ping_pong', 'Load balancing', 'A27'),
    caseOf('outlier_detection', 'Outlier detection', 'A50'),
    caseOf('explicit_outlier_detection', 'Outlier detection', 'A50'),
    caseOf('fallback_on_startup', 'Fallback', 'A71'),
  ],
  clients: [js, { ...go, unavailable: 'not built' }, other],
  cells: [
    cell('ping_pong', js, 'works', { seconds: 4.2 }),
    cell('outlier_detection', js, 'fails', { reason: 'b1 got RPCs', known: 'the defaults are overwritten' }),
    cell('explicit_outlier_detection', js, 'works'),
    cell('fallback_on_startup', js, 'works'),
    cell('outlier_detection', other, 'fails'),
  ],
};
const fleet: InteropFleet = {
  clients: 14,
  notRead: 0,
  releases: [
    {
      ...{ client: 'node', release: '1.14', userAgent: 'gRPC Node Pure JS 1.14.1', clients: 4 },
      uses: [
        {
          ...{ feature: 'Outlier detection', cases: ['outlier_detection'], lack: 'does not eject outliers' },
          ...{ clients: 3, resources: 6, service: 'CDS', names: ['cart', 'orders'] },
        },
        {
          ...{ feature: 'Retries', cases: ['retry_3_of_4', 'retry_4_of_4'], lack: 'does not retry requests' },
          ...{ clients: 1, resources: 1, service: 'RDS', names: ['web'] },
        },
      ],
    },
  ],
};

describe('the matrix of clients and cases', () => {
  const built = buildMatrix(matrix, fleet);

  it('groups cases by feature, and counts what works in each column', () => {
    expect(built.features.map(({ feature, grfcs, rows }) => [feature, grfcs, rows.length])).toEqual([
      ['Load balancing', ['A27'], 1],
      ['Outlier detection', ['A50'], 2],
      ['Fallback', ['A71'], 1],
    ]);
    expect(built.features[1]?.cells).toEqual([
      { working: 1, ran: 2, unable: 0, cases: 2, differs: 1 },
      { working: 0, ran: 0, unable: 0, cases: 2, differs: 0 },
      { working: 0, ran: 1, unable: 0, cases: 2, differs: 0 },
    ]);
  });

  it('counts no run that proves nothing', () => {
    const cells = [cell('ping_pong', js, 'inconclusive')];
    expect(buildMatrix({ ...matrix, cells }, fleet).features[0]?.cells[0]).toEqual({
      ...{ working: 0, ran: 0, unable: 0, cases: 1, differs: 0 },
    });
  });

  it('counts what the program of a client lacks apart', () => {
    const cells = [cell('ping_pong', js, 'unable')];
    expect(buildMatrix({ ...matrix, cells }, fleet).features[0]?.cells[0]).toMatchObject({
      ran: 0,
      unable: 1,
    });
  });

  it('states what is claimed beside what was seen, and marks where they differ', () => {
    const cells = built.features.flatMap(({ rows }) => rows.map((row) => row.cells[0]));
    expect(
      cells.map((each) => [each?.verdict, each?.claims.map(({ isSupported }) => isSupported), each?.differs]),
    ).toEqual([
      ['works', [true, true], false],
      ['fails', [true, true], true],
      ['works', [true, true], false],
      ['works', [false, false], true],
    ]);
    expect(built.features[1]?.rows[0]?.cells[2]).toEqual({
      ...{ verdict: 'fails', reason: '', working: 0, runs: 1, runId: 'run-outlier_detection' },
      ...{ claims: [], differs: false },
    });
    const byFlag = [cell('ping_pong', go, 'by-flag')];
    expect(buildMatrix({ ...matrix, cells: byFlag }, fleet).features[0]?.cells[1]).toEqual({
      ...{ working: 0, ran: 1, unable: 0, cases: 1, differs: 1 },
    });
    expect(built.features[0]?.rows[0]?.cells[1]).toMatchObject({
      verdict: 'not-run',
      differs: false,
      runs: 0,
    });
  });

  it('states the share of the fleet that has the release', () => {
    expect(built.columns.map(({ key, share, inFleet }) => [key, share, inFleet?.clients])).toEqual([
      ['grpc-js 1.14.1', 4 / 14, 4],
      ['grpc-go 1.85.0', 0, undefined],
      ['my-client 3', 0, undefined],
    ]);
    expect(buildMatrix(matrix, undefined).columns[0]?.share).toBe(0);
  });
});

describe('what the results mean for the fleet', () => {
  it('is stated where a release of the fleet lacks what its config uses', () => {
    expect(listConsequences(buildMatrix(matrix, fleet), fleet.clients)).toEqual([
      {
        ...{ userAgent: 'gRPC Node Pure JS 1.14.1', feature: 'Outlier detection' },
        text: '3 of your 14 clients run a release that does not eject outliers, though 6 clusters of theirs configure it',
        detail: 'gRPC Node Pure JS 1.14.1: the defaults are overwritten',
        ...{ names: ['cart', 'orders'], moreNames: 4, service: 'CDS' },
        cases: [{ name: 'outlier_detection', runId: 'run-outlier_detection' }],
      },
    ]);
  });

  it('names the case if another one of the feature works', () => {
    const retries = ['retry_3_of_4', 'retry_4_of_4'] as const;
    const built = buildMatrix(
      {
        ...matrix,
        cases: retries.map((name) => caseOf(name, 'Retries', 'A44')),
        cells: [cell(retries[0], js, 'works'), cell(retries[1], js, 'rejects', { reason: 'NACK of RDS' })],
      },
      fleet,
    );
    expect(listConsequences(built, 14)).toMatchObject([
      {
        text: '1 of your 14 clients runs a release that rejects retry_4_of_4, though 1 route configuration of theirs configures retries',
        detail: 'gRPC Node Pure JS 1.14.1: rejects retry_4_of_4: NACK of RDS',
      },
    ]);
  });

  it('is nothing where the config does not use the feature, or the test program lacks something', () => {
    const unable = matrix.cells.map((each) =>
      each.case === 'outlier_detection' ? { ...each, verdict: 'unable' as const } : each,
    );
    const built = buildMatrix({ ...matrix, cells: unable }, fleet);
    expect(listConsequences(built, 14)).toEqual([]);
    const ranBefore = sumOf(buildMatrix(matrix, fleet));
    expect(sumOf(built)).toBeLessThan(ranBefore);
    const [release] = fleet.releases;
    const unused = { ...fleet, releases: release === undefined ? [] : [{ ...release, uses: [] }] };
    expect(listConsequences(buildMatrix(matrix, unused), 14)).toEqual([]);
  });
});

/** The number of results that state something of a client. */
function sumOf({ features }: ReturnType<typeof buildMatrix>): number {
  return features.flatMap(({ cells }) => cells).reduce((sum, { ran }) => sum + ran, 0);
}
