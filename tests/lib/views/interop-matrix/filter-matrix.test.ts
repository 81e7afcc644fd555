import { expect, it } from 'vitest';
import type { InteropCell, InteropMatrix } from '@/lib/interop/run-schema';
import { buildMatrix } from '@/lib/views/interop-matrix/build-matrix';
import { filterMatrix } from '@/lib/views/interop-matrix/filter-matrix';
import type { InteropFleet } from '@/lib/views/interop-matrix/fleet-schema';

const js = { name: 'grpc-js', version: '1.14.1' };
const go = { name: 'grpc-go', version: '1.85.0' };
const oldGo = { name: 'grpc-go', version: '1.64.1' };
const other = { name: 'my-client', version: '3' };

const caseOf = (name: string, feature: string, grfc: string) => ({
  ...{ name, feature, grfc, title: `The case ${name}.`, origin: 'description' as const },
});
const cell = (
  testCase: string,
  client: InteropCell['client'],
  verdict: InteropCell['verdict'],
): InteropCell => ({
  ...{ case: testCase, client, verdict, reason: '' },
  ...{ working: verdict === 'works' ? 1 : 0, runs: 1, runId: `run-${testCase}` },
});

const matrix: InteropMatrix = {
  cases: [
    caseOf('ping_pong', 'Load balancing', 'A27'),
    caseOf('outlier_detection', 'Outlier detection', 'A50'),
    caseOf('explicit_outlier_detection', 'Outlier detection', 'A50'),
    caseOf('fallback_on_startup', 'Fallback', 'A71'),
  ],
  clients: [js, go, oldGo, other],
  cells: [
    ...[js, go, oldGo].map((client) => cell('ping_pong', client, 'works')),
    cell('outlier_detection', js, 'fails'),
    cell('outlier_detection', go, 'works'),
    cell('explicit_outlier_detection', js, 'works'),
    cell('fallback_on_startup', js, 'unable'),
    cell('fallback_on_startup', oldGo, 'fails'),
    cell('outlier_detection', other, 'fails'),
  ],
};
const fleet: InteropFleet = {
  ...{ clients: 4, notRead: 0 },
  releases: [
    { client: 'node', release: '1.14', userAgent: 'gRPC Node Pure JS 1.14.1', clients: 4, uses: [] },
  ],
};
const built = buildMatrix(matrix, fleet);
const all = ['ping_pong', 'outlier_detection', 'explicit_outlier_detection', 'fallback_on_startup'];
const outliers = ['outlier_detection', 'explicit_outlier_detection'];

function filter(text: string, { differs = false, inFleet = false } = {}) {
  const { columns, features } = filterMatrix(built, { text, differs, inFleet });
  return {
    cases: features.flatMap(({ rows }) => rows.map((row) => row.case.name)),
    columns: columns.map(({ key }) => key),
    cells: features.map(({ cells }) => cells),
  };
}

it.each([
  ['', all],
  ['a50 explicit', ['explicit_outlier_detection']],
  ['fails', ['outlier_detection', 'fallback_on_startup']],
  ['nothing such', []],
  ['feature=fallback', ['fallback_on_startup']],
  ['feature=a50', outliers],
  ['feature!=A50', ['ping_pong', 'fallback_on_startup']],
  ['case~outlier', outliers],
  ['verdict=fails', ['outlier_detection', 'fallback_on_startup']],
  ['verdict=unable', ['fallback_on_startup']],
  ['client=my-client verdict=fails', ['outlier_detection']],
  [
    'client=grpc-go verdict!=works',
    ['outlier_detection', 'explicit_outlier_detection', 'fallback_on_startup'],
  ],
  ['client=grpc-go@1.85.0 verdict=works', ['ping_pong', 'outlier_detection']],
  ['claim=differs', ['outlier_detection']],
  ['client=grpc-js claim=agrees', ['ping_pong', 'explicit_outlier_detection']],
  // gRPC-Go 1.64 precedes the first release with fallback.
  ['client=grpc-go@1.64.1 claim=agrees', ['ping_pong', 'fallback_on_startup']],
  ['client~my claim=none', all],
  // One result fulfils all conditions of results.
  ['verdict=works claim=differs', []],
  // Not valid: it does not filter.
  ['verdict=broken', all],
])('cases by %j', (text, expected) => {
  expect(filter(text).cases).toEqual(expected);
});

it.each([
  ['client=grpc-go', ['grpc-go 1.85.0', 'grpc-go 1.64.1']],
  ['client!=grpc-go', ['grpc-js 1.14.1', 'my-client 3']],
  ['client="grpc-go 1.64.1"', ['grpc-go 1.64.1']],
  ['client=1.64.1', ['grpc-go 1.64.1']],
  ['client~envoy', []],
  ['verdict=unable', ['grpc-js 1.14.1', 'grpc-go 1.85.0', 'grpc-go 1.64.1', 'my-client 3']],
])('columns by %j', (text, expected) => {
  expect(filter(text).columns).toEqual(expected);
});

it('leaves cases with a result that contradicts its claim, and releases of the fleet', () => {
  expect(filter('', { differs: true }).cases).toEqual(['outlier_detection']);
  expect(filter('client=grpc-go', { differs: true }).cases).toEqual([]);
  expect(filter('client=grpc-go', { inFleet: true }).columns).toEqual([]);
  const inFleet = filter('', { inFleet: true });
  expect(inFleet.columns).toEqual(['grpc-js 1.14.1']);
  expect(inFleet.cells[1]).toEqual([{ working: 1, ran: 2, unable: 0, cases: 2, differs: 1 }]);
});
