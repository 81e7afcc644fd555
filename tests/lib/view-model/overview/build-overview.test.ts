import { describe, expect, it } from 'vitest';
import type { Divergences } from '@/lib/api/propagation';
import { runSteps } from '@/lib/steps/steps';
import { type ClientSummary, formatClientSummary } from '@/lib/view-model/client-summary';
import { buildFleetView } from '@/lib/view-model/fleet/build-fleet-view';
import { parseFleetFilter } from '@/lib/view-model/fleet/fleet-filter';
import { buildFleetMember } from '@/lib/view-model/fleet/fleet-member';
import { FleetTally } from '@/lib/view-model/fleet/fleet-tally';
import { joinScopes } from '@/lib/view-model/fleet/join-scopes';
import { buildOverview, type OverviewFacts } from '@/lib/view-model/overview/build-overview';
import { formatEventReason } from '@/lib/view-model/overview/group-events';
import { EDS } from '@/lib/xds/resource-type';
import { clientSummary, health, notableEvent, source, typeSummary } from '../../../support/fleet-fixtures';
import { sampleNode } from '../../../support/observation-samples';

const nothing = { fleet: fleetOf([]), sources: [], events: [], health: health(), divergences: undefined };

/** The answer of GET fleet about clients in trouble, the worst first. */
function fleetOf(clients: readonly ClientSummary[]): OverviewFacts['fleet'] {
  const links = joinScopes(clients);
  const members = clients.map((client) =>
    buildFleetMember(client, sampleNode(client.nodeId), links.get(client.id)),
  );
  const tally = new FleetTally();
  for (const member of members) tally.add(member);
  const inOrder = [...members].sort((a, b) => (a.summary.nodeId < b.summary.nodeId ? -1 : 1));
  const filter = parseFleetFilter('trouble=yes fresh!=gone');
  const question = { filter, sort: { columnId: 'status', descending: false }, group: undefined };
  const items = runSteps(buildFleetView(inOrder, question)).members.map(({ summary, content, link }) => {
    const scopesReported = link?.kind === 'whole' ? link.scopeIds.length : null;
    return {
      kind: 'client' as const,
      client: { ...formatClientSummary(summary), content, scopesReported, scopesOfProcess: null },
    };
  });
  return { items, total: tally.counts };
}

function nacked(nodeId: string, count: number) {
  return clientSummary({
    nodeId,
    trouble: count,
    worst: 'NACKED',
    types: [typeSummary({ byState: { NACKED: count } })],
  });
}

function divergences(name: string): Divergences {
  const target = 'mesh:1';
  const side = (sourceId: string) => ({ clientId: sourceId, sourceId, hash: null });
  return {
    pairs: [
      {
        target,
        sotwSourceId: 'a',
        deltaSourceId: 'b',
        state: 'diverge',
        divergences: 1,
        compared: 2,
        checkedAt: '2026-11-21T11:00:00.000Z',
      },
    ],
    items: [
      {
        finding: 'sotw-delta-divergence',
        target,
        typeUrl: EDS.typeUrl,
        service: 'EDS',
        name,
        kind: 'missing',
        text: 'Our delta probe does not have it',
        since: '2026-11-21T11:00:00.000Z',
        sotw: side('a'),
        delta: side('b'),
      },
    ],
    total: 1,
  };
}

