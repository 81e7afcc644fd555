import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { FleetField } from '@/lib/fleet/fleet-fields';
import type { FleetQuestion } from '@/lib/views/fleet/build-fleet-view';
import { compareGroups } from '@/lib/views/fleet/counted-group';
import type { FleetDescription } from '@/lib/views/fleet/describe-fleet';
import { type FleetCounts, noCounts } from '@/lib/views/fleet/fleet-tally';
import { type FleetLine, partsOfFleet } from '@/lib/views/fleet/fleet-window';
import type { IssueOfClient } from '@/lib/views/fleet/schema';
import { states, worstState } from '@/lib/xds/status';
import { deflateBytes, inflateBytes } from '../deflate';
import { insertRows } from '../insert-rows';
import { notify } from '../notify';
import type { StoreDatabase, StoreEngine, StoreTables, StoreTransaction } from '../schema';
import { bytesOfText, textOfBytes } from '../text-bytes';
import { type BuiltHead, type FactsRow, headFreshness, type StoredHead, sortedColumns } from './build-head';
import {
  columnOf,
  factsColumns,
  factsOf,
  groupValues,
  haveFacts,
  parseValues,
  sortFact,
  valuesIn,
} from './head-facts';
import { conditionOf } from './head-filter';

/** Counts over all clients, kept so that no page counts them. Some heads may be older than they. */
export type FleetTotals = Omit<FleetDescription, 'made'> & {
  /** All heads, those included that `counts` leaves out. */
  readonly clients: number;
  /** Absent until issues were found once. */
  readonly areIssuesKnown?: true;
};

export interface HeadsPosition {
  /** No head has a later observation than this one: whoever has folded it can write heads without going back. */
  readonly seq: number;
  /** Equal versions mean equal heads. */
  readonly version: number;
  readonly totals: FleetTotals;
}

export interface HeadsChange {
  readonly changed: readonly BuiltHead[];
  readonly removed: readonly string[];
  readonly issues?: IssuesChange;
  /** Absent if more of the same change follows: readers are not notified, and the first heads are not shown yet. */
  readonly reached?: Pick<HeadsPosition, 'seq' | 'totals'>;
}

/** The issues of clients as JSON, by the id of the client. */
export interface IssuesChange {
  readonly changed: ReadonlyMap<string, string>;
  readonly removed: readonly string[];
}

/** A client of the list, with its open issues. */
export type ListedHead = StoredHead & { readonly issues?: readonly IssueOfClient[] };

export interface HeadsWindow {
  /** The values of the groups whose clients are listed as well. */
  readonly open: ReadonlySet<string>;
  readonly offset: number;
  readonly limit: number;
}

export interface HeadsPage {
  readonly lines: readonly FleetLine<ListedHead>[];
  /** Lines on all pages. */
  readonly total: number;
  /** undefined if clients are not grouped. */
  readonly groups: number | undefined;
  readonly matched: FleetCounts;
  readonly totals: FleetTotals;
}

const onlyRow = 1;
const writtenAtOnce = 250;
const readAtOnce = 20_000;
/** After so many heads were written, facts that none refers to any more are deleted. */
const writtenUntilCleaned = 50_000;
/** More than any table has. */
const mostRows = 2 ** 53;

/** The heads of all clients: one writer, any number of readers. All methods reject with the errors of the engine. */
export class ClientHeads {
  readonly #engine: StoreEngine;
  readonly #db: Kysely<StoreTables>;
  /** Heads written since facts were deleted. */
  #written = writtenUntilCleaned;
  /** Rows of head_facts that are stored. */
  #facts = new WeakSet<FactsRow>();

  constructor({ engine, db }: Pick<StoreDatabase, 'engine' | 'db'>) {
    this.#engine = engine;
    this.#db = db;
  }

