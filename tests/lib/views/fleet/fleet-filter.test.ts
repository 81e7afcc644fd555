import { describe, expect, it } from 'vitest';
import { formatFilterProblem } from '@/lib/filter/parse-filter';
import type { ClientSummary } from '@/lib/views/client/schema';
import { matchesFleetFilter, parseFleetFilter } from '@/lib/views/fleet/fleet-filter';
import { buildFleetMember } from '@/lib/views/fleet/fleet-member';
import { LDS } from '@/lib/xds/resource-type';
import { clientSummary, typeSummary } from '../../../support/builders/fleet-fixtures';

const cart = clientSummary({
  nodeId: 'cart-1',
  trouble: 1,
  worst: 'NACKED',
  troubleText: 'cluster "Pay": no hosts',
  types: [
    typeSummary({ byState: { NACKED: 1, ACKED: 2 }, byConfigStatus: { STALE: 1 }, versions: ['7'] }),
    typeSummary({ typeUrl: LDS.typeUrl, service: 'LDS', byState: { ACKED: 1 } }),
  ],
});
const pay = clientSummary({
  ...{ nodeId: 'pay-1', freshness: 'gone', locality: null, scope: 'xds:///pay' },
  waiting: [
    {
      ...{ state: 'WARMING', resources: 1, typeUrl: LDS.typeUrl, service: 'LDS', name: 'l1' },
      ...{ versionInfo: '1', since: 0, waitsFor: [] },
    },
  ],
});

const metadata = { version: 'v2', labels: { 'app.kubernetes.io/name': 'Cart One' } };
const memberOf = (client: ClientSummary) =>
  buildFleetMember(client, { metadata: client === cart ? metadata : {} });

const table: readonly (readonly [filter: string, matches: string])[] = [
  ['', 'cart-1 pay-1'],
  ['   ', 'cart-1 pay-1'],
  ['CART', 'cart-1'],
  ['cart pay', 'cart-1'],
  ['"no hosts"', 'cart-1'],
  ['status=NACKED', 'cart-1'],
  ['status=nacked', 'cart-1'],
  ['status!=NACKED', 'pay-1'],
  ['type=LDS', 'cart-1'],
  ['type=cluster', 'cart-1 pay-1'],
  ['type=LDS status=NACKED', ''],
  ['type=CDS status=NACKED', 'cart-1'],
  ['type!=LDS', 'pay-1'],
  ['config=STALE', 'cart-1'],
  ['config=STALE type=LDS', ''],
  ['version=7', 'cart-1'],
  ['fresh=gone', 'pay-1'],
  ['fresh!=live', 'pay-1'],
  ['locality~"eu / eu-1"', 'cart-1'],
  ['locality=eu-1', 'cart-1'],
  ['scope~pay', 'pay-1'],
  ['trouble=yes', 'cart-1'],
  ['zone=eu-1', 'cart-1'],
  ['meta.version=V2', 'cart-1'],
  ['meta.version!=v2', 'pay-1'],
  ['meta.labels.app.kubernetes.io/name~"cart one"', 'cart-1'],
  ['is=vanished', 'pay-1'],
  ['is=waiting', 'pay-1'],
  ['is!=waiting', 'cart-1'],
  ['trouble=no', 'pay-1'],
  ['node~-1 trouble=no', 'pay-1'],
  ['agent~"node-js 1.14"', 'cart-1 pay-1'],
];

describe('matchesFleetFilter', () => {
  it.each(table)('%s', (text, expected) => {
    const filter = parseFleetFilter(text);
    const matching = [cart, pay].filter((client) => matchesFleetFilter(memberOf(client), filter));
    expect(matching.map(({ nodeId }) => nodeId).join(' ')).toBe(expected);
    expect(filter.problems).toEqual([]);
  });
});

describe('parseFleetFilter', () => {
  it('reports invalid parts with their positions, without filtering by them', () => {
    const text = 'stat=NACKED status=BROKEN node=';
    const filter = parseFleetFilter(text);
    expect(filter.problems.map((problem) => formatFilterProblem(text, problem))).toEqual([
      expect.stringMatching(/^stat=NACKED at character 1: no filter is called "stat": expected status, /),
      'status=BROKEN at character 13: expected NACKED, DOES_NOT_EXIST, TIMEOUT, RECEIVED_ERROR, UNKNOWN, REQUESTED, WARMING, NO_ANSWER, DRAINING, ACTIVE or ACKED, got "BROKEN"',
      'node= at character 27: expected a value, got none',
    ]);
    expect(matchesFleetFilter(memberOf(cart), filter)).toBe(true);
  });

  it('matches unreported fields with ""', () => {
    const [reported, unreported] = [cart, { ...cart, cluster: '', locality: null }].map(memberOf);
    for (const text of ['cluster=""', 'zone=""', 'meta.colour="" cluster=""']) {
      const filter = parseFleetFilter(text);
      expect(filter.problems).toEqual([]);
      expect(reported && matchesFleetFilter(reported, filter)).toBe(false);
      expect(unreported && matchesFleetFilter(unreported, filter)).toBe(true);
    }
    const others = parseFleetFilter('cluster!=""');
    expect(reported && matchesFleetFilter(reported, others)).toBe(true);
    expect(unreported && matchesFleetFilter(unreported, others)).toBe(false);
  });

  it('treats names of Object.prototype as unknown keys', () => {
    expect(parseFleetFilter('constructor=x').problems).toHaveLength(1);
  });

  it('accepts an open quote', () => {
    expect(parseFleetFilter('"no hos').words).toEqual(['no hos']);
  });

  it('treats xDS names with = signs after a path as words', () => {
    expect(parseFleetFilter('xdstp://a/b?id=3')).toMatchObject({ words: ['xdstp://a/b?id=3'], problems: [] });
  });
});