describe('buildOverview', () => {
  it('is unknown, not fine, if no client is observed', () => {
    expect(buildOverview(nothing).verdict).toBe('unknown');
    const gone = clientSummary({ freshness: 'gone' });
    expect(buildOverview({ ...nothing, fleet: fleetOf([gone]) }).verdict).toBe('unknown');
  });

  it('is fine if all clients are live and none is in trouble', () => {
    expect(
      buildOverview({ ...nothing, fleet: fleetOf([clientSummary()]), sources: [source()] }).verdict,
    ).toBe('fine');
  });

  it('does not expect newer reports of clients that only files report', () => {
    const at = 1;
    const seen = { firstSeenAt: at, lastChangedAt: at, lastSeenAt: null, resources: 1 };
    const reported = { sourceId: 'import/1', side: 'client', reason: 'of a file', ...seen } as const;
    const ofFile = clientSummary({
      nodeId: 'of a file',
      freshness: 'stale',
      reports: [{ ...reported, vantage: 'dump', freshness: 'stale' }],
    });
    const fleet = fleetOf([clientSummary(), ofFile]);
    expect(fleet.total).toMatchObject({ clients: 2, live: 1, stale: 0, ofFiles: 1 });
    expect(buildOverview({ ...nothing, fleet, sources: [source()] }).verdict).toBe('fine');
    expect(buildOverview({ ...nothing, fleet: fleetOf([ofFile]) }).verdict).toBe('fine');
  });

  it('is partial if some clients are not live', () => {
    const clients = [clientSummary(), clientSummary({ nodeId: 'b', freshness: 'stale' })];
    expect(buildOverview({ ...nothing, fleet: fleetOf(clients) }).verdict).toBe('partial');
  });

  it('is trouble if a source is down, even if every client is fine', () => {
    const overview = buildOverview({
      ...nothing,
      fleet: fleetOf([clientSummary()]),
      sources: [source({ state: 'down' }), source({ id: 'paused', state: 'paused' })],
    });
    expect(overview.verdict).toBe('trouble');
    expect(overview.sources).toEqual({ total: 2, up: 0, down: 1, connecting: 0, paused: 1 });
  });

  it('is partial, not fine, while targets of a list have not answered yet', () => {
    const members = { total: 3_000, up: 79, down: 0, connecting: 2_921, paused: 0 };
    const overview = buildOverview({
      ...nothing,
      fleet: fleetOf([clientSummary()]),
      sources: [source({ kind: 'csds-list', members })],
    });
    expect(overview.verdict).toBe('partial');
    expect(overview.sources).toMatchObject({ total: 3_000, up: 79, connecting: 2_921 });
  });

  it('is trouble if the targets of a readable list do not answer', () => {
    const members = { total: 10, up: 8, down: 2, connecting: 0, paused: 0 };
    const overview = buildOverview({
      ...nothing,
      fleet: fleetOf([clientSummary()]),
      sources: [source({ kind: 'csds-list', members, label: 'pods' })],
    });
    expect(overview).toMatchObject({ verdict: 'trouble', sources: { total: 10, down: 2 } });
    expect(overview.troubles).toMatchObject([{ kind: 'source', source: { label: 'pods' } }]);
  });

  it('lists the recorder, then sources, then clients: worst status, most trouble, name', () => {
    const overview = buildOverview({
      fleet: fleetOf([
        clientSummary({ nodeId: 'missing', trouble: 9, worst: 'DOES_NOT_EXIST' }),
        nacked('b', 1),
        nacked('a', 1),
        nacked('many', 3),
        clientSummary({ nodeId: 'fine' }),
      ]),
      sources: [source({ state: 'down', label: 'dead' })],
      events: [],
      health: health({ state: 'stopped', reason: 'disk full' }),
      divergences: divergences('cart'),
    });
    const names = overview.troubles.map((trouble) => {
      if (trouble.kind === 'client') return trouble.client.nodeId;
      if (trouble.kind === 'divergence') return trouble.first.name;
      return trouble.kind === 'source' ? trouble.source.label : trouble.reason;
    });
    expect(names).toEqual(['disk full', 'dead', 'cart', 'many', 'a', 'b', 'missing']);
  });

  it('counts NACKed resources and the clients that reject them', () => {
    const overview = buildOverview({
      ...nothing,
      fleet: fleetOf([nacked('a', 2), nacked('b', 1), clientSummary()]),
    });
    expect(overview.nacked).toEqual({ resources: 3, clients: 2 });
  });

  it('does not count what clients rejected that terminated since', () => {
    const terminated = { ...nacked('a', 2), freshness: 'gone' } as const;
    const overview = buildOverview({ ...nothing, fleet: fleetOf([terminated, clientSummary()]) });
    expect(overview.troubles).toEqual([]);
    expect(overview.clients.inTrouble).toBe(0);
    expect(overview.nacked).toEqual({ resources: 0, clients: 0 });
  });

  it('sorts events by their time, not by the order of reports', () => {
    const events = [
      notableEvent({ seq: 3, at: '2026-01-01T00:00:01.000Z' }),
      notableEvent({ seq: 1, at: '2026-01-01T00:00:02.000Z' }),
      notableEvent({ seq: 2, at: '2026-01-01T00:00:02.000Z' }),
    ];
    expect(buildOverview({ ...nothing, events }).events.map(({ seq }) => seq)).toEqual([2, 1, 3]);
  });
});

describe('formatEventReason', () => {
  it.each([
    ['CDS cart NACKED: no hosts', 'no hosts'],
    ['CDS cart: no hosts', 'no hosts'],
    ['CDS cart NACKED', ''],
    ['no hosts', 'no hosts'],
  ])('%s', (text, expected) => {
    expect(formatEventReason(notableEvent({ text }))).toBe(expected);
  });

  it('does not change an event without a resource', () => {
    expect(formatEventReason(notableEvent({ typeUrl: null, resourceName: null, text: 'CDS cart' }))).toBe(
      'CDS cart',
    );
  });

  it('counts a process once that streams report as a whole and CSDS by scopes, unless only streams report trouble', () => {
    const at = 1;
    const report = (vantage: 'tap' | 'csds') => ({
      ...{ sourceId: vantage, vantage, side: 'client' as const, freshness: 'live' as const, reason: '' },
      ...{ firstSeenAt: at, lastChangedAt: at, lastSeenAt: at, resources: 1 },
    });
    const wire = clientSummary({ id: 'w', reports: [report('tap')] });
    const scope = clientSummary({ id: 's', scope: 'xds:///cart', reports: [report('csds')] });
    const reported = (clients: ClientSummary[]) =>
      buildOverview({ ...nothing, fleet: fleetOf(clients) }).clients;
    expect(reported([wire, scope])).toEqual({ total: 1, live: 1, ofFiles: 0, inTrouble: 0, waiting: 0 });
    expect(
      reported([
        { ...wire, trouble: 1 },
        { ...scope, trouble: 1 },
      ]),
    ).toEqual({ total: 1, live: 1, ofFiles: 0, inTrouble: 1, waiting: 0 });
    expect(reported([{ ...wire, trouble: 1 }, scope])).toEqual({
      total: 1,
      live: 1,
      ofFiles: 0,
      inTrouble: 1,
      waiting: 0,
    });
  });
});
