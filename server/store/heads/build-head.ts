import { createHash } from 'node:crypto';
import { isFleetField } from '@/lib/fleet/fleet-fields';
import { nameKey } from '@/lib/format/compare-names';
import { formatLocality } from '@/lib/format/locality';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import type { ClientSummary } from '@/lib/views/client/schema';
import { fleetGrammar, valuesOfCondition } from '@/lib/views/fleet/fleet-filter';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import {
  countBytes,
  countNacks,
  type FleetSortValue,
  fleetSortColumns,
  fleetSortValue,
} from '@/lib/views/fleet/fleet-sort';
import { valuesOfField } from '@/lib/views/fleet/values-of-field';
import { formatResourceType } from '@/lib/xds/resource-type';
import { stateRank, states } from '@/lib/xds/status';
import { boundedCache } from '../../bounded-cache';
import { bytesOfText } from '../text-bytes';
import {
  FactsBuilder,
  type FieldPlaces,
  factsColumns,
  placeOf,
  placesOf,
  sortFact,
  typeFact,
  typeKey,
  wordsFact,
} from './head-facts';

/** What a list shows of a client. `lastSeenAt` is absent everywhere: it changes with each poll. */
export type StoredHead = Pick<FleetMember, 'summary' | 'content' | 'link'>;

/** The positions are stored: append only. */
export const headFreshness = ['live', 'stale', 'gone', 'ofFiles'] as const;

/** An index entry of PostgreSQL has at most 2,704 bytes. */
export const maxIndexedBytes = 1_000;
const noStatus = 1e12;
const noSize = -1;
const perState = 1e6;
const largestInt = 2 ** 31 - 1;

/** The column that sorts by each of these, with the value that stands for an unknown one. Other orders are by facts. */
export const sortedColumns = new Map<string, readonly [column: string, unknown?: number]>([
  ['client', ['name']],
  ['status', ['status', noStatus]],
  ['changed', ['changed_at']],
  ['trouble', ['trouble']],
  ['nacks', ['nacks']],
  ['resources', ['resources']],
  ['size', ['size', noSize]],
]);

/** The row of client_heads, the rows of head_facts that it refers to, in the order of factsColumns, and the JSON of head_contents. */
export function buildHead(member: FleetMember) {
  const { summary, content, link } = member;
  const { worst, trouble, lastChangedAt, waiting, freshness } = summary;
  const stored: StoredHead = { summary: withoutLastSeen(summary), content, link };
  const json = JSON.stringify(stored);
  const facts = buildFacts(member).map((text, part) => factsRow(part, text));
  const [node, config, other] = facts.map(({ id }) => id) as [Buffer, Buffer, Buffer];
  const row = {
    id: bytesOfText(summary.id),
    name: bytesOfText(`${nameKey(summary.nodeId)}\n${nameKey(summary.scope)}`).subarray(0, maxIndexedBytes),
    status: worst === undefined ? noStatus : stateRank(worst) * perState - Math.min(trouble, perState - 1),
    changed_at: Math.floor(lastChangedAt),
    size: countBytes(summary) ?? noSize,
    resources: Math.min(summary.resources, largestInt),
    fresh: headFreshness.indexOf(isImportedClient(summary) ? 'ofFiles' : freshness),
    worst: worst === undefined ? -1 : states.indexOf(worst),
    trouble: Math.min(trouble, largestInt),
    waiting: waiting === undefined ? 0 : 1,
    nacks: Math.min(countNacks(summary), largestInt),
    is_whole: link?.kind === 'whole' ? 1 : 0,
    ...{ node_facts: node, config_facts: config, other_facts: other },
    digest: digestOf(node, config, other, json),
    node_id: bytesOfText(summary.nodeId.toLowerCase()),
    trouble_text: bytesOfText(summary.troubleText.toLowerCase()),
  };
  return { row, facts, json };
}

export type BuiltHead = ReturnType<typeof buildHead>;

export interface FactsRow {
  readonly part: number;
  readonly id: Buffer;
  readonly facts: Buffer;
}

/** Most of the facts are those of other clients as well. */
const factsKept = 20_000;
const knownFacts = factsColumns.map(() => boundedCache<FactsRow>(factsKept));