  /** Returns undefined if no heads were written. */
  position(): Promise<HeadsPosition | undefined> {
    return readPosition(this.#db);
  }

  /** Returns those of the clients that have a head. */
  async findAmong(clientIds: readonly string[]): Promise<Set<string>> {
    if (clientIds.length === 0) return new Set();
    const rows = await this.#db
      .selectFrom('client_heads')
      .select('id')
      .where('id', 'in', clientIds.map(bytesOfText))
      .execute();
    return new Set(rows.map(({ id }) => textOfBytes(id)));
  }

  async version(): Promise<number> {
    const row = await this.#db.selectFrom('heads_position').select('version').executeTakeFirst();
    return row?.version ?? 0;
  }

  /** The digest of each head, by the id of the client. */
  async digests(): Promise<Map<string, string>> {
    const digests = new Map<string, string>();
    for (let after: Buffer = Buffer.alloc(0); ; ) {
      const rows = await this.#db
        .selectFrom('client_heads')
        .select(['id', 'digest'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(readAtOnce)
        .execute();
      for (const { id, digest } of rows) digests.set(textOfBytes(id), digest.toString('base64'));
      const last = rows.at(-1);
      if (last === undefined) return digests;
      after = last.id;
    }
  }

  /** The issues of each client that has some, as JSON. */
  async issues(): Promise<Map<string, string>> {
    const rows = await this.#db.selectFrom('client_issues').selectAll().execute();
    return new Map(rows.map(({ id, issues }) => [textOfBytes(id), textOfBytes(issues)]));
  }

  /** Writes all of it in one transaction. A head that is written again replaces the former. */
  async write({ changed, removed, issues, reached }: HeadsChange): Promise<void> {
    const stored = this.#facts;
    // If the transaction is rolled back, none of the rows that it adds to `stored` exists.
    this.#facts = new WeakSet();
    await this.#db.transaction().execute(async (trx) => {
      for (let from = 0; from < changed.length; from += writtenAtOnce)
        await replaceHeads(trx, { engine: this.#engine }, changed.slice(from, from + writtenAtOnce), stored);
      for (let from = 0; from < removed.length; from += writtenAtOnce) {
        const ids = removed.slice(from, from + writtenAtOnce).map(bytesOfText);
        await trx.deleteFrom('client_heads').where('id', 'in', ids).execute();
        await trx.deleteFrom('head_contents').where('id', 'in', ids).execute();
      }
      if (issues !== undefined) await this.#writeIssues(trx, issues);
      this.#written += changed.length + removed.length;
      if (reached === undefined) return;
      if (this.#written >= writtenUntilCleaned) await this.#deleteUnused(trx);
      const { seq, totals } = reached;
      const row = { seq, totals: bytesOfText(JSON.stringify(totals)) };
      await trx
        .insertInto('heads_position')
        .values({ id: onlyRow, version: 1, ...row })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({ ...row, version: sql<number>`heads_position.version + 1` }),
        )
        .execute();
      await notify(trx, { engine: this.#engine }, 'heads', seq);
    });
    // After facts were deleted, it begins anew.
    if (this.#written > 0) this.#facts = stored;
  }

  async #writeIssues(trx: StoreTransaction, { changed, removed }: IssuesChange): Promise<void> {
    const rows = Array.from(changed, ([id, json]) => [bytesOfText(id), bytesOfText(json)]);
    await insertRows(trx, { engine: this.#engine }, 'client_issues', ['id', 'issues'], rows, 'id');
    for (let from = 0; from < removed.length; from += writtenAtOnce) {
      const ids = removed.slice(from, from + writtenAtOnce).map(bytesOfText);
      await trx.deleteFrom('client_issues').where('id', 'in', ids).execute();
    }
  }

  async #deleteUnused(trx: StoreTransaction): Promise<void> {
    for (const [part, column] of factsColumns.entries())
      await sql`delete from head_facts where part = ${part} and id in (
        select id from ${factsOf(column)} except select ${sql.ref(column)} from client_heads)`.execute(trx);
    this.#written = 0;
  }

  /** A window of the list of clients. It, and its counts, are of one moment. Returns undefined if no heads were written. */
  find(question: FleetQuestion, window: HeadsWindow): Promise<HeadsPage | undefined> {
    const { words, conditions } = question.filter;
    if (question.group === undefined && words.length + conditions.length === 0)
      return this.#findAll(question.sort, window);
    return this.#db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((trx) => this.#findMatching(trx, question, window));
  }

  /** One statement: what is counted is in the totals. */
  async #findAll(
    sort: FleetQuestion['sort'],
    { offset, limit }: HeadsWindow,
  ): Promise<HeadsPage | undefined> {
    const page = this.#select(sql<boolean>`1 = 1`, sort, { from: offset, count: limit });
    const { rows } = await sql<ContentRow>`
      select 0 as place, totals as json, null as issues from heads_position union all ${page} order by place`.execute(
      this.#db,
    );
    const [first, ...listed] = rows;
    if (first === undefined || first.place !== 0) return undefined;
    const totals = JSON.parse(textOfBytes(first.json)) as FleetTotals;
    return {
      lines: listed.map((row) => ({ kind: 'client', member: parseHead(row) })),
      ...{ total: totals.clients, groups: undefined, matched: totals.counts, totals },
    };
  }

  async #findMatching(
    trx: StoreTransaction,
    { filter, group, sort }: FleetQuestion,
    window: HeadsWindow,
  ): Promise<HeadsPage | undefined> {
    const position = await readPosition(trx);
    if (position === undefined) return undefined;
    const { totals } = position;
    const where = conditionOf(this.#engine, filter, totals.typeUrls) ?? sql<boolean>`1 = 1`;
    const { matched, clients, groups } = await this.#count(trx, where, group);
    const { parts, total } = partsOfFleet(groups ?? clients, window.open, window);
    const lines: FleetLine<ListedHead>[] = [];
    for (const part of parts) {
      if (part.kind === 'group') {
        lines.push(part);
        continue;
      }
      const values = part.group?.values;
      const isInGroup =
        group === undefined || values === undefined
          ? where
          : sql<boolean>`${where} and ${haveFacts(columnOf(group), sql`${groupValues(this.#engine, group)} = ${values}`)}`;
      const { rows } = await sql<ContentRow>`${this.#select(isInGroup, sort, part)} order by place`.execute(
        trx,
      );
      for (const row of rows) lines.push({ kind: 'client', member: parseHead(row) });
    }
    return { lines, total, groups: groups?.length, matched, totals };
  }

  async #count(trx: StoreTransaction, where: RawBuilder<boolean>, group: FleetField | undefined) {
    const count = (from: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql<CountRow>`
      select fresh, worst, is_whole, ${key} as values_of, count(*) as clients, sum(waiting) as waiting, sum(nacks) as nacks,
        sum(case when trouble > 0 then 1 else 0 end) as troubled, sum(case when nacks > 0 then 1 else 0 end) as nacked
      from ${from} where ${where} group by 1, 2, 3, 4`;
    const { rows } = await this.#countedBy(group, count).execute(trx);
    const clients = rows.reduce((sum, row) => sum + row.clients, 0);
    if (group === undefined) return { matched: countsOf(rows), clients, groups: undefined };
    const byValue = new Map<string, CountRow[]>();
    for (const row of rows) {
      const value = parseValues(row.values_of as Buffer).join(', ');
      const known = byValue.get(value);
      if (known === undefined) byValue.set(value, [row]);
      else known.push(row);
    }
    const groups = Array.from(byValue, ([value, all]) => ({
      value,
      values: all[0]?.values_of as Buffer,
      counts: countsOf(all),
      clients: all.reduce((sum, row) => sum + row.clients, 0),
    })).sort(compareGroups);
    return { matched: countsOf(rows), clients, groups };
  }

  #countedBy(
    group: FleetField | undefined,
    count: (from: RawBuilder<unknown>, key: RawBuilder<unknown>) => RawBuilder<CountRow>,
  ): RawBuilder<CountRow> {
    const heads = sql`client_heads`;
    if (group === undefined) return count(heads, sql`0`);
    const column = columnOf(group);
    // With the limit, PostgreSQL reads the values before it joins, so that it joins short rows.
    const facts = sql`(
      select id as facts_id, ${groupValues(this.#engine, group)} as grouped_by from ${factsOf(column)} limit ${sql.lit(mostRows)}
    ) as grouped`;
    const value = sql`grouped_by`;
    if (column === 'other_facts')
      return count(sql`${heads} join ${facts} on facts_id = ${sql.ref(column)}`, value);
    // The clients that share facts are counted first.
    return sql<CountRow>`
      select fresh, worst, is_whole, ${value} as values_of, ${sql.join(sums)}
      from (${count(heads, sql.ref(column))}) as counted join ${facts} on facts_id = counted.values_of
      group by 1, 2, 3, 4`;
  }

  #select(
    where: RawBuilder<boolean>,
    sort: FleetQuestion['sort'],
    { from, count }: { readonly from: number; readonly count: number },
  ): RawBuilder<ContentRow> {
    const { joined, order } = this.#order(sort);
    // The rows are numbered as they are sorted. An order of the numbering itself would sort all rows, not only find the first.
    return sql<ContentRow>`
      select place, json, issues from (
        select id, row_number() over () as place from (
          select client_heads.id from client_heads ${joined} where ${where} order by ${order}, name, client_heads.id
          limit ${count} offset ${from}
        ) as sorted
      ) as page join head_contents using (id) left join client_issues using (id)`;
  }

  /** Unknown values are last in both directions; names decide between equal ones. */
  #order({ columnId, descending }: FleetQuestion['sort']) {
    const direction = sql.raw(descending ? 'desc' : 'asc');
    const [column, unknown] = sortedColumns.get(columnId) ?? [];
    if (column !== undefined) {
      const isFirst = unknown !== undefined && unknown > 0 === descending;
      const unknownLast = isFirst ? sql`${sql.ref(column)} = ${sql.lit(unknown)}, ` : sql``;
      return { joined: sql``, order: sql`${unknownLast}${sql.ref(column)} ${direction}` };
    }
    const fact = sortFact(columnId);
    const facts = columnOf(fact);
    const values = valuesIn(this.#engine, fact);
    // The values are compared once for all clients that share them.
    const joined = sql`join (
      select id as ranked_id, case when length(${values}) = 0 then ${sql.lit(descending ? -1 : mostRows)}
        else dense_rank() over (order by ${values}) end as fact_rank from ${factsOf(facts)}
    ) as ranked on ranked_id = ${sql.ref(facts)}`;
    return { joined, order: sql`fact_rank ${direction}` };
  }
}

async function readPosition(db: Kysely<StoreTables>): Promise<HeadsPosition | undefined> {
  const row = await db
    .selectFrom('heads_position')
    .select(['seq', 'version', 'totals'])
    .where('id', '=', onlyRow)
    .executeTakeFirst();
  return row && { ...row, totals: JSON.parse(textOfBytes(row.totals)) as FleetTotals };
}

async function replaceHeads(
  trx: StoreTransaction,
  store: Pick<StoreDatabase, 'engine'>,
  heads: readonly BuiltHead[],
  stored: WeakSet<FactsRow>,
): Promise<void> {
  const added = heads.flatMap(({ facts }) => facts).filter((row) => !stored.has(row));
  if (added.length > 0)
    await trx
      .insertInto('head_facts')
      .values(added)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  for (const row of added) stored.add(row);
  const columns = Object.keys(heads[0]?.row ?? {}) as (keyof BuiltHead['row'])[];
  const rows = heads.map(({ row }) => columns.map((column) => row[column]));
  const contents = heads.map(({ row: { id }, json }) => [id, deflateBytes(json)]);
  await insertRows(trx, store, 'client_heads', columns, rows, 'id');
  await insertRows(trx, store, 'head_contents', ['id', 'json'], contents, 'id');
}

/** `place` begins at 1. */
interface ContentRow {
  readonly place: number;
  readonly json: Buffer;
  readonly issues: Buffer | null;
}

function parseHead({ json, issues }: ContentRow): ListedHead {
  const head = JSON.parse(textOfBytes(inflateBytes(json))) as StoredHead;
  return issues === null ? head : { ...head, issues: JSON.parse(textOfBytes(issues)) as IssueOfClient[] };
}

const sums = ['clients', 'waiting', 'nacks', 'troubled', 'nacked'].map(
  (column) => sql`sum(${sql.ref(column)}) as ${sql.ref(column)}`,
);

interface CountRow {
  readonly fresh: number;
  readonly worst: number;
  readonly is_whole: number;
  readonly values_of: unknown;
  readonly clients: number;
  readonly waiting: number;
  readonly nacks: number;
  readonly troubled: number;
  readonly nacked: number;
}

/** The counts of a FleetTally. */
function countsOf(rows: readonly CountRow[]): FleetCounts {
  const counts = noCounts();
  for (const { fresh, is_whole, clients, waiting, nacks, troubled, nacked } of rows) {
    if (is_whole === 1) continue;
    const group = headFreshness[fresh] ?? 'stale';
    counts.clients += clients;
    counts[group] += clients;
    if (group === 'gone') continue;
    counts.inTrouble += troubled;
    counts.waiting += waiting;
    counts.nackedResources += nacks;
    counts.nackedClients += nacked;
  }
  return { ...counts, worst: worstState(rows.flatMap(({ worst }) => states[worst] ?? [])) };
}
