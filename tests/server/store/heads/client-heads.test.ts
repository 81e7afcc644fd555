import { expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { compareNames } from '@/lib/format/compare-names';
import type { ClientSummary } from '@/lib/views/client/schema';
import { buildFleetView, type FleetQuestion } from '@/lib/views/fleet/build-fleet-view';
import { describeFleet } from '@/lib/views/fleet/describe-fleet';
import { parseFleetFilter } from '@/lib/views/fleet/fleet-filter';
import { buildFleetMember, type FleetMember } from '@/lib/views/fleet/fleet-member';
import { windowOfFleet } from '@/lib/views/fleet/fleet-window';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { type State, worstState } from '@/lib/xds/status';
import { buildHead } from '@/server/store/heads/build-head';
import { ClientHeads, type FleetTotals } from '@/server/store/heads/client-heads';
import { clientSummary, typeSummary } from '@/tests/support/builders/fleet-fixtures';
import { describeEngines } from '../engines';

const at = Date.UTC(2026, 0, 2);
const typeOf = [CDS, EDS, LDS, { typeUrl: 'type.googleapis.com/acme.Thing', service: 'Thing' }];

/** Clients that differ in everything that a filter, a group or an order can use. */
function memberOf(n: number): FleetMember {
  const pick = <T>(values: readonly T[], stride: number): T =>
    values[Math.floor(n / stride) % values.length] as T;
  const byState = (stride: number): Partial<Record<State, number>> =>
    pick<Partial<Record<State, number>>>([{ ACKED: 3 }, { NACKED: 1, ACKED: 2 }, { WARMING: 1 }, {}], stride);
  const types = typeOf.slice(0, 1 + (n % typeOf.length)).map(({ typeUrl, service }, index) =>
    typeSummary({
      ...{
        typeUrl,
        service,
        byState: byState(index + 2),
        versions: pick([['v10', 'v9'], ['V2'], []], index + 1),
      },
      ...{ byConfigStatus: pick([{}, { STALE: 1 }, { SYNCED: 2 }], 5), content: `c${n % 3}` },
      ...(n % 11 === 0 && { sync: 'ERROR' as const }),
      sizeBytes: pick([undefined, 10, 2_000], 3),
    }),
  );
  const trouble = types.reduce((sum, type) => sum + (type.byState.NACKED ?? 0), 0);
  const vantage = pick(['csds', 'dump', 'tap'] as const, 9);
  const summary: ClientSummary = clientSummary({
    ...{ id: `id-${n}`, nodeId: pick([`Shop-${n}`, `shop-${n}`, `Ünï-${n}`], 1), types, trouble },
    ...{ scope: pick(['', 'xds:///cart', ''], 4), cluster: pick(['', 'Team A', 'team-10', 'team-9'], 2) },
    locality: pick(
      [null, { region: 'eu', zone: 'EU-1', subZone: '' }, { region: 'us', zone: '', subZone: 'b' }],
      3,
    ),
    ...{ userAgent: pick(['grpc-go 1.64', '', 'envoy 1.40'], 5), isProbe: n % 17 === 0 },
    ...{ resources: n % 7, worst: worstState(types.flatMap((type) => Object.keys(type.byState) as State[])) },
    ...{
      troubleText: trouble > 0 ? `CDS cart: bad THING ${n}` : '',
      freshness: pick(['live', 'gone', 'stale'], 6),
    },
    ...{ lastChangedAt: at + ((n * 7_919) % 1_000) * 1_000 + 0.5, duplicateNodeId: n % 13 === 0 },
    reports: [
      {
        ...{
          sourceId: `${vantage}:${n % 3}`,
          vantage,
          side: 'client',
          target: 't',
          resources: 1,
          reason: '',
        },
        ...{ firstSeenAt: at, lastChangedAt: at, lastSeenAt: at + n, freshness: 'live' },
      },
    ],
    ...(n % 5 === 0 && {
      waiting: [
        {
          ...{
            state: 'WARMING',
            resources: 1,
            typeUrl: CDS.typeUrl,
            service: 'CDS',
            name: 'a',
            versionInfo: '1',
          },
          ...{ since: at, waitsFor: [] },
        },
      ],
    }),
  });
  const metadata = {
    version: pick(['v1', 'v2', 'V2'], 2),
    labels: { App: `app-${n % 4}` },
    zones: ['b', 'a', 'b'],
  };
  const link = n % 19 === 0 ? ({ kind: 'whole', scopeIds: ['x', 'y'] } as const) : undefined;
  return buildFleetMember(summary, { metadata: n % 6 === 0 ? {} : metadata }, link);
}

function sorted(members: readonly FleetMember[]): FleetMember[] {
  return members.toSorted(
    ({ summary: a }, { summary: b }) => compareNames(a.nodeId, b.nodeId) || compareNames(a.scope, b.scope),
  );
}

function totalsOf(members: readonly FleetMember[]): FleetTotals {
  const { made: _, ...totals } = runSteps(describeFleet(members));
  return { ...totals, clients: members.length };
}

const write = (
  heads: ClientHeads,
  members: readonly FleetMember[],
  all = members,
  removed: readonly string[] = [],
) =>
  heads.write({
    changed: members.map(buildHead),
    removed,
    reached: { seq: all.length, totals: totalsOf(all) },
  });

const filters = [
  ...[
    '',
    'shop',
    'THING shop',
    'ünï',
    'status=NACKED',
    'status!=NACKED',
    'status=""',
    'type=CDS status=WARMING',
  ],
  ...['type=EDS', 'type!=LDS', 'type=""', 'type~end', 'type=thing version=v2', 'type=RDS status=NACKED'],
  ...[
    'type=cds status!=NACKED',
    'config=STALE',
    'config=ERROR',
    'type=lds config=""',
    'node~p-1',
    'node=shop-4',
  ],
  ...[
    'version=v2',
    'version~v',
    'version!~v',
    'version=""',
    'trouble=yes',
    'trouble=no',
    'is=probe',
    'is!=duplicate',
  ],
  ...[
    'is=waiting',
    'is=vanished',
    'runs=CDS:c1',
    'cluster="team a"',
    'cluster=""',
    'cluster!~team',
    'region=eu',
  ],
  ...[
    'zone=eu-1',
    'zone=""',
    'subzone=b',
    'locality=us',
    'locality~"eu / "',
    'agent~grpc',
    'source=csds:1',
    'scope=""',
  ],
  ...[
    'scope!=""',
    'fresh=file',
    'fresh!=live',
    'worst=NACKED',
    'since=10m',
    'meta.version=v2',
    'meta.version~V',
  ],
  ...[
    'meta.version=""',
    'meta.zones=a',
    'meta.labels.App=app-1',
    'meta.labels.app=app-1',
    'shop status=ACKED -x',
  ],
];
const sorts = [
  ...[
    'client',
    'status',
    'trouble',
    'nacks',
    'config',
    'resources',
    'version',
    'size',
    'cluster',
    'locality',
  ],
  ...['agent', 'changed', 'seen', 'cds', 'eds', 'thing', 'nothing'],
].flatMap((sort) => [sort, `-${sort}`]);
const groups = [
  'cluster',
  'region',
  'zone',
  'locality',
  'source',
  'fresh',
  'worst',
  'meta.version',
  'meta.zones',
] as const;

describeEngines('ClientHeads', ({ open }) => {
  const members = sorted(Array.from({ length: 240 }, (_, n) => memberOf(n)));

  const filled = async (): Promise<ClientHeads> => {
    const heads = new ClientHeads(await open());
    await write(heads, members);
    return heads;
  };
  const questionOf = (q: string, sort = 'client', group?: FleetQuestion['group']): FleetQuestion => ({
    filter: parseFleetFilter(q, at + 1_000_000),
    sort: { columnId: sort.replace(/^-/, ''), descending: sort.startsWith('-') },
    group,
  });
  /** The answer of the fold. */
  const expectedOf = (
    all: readonly FleetMember[],
    question: FleetQuestion,
    open: string[],
    offset: number,
  ) => {
    const view = runSteps(buildFleetView(all, question));
    const { lines, total } = windowOfFleet(view, new Set(open), { offset, limit: 60 });
    return {
      ...{ total, groups: view.groups?.length, matched: view.counts, totals: totalsOf(all) },
      lines: lines.map((line) =>
        line.kind === 'client' ? line.member.summary.id : [line.group.value, line.group.counts, line.isOpen],
      ),
    };
  };
  const foundOf = async (heads: ClientHeads, question: FleetQuestion, open: string[], offset: number) => {
    const found = await heads.find(question, { open: new Set(open), offset, limit: 60 });
    return {
      ...found,
      lines: found?.lines.map((line) =>
        line.kind === 'client' ? line.member.summary.id : [line.group.value, line.group.counts, line.isOpen],
      ),
    };
  };

  it('has no answer before the first write', async () => {
    const heads = new ClientHeads(await open());
    await heads.write({ changed: [], removed: [] });
    expect(await heads.find(questionOf(''), { open: new Set(), offset: 0, limit: 10 })).toBeUndefined();
    expect([await heads.version(), await heads.position(), [...(await heads.digests())]]).toEqual([
      0,
      undefined,
      [],
    ]);
  });

  it('filters, counts, sorts and groups as the fold does', async () => {
    const heads = await filled();
    const questions = [
      ...filters.map((q) => [questionOf(q), 0, []] as const),
      ...sorts.flatMap((sort) => [
        [questionOf('', sort), 90, []] as const,
        [questionOf('shop', sort), 3, []] as const,
      ]),
      ...groups.map((group) => [questionOf('', 'status', group), 0, []] as const),
      [questionOf('status=NACKED', '-changed', 'cluster'), 2, ['Team A', '']] as const,
      [questionOf('', 'client', 'meta.version'), 1, ['V2', 'v1', 'nothing']] as const,
      [questionOf(''), 1_000, []] as const,
    ];
    for (const [question, offset, open] of questions)
      expect([question, await foundOf(heads, question, [...open], offset)]).toEqual([
        question,
        expectedOf(members, question, [...open], offset),
      ]);
  });

  it('returns what a list shows of a client, without the time of the newest poll', async () => {
    const heads = await filled();
    const found = await heads.find(questionOf('node=shop-4'), { open: new Set(), offset: 0, limit: 10 });
    const [member] = members.filter(({ summary }) => summary.nodeId.toLowerCase() === 'shop-4');
    const { lastSeenAt: _, reports, ...summary } = member?.summary ?? clientSummary();
    const [report] = reports.map(({ lastSeenAt: _, ...same }) => same);
    expect(found?.lines).toEqual([
      {
        kind: 'client',
        member: JSON.parse(
          JSON.stringify({ content: member?.content, summary: { ...summary, reports: [report] } }),
        ),
      },
    ]);
  });

  it('replaces and removes heads, with one new version for all of them', async () => {
    const heads = await filled();
    expect(await heads.version()).toBe(1);
    const { id } = members[0]?.summary ?? clientSummary();
    const changed = buildFleetMember(clientSummary({ id, nodeId: 'a', cluster: 'new' }), { metadata: {} });
    const all = sorted([changed, ...members.slice(2)]);
    await write(heads, [changed], all, [members[1]?.summary.id ?? '']);
    expect([await heads.version(), (await heads.position())?.seq]).toEqual([2, 239]);
    for (const question of [questionOf('cluster=new'), questionOf('')])
      expect(await foundOf(heads, question, [], 0)).toEqual(expectedOf(all, question, [], 0));
    const digests = await heads.digests();
    expect(digests.size).toBe(239);
    expect(digests.get(id)).toBe(buildHead(changed).row.digest.toString('base64'));
  });

  it('stores facts that clients share once, and deletes those that none has any more', async () => {
    const store = await open();
    const inZone = (n: number, zone: string): FleetMember =>
      buildFleetMember(clientSummary({ id: `id-${n}`, locality: { region: 'eu', zone, subZone: '' } }), {
        metadata: { name: String(n) },
      });
    const countFacts = async (): Promise<number[]> => {
      const rows = await store.db.selectFrom('head_facts').select('part').execute();
      return [0, 1, 2].map((part) => rows.filter((row) => row.part === part).length);
    };
    const all = [1, 2, 3].map((n) => inZone(n, 'a'));
    await write(new ClientHeads(store), all);
    expect(await countFacts()).toEqual([1, 1, 3]);
    const moved = all.slice(1).map((_, n) => inZone(n + 2, 'b'));
    await write(new ClientHeads(store), moved, moved, ['id-1']);
    expect(await countFacts()).toEqual([1, 1, 2]);
    const found = await new ClientHeads(store).find(questionOf('zone=b'), {
      open: new Set(),
      offset: 0,
      limit: 10,
    });
    expect(found?.matched.clients).toBe(2);
  });

  it('stores facts again that it deleted, or whose transaction was rolled back', async () => {
    const store = await open();
    const heads = new ClientHeads(store);
    const inZone = (id: string, zone: string) =>
      buildHead(
        buildFleetMember(clientSummary({ id, locality: { region: 'eu', zone, subZone: '' } }), {
          metadata: {},
        }),
      );
    const countIn = async (zone: string) =>
      (await heads.find(questionOf(`zone=${zone}`), { open: new Set(), offset: 0, limit: 10 }))?.matched
        .clients;
    const { made: _, ...described } = runSteps(describeFleet([]));
    const reached = { seq: 1, totals: { ...described, clients: 1 } };
    await heads.write({ changed: [inZone('a', 'one')], removed: [] });
    // The first write with a position deletes what no head refers to.
    await heads.write({ changed: [inZone('a', 'two')], removed: [], reached });
    await heads.write({ changed: [inZone('a', 'one')], removed: [], reached });
    expect([await countIn('one'), await countIn('two')]).toEqual([1, 0]);
    const rejected = inZone('c', 'three');
    const changed = [inZone('b', 'three'), { ...rejected, row: { ...rejected.row, worst: null as never } }];
    await expect(heads.write({ changed, removed: [], reached })).rejects.toThrow();
    await heads.write({ changed: [inZone('b', 'three')], removed: [], reached });
    expect(await countIn('three')).toBe(1);
  });

  it('stores what a hostile client can name', async () => {
    const heads = new ClientHeads(await open());
    const odd = [
      '\u0000',
      '\u0001cluster\u0002\u0003x\u0003',
      '\ud800',
      "'; drop table client_heads; --",
      'n'.repeat(100_000),
    ];
    const all = odd.map((nodeId, n) =>
      buildFleetMember(clientSummary({ id: `id-${n}`, nodeId, cluster: `y${nodeId}` }), {
        metadata: { [nodeId]: nodeId },
      }),
    );
    await write(heads, all);
    const found = await heads.find(questionOf('cluster=x'), { open: new Set(), offset: 0, limit: 10 });
    expect(found?.matched.clients).toBe(0);
    const listed = await heads.find(questionOf(''), { open: new Set(), offset: 0, limit: 10 });
    expect(new Set(listed?.lines.map((line) => line.kind === 'client' && line.member.summary.id))).toEqual(
      new Set(all.map(({ summary }) => summary.id)),
    );
  });
});
