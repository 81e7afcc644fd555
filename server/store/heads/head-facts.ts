import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { type FleetField, isFleetField } from '@/lib/fleet/fleet-fields';
import { nameKey } from '@/lib/format/compare-names';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import type { ClientSummary } from '@/lib/views/client/schema';
import {
  type FleetValueField,
  fleetGrammar,
  searchedText,
  valuesOfCondition,
} from '@/lib/views/fleet/fleet-filter';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import {
  countNacks,
  type FleetSortValue,
  fleetSortColumns,
  fleetSortValue,
} from '@/lib/views/fleet/fleet-sort';
import { valuesOfField } from '@/lib/views/fleet/values-of-field';
import { findResourceType, formatResourceType } from '@/lib/xds/resource-type';
import { stateRank, states } from '@/lib/xds/status';
import type { StoreEngine } from '../schema';
import { bytesOfText } from '../text-bytes';

/** What a list shows of a client. `lastSeenAt` is absent everywhere: it changes with each poll. */
export type StoredHead = Pick<FleetMember, 'summary' | 'content' | 'link'>;

/** The positions are stored: append only. */
export const headFreshness = ['live', 'stale', 'gone', 'ofFiles'] as const;

/** An index entry of PostgreSQL has at most 2,704 bytes. */
const maxNameBytes = 1_000;
const noStatus = 1e12;
const perState = 1e6;
const largestInt = 2 ** 31 - 1;

/** The column that sorts by each of these. */
export const sortedColumns = { client: 'name', status: 'status', changed: 'changed_at' } as const;

export function isUnknownStatus(): RawBuilder<boolean> {
  return sql<boolean>`status = ${sql.lit(noStatus)}`;
}

/** A field begins with the first, its values with the second; the third is around each value. */
const [begin, middle, around] = ['\u0001', '\u0002', '\u0003'];
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the separators.
const separators = /[\u0000-\u0003]/g;
const plain = (text: string): string => text.replace(separators, ' ');

/** Names of fields that no filter has. */
export const wordsFact = '#';
export const sortFact = (columnId: string): string => `<${columnId}`;
/** The values of a field by which clients are grouped. */
export function groupValues(engine: StoreEngine, field: FleetField): RawBuilder<Buffer> {
  const written = valuesIn(engine, writtenFact(field));
  if (field === locality) return written;
  return sql<Buffer>`case when length(${written}) = 0 then ${valuesIn(engine, field)} else ${written} end`;
}

/** Its parts are values of a filter, and not of a group. */
const locality = 'locality';
/** The values of a group as they are written. Except those of the locality, they are absent if they are those of the filter. */
const writtenFact = (field: string): string => `^${field}`;
/** The values of one type: `status`, `config` and `version` of a filter with `type=`. */
export const typeFact = (field: string, typeUrl: string): string => `${field}/${typeKey(typeUrl)}`;
export const typeKey = (typeUrl: string): string =>
  (findResourceType(typeUrl)?.service ?? typeUrl).toLowerCase();

/** A value as it occurs in `facts`, in lower case. `isWhole`: not a part of it. */
export function factValue(value: string, isWhole: boolean): Buffer {
  return bytesOfText(isWhole ? around + plain(value) + around : plain(value));
}

/** The values of a field in `facts`, each between separators; empty if there is none. */
export function valuesIn(engine: StoreEngine, field: string): RawBuilder<Buffer> {
  const bytes = sql.raw(engine === 'postgres' ? 'bytea' : 'blob');
  const prefix = bytesOfText(begin + plain(field) + middle);
  const at = positionOf(engine, prefix, sql`facts`);
  const rest = sql`substr(facts, ${at} + ${sql.lit(prefix.byteLength)})`;
  const end = positionOf(engine, bytesOfText(begin), rest);
  return sql<Buffer>`case when ${at} = 0 then cast('' as ${bytes}) else substr(${rest}, 1, ${end} - 1) end`;
}

/** The same values, but a greater one than any other for none. */
export function emptyLast(engine: StoreEngine, values: RawBuilder<Buffer>): RawBuilder<Buffer> {
  const bytes = sql.raw(engine === 'postgres' ? 'bytea' : 'blob');
  const greatest = sql`cast(${Buffer.from([0xff])} as ${bytes})`;
  return sql<Buffer>`coalesce(nullif(${values}, cast('' as ${bytes})), ${greatest})`;
}

