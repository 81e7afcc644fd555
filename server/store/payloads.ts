import { type Kysely, sql } from 'kysely';
import { deflateBytes, inflateBytes } from './deflate';
import type { StoreTables, StoreTransaction } from './schema';
import { textOfBytes } from './text-bytes';

/** The size before deflation of what is stored together. Larger ones compress better, and reading one line reads all. */
const sealedSize = 32 * 1024;
/** Payloads that are waiting to be joined. Each of them is small, as batches of a quiet mesh are. */
const maxUnsealed = 64;
const payloadsAtOnce = 64;

interface Payload {
  readonly first_seq: number;
  readonly count: number;
  readonly size: number;
  readonly sealed: number;
  readonly bytes: Uint8Array;
}

/** Cuts the JSON of consecutive observations into payloads. */
export function payloadsOf(firstSeq: number, lines: readonly string[]): Payload[] {
  const payloads: Payload[] = [];
  let from = 0;
  let size = 0;
  const cut = (end: number, sealed: number) => {
    const count = end - from;
    const bytes = deflateBytes(lines.slice(from, end).join('\n'));
    payloads.push({ first_seq: firstSeq + from, count, size, sealed, bytes });
    from = end;
    size = 0;
  };
  for (const [index, line] of lines.entries()) {
    size += line.length;
    if (size >= sealedSize) cut(index + 1, 1);
  }
  // The rest of a large batch is not adjacent to later small ones.
  if (from < lines.length) cut(lines.length, from > 0 ? 1 : 0);
  return payloads;
}

/** Joins small payloads once there are enough of them. Payloads that are not adjacent, as around a gap, stay apart. */
export async function sealPayloads(trx: StoreTransaction): Promise<void> {
  const waiting = await trx
    .selectFrom('payloads')
    .select(['first_seq', 'count', 'size'])
    .where('sealed', '=', sql.lit(0))
    .orderBy('first_seq')
    .execute();
  const size = waiting.reduce((sum, payload) => sum + payload.size, 0);
  if (waiting.length < maxUnsealed && size < sealedSize) return;
  for (let from = 0; from < waiting.length; ) {
    let end = from + 1;
    while (end < waiting.length && isNext(waiting[end - 1], waiting[end])) end++;
    const run = waiting.slice(from, end).map((payload) => payload.first_seq);
    from = end;
    const rows = await trx
      .selectFrom('payloads')
      .select(['first_seq', 'bytes'])
      .where('first_seq', 'in', run)
      .orderBy('first_seq')
      .execute();
    const lines = rows.flatMap(({ bytes }) => linesOf(bytes));
    await trx.deleteFrom('payloads').where('first_seq', 'in', run).execute();
    for (const payload of payloadsOf(run[0] ?? 0, lines)) {
      await trx
        .insertInto('payloads')
        .values({ ...payload, sealed: 1 })
        .execute();
    }
  }
}

function isNext(
  before: Pick<Payload, 'first_seq' | 'count'> | undefined,
  payload: Pick<Payload, 'first_seq'> | undefined,
): boolean {
  return before !== undefined && before.first_seq + before.count === payload?.first_seq;
}

function linesOf(bytes: Uint8Array): string[] {
  return textOfBytes(inflateBytes(bytes)).split('\n');
}

/** Another process may have joined payloads since the places were read. */
async function readLine(db: Kysely<StoreTables>, seq: number): Promise<string | undefined> {
  const found = await db
    .selectFrom('payloads')
    .select(['first_seq', 'bytes'])
    .where('first_seq', '<=', seq)
    .orderBy('first_seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found && linesOf(found.bytes)[seq - found.first_seq];
}

/** Visits the JSON of observations in the order of `seqs`, each with the payload that contains it, until `visit` returns false. */
export async function readLines(
  db: Kysely<StoreTables>,
  places: readonly { readonly seq: number; readonly payload: number | null }[],
  visit: (json: string, index: number) => boolean,
): Promise<void> {
  for (let from = 0; from < places.length; ) {
    const wanted = new Set<number>();
    let end = from;
    for (; end < places.length; end++) {
      const { payload = null } = places[end] ?? {};
      if (payload === null || wanted.has(payload)) continue;
      if (wanted.size === payloadsAtOnce) break;
      wanted.add(payload);
    }
    const rows = await db
      .selectFrom('payloads')
      .select(['first_seq', 'bytes'])
      .where('first_seq', 'in', [...wanted])
      .execute();
    const lines = new Map(rows.map(({ first_seq, bytes }) => [first_seq, linesOf(bytes)]));
    for (; from < end; from++) {
      const { seq = 0, payload = null } = places[from] ?? {};
      const json = lines.get(payload ?? -1)?.[seq - (payload ?? 0)] ?? (await readLine(db, seq));
      if (json === undefined) throw new RangeError(`expected a payload with observation ${seq}, found none`);
      if (!visit(json, from)) return;
    }
  }
}
