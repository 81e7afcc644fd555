import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import { runSteps } from '@/lib/cooperative/steps';
import type { ClientSummary } from '@/lib/views/client/schema';
import { describeFleet, type FleetDescription } from '@/lib/views/fleet/describe-fleet';
import { buildFleetMember, type FleetMember } from '@/lib/views/fleet/fleet-member';
import { FleetTally } from '@/lib/views/fleet/fleet-tally';
import type { FleetPage } from '@/lib/views/fleet/schema';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { clientIdOf } from '@/server/client-id';
import { buildHead } from '@/server/store/heads/build-head';
import { ClientHeads } from '@/server/store/heads/client-heads';
import { factsColumns } from '@/server/store/heads/head-facts';
import { openPostgres } from '@/server/store/open-postgres';
import type { StoreDatabase } from '@/server/store/schema';
import { clientSummary, typeSummary } from '../support/builders/fleet-fixtures';
import { getJson, startServer } from '../support/e2e-server';
import { startPostgres } from '../support/postgres';
import { simulatedNode } from '../support/simulated-fleet';
import { percentile, print, printFigure, tempDir } from './measure';
import { cpuSeconds, cpuSecondsOfChildren, memoryMb } from './process-figures';

/** The list of clients from heads on PostgreSQL, in a web process that has folded none of them. */
const counts = (process.env.XDSCOPE_BENCH_CLIENTS ?? '100000,1000000').split(',').map(Number);
const aimOfPageMs = (clients: number): number => (clients > 100_000 ? 150 : 100);
const aimOfStartMs = 5_000;
const writtenAtOnce = 2_000;
const mostWritten = 20_000;
const idBytes = 16;
/** Beyond what any process has folded, so that none changes the heads. */
const seq = 2 ** 40;
const types = [LDS, RDS, CDS, EDS];
/** A gRPC client with the metadata of a pod, one of 200 with a rejected cluster. */
const rejectedEvery = 200;

function memberOf(index: number): FleetMember {
  const { id, cluster = '', locality, metadata = {} } = simulatedNode(index);
  const { region = '', zone = '', subZone = '' } = locality ?? {};
  const isRejected = index % rejectedEvery === 0;
  const at = Date.UTC(2026, 0, 1) + (index % 86_400) * 1_000;
  const summary: ClientSummary = clientSummary({
    ...{ id: clientIdOf(id, ''), nodeId: id, cluster, locality: { region, zone, subZone }, resources: 40 },
    ...{ userAgent: 'gRPC Go 1.64.0', trouble: isRejected ? 1 : 0, worst: isRejected ? 'NACKED' : 'ACKED' },
    types: types.map(({ typeUrl, service }) =>
      typeSummary({
        ...{ typeUrl, service, versions: [`2026-01-01T00:00:00Z/${index % 7}`], lastChangedAt: at },
        ...(isRejected && typeUrl === CDS.typeUrl && { byState: { NACKED: 1, ACKED: 9 } }),
        ...{ content: clientIdOf(`content ${index % 50}`, service), sizeBytes: 1_000 + (index % 5_000) },
      }),
    ),
    ...{ lastChangedAt: at, troubleText: isRejected ? 'CDS outbound|80||cart.shop: duplicate endpoint' : '' },
    reports: [
      {
        ...{
          sourceId: `csds:10.0.${index % 250}.1:50051`,
          vantage: 'csds',
          side: 'client',
          target: '',
          reason: '',
        },
        ...{ firstSeenAt: at, lastChangedAt: at, freshness: 'live', resources: 40 },
      },
    ],
  });
  const pod = { NAME: `${id}-7d9f8b6c5-${index}`, NAMESPACE: 'shop', INSTANCE_IPS: `10.${index % 250}.3.4` };
  return buildFleetMember(summary, {
    metadata: { ...metadata, ...pod, labels: { app: cluster, tier: 'backend' } },
  });
}