/** Counted from 1; 0 if it does not occur. */
export function positionOf(
  engine: StoreEngine,
  part: Buffer,
  bytes: RawBuilder<unknown>,
): RawBuilder<number> {
  return engine === 'postgres'
    ? sql<number>`position(cast(${part} as bytea) in ${bytes})`
    : sql<number>`instr(${bytes}, ${part})`;
}

/** The values of a group, as valuesIn() returns them. */
export function parseValues(values: Uint8Array): string[] {
  return Buffer.from(values).toString('utf8').split(around).filter(Boolean);
}

/** The row of client_heads, and the JSON of head_contents. */
export function buildHead(member: FleetMember) {
  const { summary, content, link } = member;
  const { worst, trouble, lastChangedAt, waiting, freshness } = summary;
  const stored: StoredHead = { summary: withoutLastSeen(summary), content, link };
  const facts = bytesOfText(buildFacts(member));
  const json = JSON.stringify(stored);
  const row = {
    id: bytesOfText(summary.id),
    name: bytesOfText(`${nameKey(summary.nodeId)}\n${nameKey(summary.scope)}`).subarray(0, maxNameBytes),
    status: worst === undefined ? noStatus : stateRank(worst) * perState - Math.min(trouble, perState - 1),
    changed_at: Math.floor(lastChangedAt),
    fresh: headFreshness.indexOf(isImportedClient(summary) ? 'ofFiles' : freshness),
    worst: worst === undefined ? -1 : states.indexOf(worst),
    trouble: Math.min(trouble, largestInt),
    waiting: waiting === undefined ? 0 : 1,
    nacks: Math.min(countNacks(summary), largestInt),
    is_whole: link?.kind === 'whole' ? 1 : 0,
    facts,
  };
  const digest = createHash('sha256').update(facts).update(json).digest().subarray(0, 16);
  return { row: { ...row, digest }, json };
}

export type BuiltHead = ReturnType<typeof buildHead>;

function withoutLastSeen(summary: ClientSummary): ClientSummary {
  const { lastSeenAt: _, reports, ...same } = summary;
  return { ...same, reports: reports.map(({ lastSeenAt: _, ...report }) => report) };
}

const grammarFields = Object.keys(fleetGrammar.fields).filter(
  (field) => field !== 'since',
) as FleetValueField[];
const typedFields = ['status', 'config', 'version'] as const;

function buildFacts(member: FleetMember): string {
  const { types } = member.summary;
  const facts = new Map<string, string>();
  const add = (field: string, values: readonly string[]): void => {
    const found = new Set(values.map(plain).filter(Boolean));
    if (found.size > 0) facts.set(plain(field), around + [...found].join(around) + around);
  };
  const addLower = (field: string, values: readonly string[]): void =>
    add(
      field,
      values.map((value) => value.toLowerCase()),
    );
  const addWritten = (field: FleetField, values = valuesOfField(member, field)): void => {
    add(writtenFact(field), values);
    if (field !== locality && facts.get(writtenFact(field)) === facts.get(plain(field)))
      facts.delete(writtenFact(field));
  };
  add(wordsFact, [searchedText(member)]);
  for (const field of grammarFields) {
    if (field === 'type') continue;
    addLower(field, valuesOfCondition(member, types, field));
    if (isFleetField(field)) addWritten(field);
  }
  add(
    'type',
    types.filter(({ total }) => total > 0).map(({ typeUrl }) => typeKey(typeUrl)),
  );
  for (const type of types)
    for (const field of typedFields)
      addLower(typeFact(field, type.typeUrl), valuesOfCondition(member, [type], field));
  for (const key of new Set(member.metadata.map(([key]) => key))) {
    const values = valuesOfField(member, `meta.${key}`);
    addLower(`meta.${key}`, values);
    addWritten(`meta.${key}`, values);
  }
  const columns = [
    ...fleetSortColumns,
    ...types.map(({ typeUrl }) => formatResourceType(typeUrl).toLowerCase()),
  ];
  for (const columnId of columns)
    if (!Object.hasOwn(sortedColumns, columnId))
      add(sortFact(columnId), sortKey(fleetSortValue(columnId)(member.summary)));
  return Array.from(facts, ([field, values]) => begin + field + middle + values).join('') + begin;
}

/** Numbers are integers, and may be negative; with this one added, they all have 16 digits. */
const zero = 5e15;

function sortKey(value: FleetSortValue): string[] {
  if (value === null) return [];
  return [typeof value === 'number' ? String(zero + Math.round(value)) : nameKey(value)];
}
