import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import type { ClientSummary } from '@/lib/views/client/schema';
import { buildFleetView } from '@/lib/views/fleet/build-fleet-view';
import { parseFleetFilter } from '@/lib/views/fleet/fleet-filter';
import { buildFleetMember } from '@/lib/views/fleet/fleet-member';
import { FleetTally } from '@/lib/views/fleet/fleet-tally';
import { joinScopes } from '@/lib/views/fleet/join-scopes';
import { buildOverview, describeCoverage, type OverviewFacts } from '@/lib/views/overview/build-overview';
import { formatEventReason } from '@/lib/views/overview/group-events';
import { clientSummary, notableEvent, source, typeSummary } from '../../../support/builders/fleet-fixtures';
import { sampleNode } from '../../../support/builders/observation-samples';

const nothing = { fleet: fleetOf([]), sources: [], events: [] };

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
    const scopesReported = link?.kind === 'whole' ? link.scopeIds.length : undefined;
    return {
      kind: 'client' as const,
      client: { ...summary, content, scopesReported, scopesOfProcess: undefined },
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

describe('buildOverview', () => {
  it('is unknown, not full, if no client is observed', () => {
    expect(buildOverview(nothing).coverage).toBe('unknown');
    const gone = clientSummary({ freshness: 'gone' });
    expect(buildOverview({ ...nothing, fleet: fleetOf([gone]) }).coverage).toBe('unknown');
  });

  it('is full if all clients are live', () => {
    expect(
      buildOverview({ ...nothing, fleet: fleetOf([clientSummary()]), sources: [source()] }).coverage,
    ).toBe('full');
  });

  it('does not expect newer reports of clients that only files report', () => {
    const at = 1;
    const seen = { firstSeenAt: at, lastChangedAt: at, lastSeenAt: undefined, resources: 1 };
    const reported = { sourceId: 'import/1', side: 'client', reason: 'of a file', ...seen } as const;
    const ofFile = clientSummary({
      nodeId: 'of a file',
      freshness: 'stale',
      reports: [{ ...reported, vantage: 'dump', freshness: 'stale' }],
    });
    const fleet = fleetOf([clientSummary(), ofFile]);
    expect(fleet.total).toMatchObject({ clients: 2, live: 1, stale: 0, ofFiles: 1 });
    expect(buildOverview({ ...nothing, fleet, sources: [source()] }).coverage).toBe('full');
    const alone = buildOverview({ ...nothing, fleet: fleetOf([ofFile]), sources: [source()] });
    expect(alone.coverage).toBe('full');
    expect(describeCoverage(alone)).toBe(
      '1 client, 1 of 1 source reports. Of a file, only what it contains is checked',
    );
  });

  it('is partial if some clients are not live', () => {
    const clients = [clientSummary(), clientSummary({ nodeId: 'b', freshness: 'stale' })];
    expect(buildOverview({ ...nothing, fleet: fleetOf(clients) }).coverage).toBe('partial');
  });

  it('is partial if a source is down, even if every client is live', () => {
    const overview = buildOverview({
      ...nothing,
      fleet: fleetOf([clientSummary()]),
      sources: [source({ state: 'down' }), source({ id: 'paused', state: 'paused' })],
    });
    expect(overview.coverage).toBe('partial');
    expect(overview.sources).toEqual({ total: 2, up: 0, down: 1, connecting: 0, paused: 1 });
  });

  it('is partial, not full, while targets of a list have not answered yet', () => {
    const members = { total: 3_000, up: 79, down: 0, connecting: 2_921, paused: 0 };
    const overview = buildOverview({
      ...nothing,
      fleet: fleetOf([clientSummary()]),
      sources: [source({ kind: 'csds-list', members })],
    });
    expect(overview.coverage).toBe('partial');
    expect(overview.sources).toMatchObject({ total: 3_000, up: 79, connecting: 2_921 });
  });

  it('is partial if the targets of a readable list do not answer', () => {
    const members = { total: 10, up: 8, down: 2, connecting: 0, paused: 0 };
    const overview = buildOverview({
      ...nothing,
      fleet: fleetOf([clientSummary()]),
      sources: [source({ kind: 'csds-list', members, label: 'pods' })],
    });
    expect(overview).toMatchObject({ coverage: 'partial', sources: { total: 10, down: 2 } });
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
    expect(overview.clients.inTrouble).toBe(0);
    expect(overview.nacked).toEqual({ resources: 0, clients: 0 });
  });

  it('sorts events by their time, not by the order of reports', () => {
    const events = [
      notableEvent({ seq: 3, at: Date.parse('2026-01-01T00:00:01.000Z') }),
      notableEvent({ seq: 1, at: Date.parse('2026-01-01T00:00:02.000Z') }),
      notableEvent({ seq: 2, at: Date.parse('2026-01-01T00:00:02.000Z') }),
    ];
    expect(buildOverview({ ...nothing, events }).events.map(({ seq }) => seq)).toEqual([2, 1, 3]);
  });
});

describe('describeCoverage', () => {
  it('states what reports, and that nothing is known without a client', () => {
    const describe_ = (facts: Partial<OverviewFacts>) =>
      describeCoverage(buildOverview({ ...nothing, ...facts }));
    const up = [source()];
    expect(describe_({ fleet: fleetOf([clientSummary()]), sources: up })).toBe(
      '1 client, 1 of 1 source reports',
    );
    const stale = [clientSummary(), clientSummary({ nodeId: 'b', freshness: 'stale' })];
    expect(describe_({ fleet: fleetOf(stale), sources: [...up, source({ id: 'x', state: 'down' })] })).toBe(
      '2 clients, 1 of them not live, 1 of 2 sources report',
    );
    expect(describe_({})).toContain('is not known');
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
    expect(
      formatEventReason(notableEvent({ typeUrl: undefined, resourceName: undefined, text: 'CDS cart' })),
    ).toBe('CDS cart');
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