/** Writes some with the writer, and lets the database copy these, with other ids and names, because that is faster. */
async function writeHeads(database: StoreDatabase, clients: number): Promise<void> {
  const heads = new ClientHeads(database);
  const written = Math.min(clients, mostWritten);
  const tally = new FleetTally();
  let described: FleetDescription | undefined;
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  for (let from = 0; from < written; from += writtenAtOnce) {
    const members = Array.from({ length: Math.min(writtenAtOnce, written - from) }, (_, n) =>
      memberOf(from + n),
    );
    for (const member of members) for (let copy = 0; copy < clients / written; copy++) tally.add(member);
    described ??= runSteps(describeFleet(members));
    await heads.write({ changed: members.map(buildHead), removed: [] });
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const perSecond = written / ((performance.now() - startedAt) / 1_000);
  const cpuMs = (user + system) / 1_000 / written;
  for (let copy = 1; copy < clients / written; copy++) {
    const suffix = sql`convert_to(${`-${copy}`}, 'UTF8')`;
    await sql`insert into head_contents select id || ${suffix}, json from head_contents
      where length(id) = ${sql.lit(idBytes)}`.execute(database.db);
    await sql`insert into head_facts select part, id || ${suffix}, facts from head_facts
      where part = ${sql.lit(factsColumns.indexOf('other_facts'))} and length(id) = ${sql.lit(idBytes)}`.execute(
      database.db,
    );
    await sql`insert into client_heads
      (id, name, node_id, other_facts, status, changed_at, fresh, worst, trouble, waiting, nacks, is_whole, digest, size, resources,
        trouble_text, node_facts, config_facts)
      select id || ${suffix}, name || ${suffix}, node_id || ${suffix}, other_facts || ${suffix}, status, changed_at, fresh, worst,
        trouble, waiting, nacks, is_whole, digest, size, resources, trouble_text, node_facts, config_facts
      from client_heads where length(id) = ${sql.lit(idBytes)}`.execute(database.db);
  }
  const { made: _, ...totals } = described ?? runSteps(describeFleet([]));
  await heads.write({
    changed: [],
    removed: [],
    reached: { seq, totals: { ...totals, counts: tally.counts, clients } },
  });
  await sql`vacuum analyze`.execute(database.db);
  const { bytes } = await database.size();
  print(
    `${clients} heads: ${perSecond.toFixed(0)} a second written, ${cpuMs.toFixed(2)} ms of processor and ${(bytes / clients).toFixed(0)} bytes each`,
  );
}

const firstPage = 'limit=100&sort=status';

const pages = (clients: number): readonly (readonly [what: string, query: string, times: number])[] => [
  ['the first page: worst first', firstPage, 200],
  ...[
    'client',
    '-client',
    '-status',
    '-changed',
    'changed',
    '-size',
    'size',
    '-trouble',
    'cluster',
    '-version',
  ].map((sort) => [`by ${sort}`, `limit=100&sort=${sort}`, 10] as const),
  ...['client', 'status', '-changed', '-size'].map(
    (sort) => [`by ${sort}, from the middle`, `limit=100&sort=${sort}&offset=${clients / 2}`, 10] as const,
  ),
  ...[
    ...[
      'status=NACKED',
      'node=shop-000777',
      'node~0077',
      'cluster=team-7',
      'zone!=eu-1a',
      'version~/3',
      'type=CDS status=NACKED',
    ],
    ...['team-7', 'shop-000777', 'meta.version=v2', 'meta.NAME~77-7d', 'source~csds:10.0.7.'],
  ].map((q) => [q, `${firstPage}&q=${encodeURIComponent(q)}`, 10] as const),
  ...['zone', 'cluster', 'worst', 'source', 'meta.version'].map(
    (group) => [`grouped by ${group}`, `${firstPage}&group=${group}`, 5] as const,
  ),
];

interface Measured {
  readonly url: string;
  readonly clients: number;
  /** The web process, and the postmaster. */
  readonly pids: { readonly web: number; readonly postgres: number };
}

async function measurePages({ url, clients, pids }: Measured): Promise<void> {
  for (const [what, query, times] of pages(clients)) {
    const ms: number[] = [];
    const before = [cpuSeconds(pids.web), cpuSecondsOfChildren(pids.postgres)] as const;
    for (let n = 0; n < times; n++) {
      const startedAt = performance.now();
      const page = await getJson<FleetPage>(`${url}/api/v1/fleet?${query}`);
      ms.push(performance.now() - startedAt);
      if (page.total.clients !== clients || page.items.length === 0)
        throw new Error(
          `bench: expected lines of ${clients} clients, got ${page.items.length} of ${page.total.clients}`,
        );
    }
    const perPage = (seconds: number): string => `${((seconds * 1_000) / times).toFixed(0)} ms`;
    const web = perPage(cpuSeconds(pids.web) - before[0]);
    const database = perPage(cpuSecondsOfChildren(pids.postgres) - before[1]);
    const aim = query === firstPage ? ` (aim: p95 ${aimOfPageMs(clients)} ms)` : '';
    const [p50, p95] = [0.5, 0.95].map((share) => `${percentile(ms, share).toFixed(0)} ms`);
    printFigure(what, `p50 ${p50}, p95 ${p95}${aim}; processor ${web}, PostgreSQL ${database}`);
  }
}

const postgres = await startPostgres({ settings: { shared_buffers: '512MB', max_wal_size: '8GB' } });
try {
  for (const clients of counts) {
    const url = await postgres.createDatabase();
    const database = await openPostgres({ url });
    await writeHeads(database, clients);
    await database.close();
    const startingAt = performance.now();
    const dataDir = path.join(tempDir(), String(clients));
    const web = await startServer(['--role', 'web', '--store', url, '--data-dir', dataDir]);
    try {
      const readyMs = performance.now() - startingAt;
      for (let total = 0; total !== clients; )
        ({ clients: total } = (
          await getJson<FleetPage>(`${web.url}/api/v1/fleet?limit=100&sort=status`)
        ).total);
      const pageMs = performance.now() - startingAt;
      const startCpu = cpuSeconds(web.process.pid ?? 0);
      printFigure(
        'from the spawn to the first page of the list',
        `${(pageMs / 1_000).toFixed(1)} s, ready after ${(readyMs / 1_000).toFixed(1)} s (aim: ${aimOfStartMs / 1_000} s); processor ${startCpu.toFixed(1)} s`,
      );
      await measurePages({
        url: web.url,
        clients,
        pids: { web: web.process.pid ?? 0, postgres: postgres.pid },
      });
      printFigure('resident, web process', `${memoryMb(web.process.pid ?? 0, 'VmRSS').toFixed(0)} MiB`);
    } finally {
      await web.stop();
    }
  }
} finally {
  await postgres.stop();
}