/** Returns the same row for the same facts. */
function factsRow(part: number, text: string): FactsRow {
  return kept(knownFacts[part], text, () => {
    const facts = bytesOfText(text);
    return { part, id: digestOf(facts), facts };
  });
}

function kept<Value extends object>(
  cache: ReturnType<typeof boundedCache<Value>> | undefined,
  key: string,
  make: (key: string) => Value,
): Value {
  const known = cache?.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  cache?.set(key, made);
  return made;
}

function digestOf(...parts: readonly (Buffer | string)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest().subarray(0, 16);
}

function withoutLastSeen(summary: ClientSummary): ClientSummary {
  const { lastSeenAt: _, reports, ...same } = summary;
  return { ...same, reports: reports.map(({ lastSeenAt: _, ...report }) => report) };
}

/** `node` is a column, and `type` has other values here than in a filter. */
const factFields = (Object.keys(fleetGrammar.fields) as Exclude<keyof typeof fleetGrammar.fields, 'since'>[])
  .filter((field) => !['since', 'node', 'type'].includes(field))
  .map((field) => ({
    field,
    place: placeOf(field),
    places: isFleetField(field) ? placesOf(field) : undefined,
  }));
const typedFields = ['status', 'config', 'version'] as const;
const sortedFactOf = (columnId: string) => ({
  place: placeOf(sortFact(columnId)),
  find: fleetSortValue(columnId),
});
const sortedFacts = fleetSortColumns.filter((columnId) => !sortedColumns.has(columnId)).map(sortedFactOf);
const [words, typeNames] = [placeOf(wordsFact), placeOf('type')];

/** Types and keys of metadata are named by peers. */
const placesKept = 1_000;
const metadataPlaces = boundedCache<FieldPlaces>(placesKept);
const typePlaces = boundedCache<ReturnType<typeof makeTypePlaces>>(placesKept);

function makeTypePlaces(typeUrl: string) {
  const columnId = formatResourceType(typeUrl).toLowerCase();
  return {
    key: typeKey(typeUrl),
    typed: typedFields.map((field) => ({ field, place: placeOf(typeFact(field, typeUrl)) })),
    sorted: sortedColumns.has(columnId) ? [] : [sortedFactOf(columnId)],
  };
}

/** The text of each column of facts. */
function buildFacts(member: FleetMember): string[] {
  const { summary, metadata } = member;
  const { types, scope, cluster, locality, userAgent } = summary;
  const facts = new FactsBuilder();
  facts.addLower(words, [scope, cluster, formatLocality(locality), userAgent]);
  for (const { field, place, places } of factFields) {
    const values = valuesOfCondition(member, types, field);
    if (places === undefined) facts.addLower(place, values);
    else facts.addBoth(places, values, valuesOfField(member, places.field));
  }
  const ofTypes = types.map(({ typeUrl }) => kept(typePlaces, typeUrl, makeTypePlaces));
  facts.add(
    typeNames,
    ofTypes.flatMap(({ key }, at) => ((types[at]?.total ?? 0) > 0 ? [key] : [])),
  );
  for (const [at, { typed }] of ofTypes.entries())
    for (const { field, place } of typed)
      facts.addLower(place, valuesOfCondition(member, types.slice(at, at + 1), field));
  for (const [key, values] of valuesByKey(metadata))
    facts.addBoth(
      kept(metadataPlaces, key, () => placesOf(`meta.${key}`)),
      values,
      values,
    );
  for (const { place, find } of [...sortedFacts, ...ofTypes.flatMap(({ sorted }) => sorted)])
    facts.add(place, sortKey(find(summary)));
  return facts.build();
}

function valuesByKey(metadata: FleetMember['metadata']): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [key, value] of metadata) {
    const known = found.get(key);
    if (known === undefined) found.set(key, [value]);
    else known.push(value);
  }
  return found;
}

/** Numbers are integers, and may be negative; with this one added, they all have 16 digits. */
const zero = 5e15;

function sortKey(value: FleetSortValue): string[] {
  if (value === null) return [];
  return [typeof value === 'number' ? String(zero + Math.round(value)) : nameKey(value)];
}
