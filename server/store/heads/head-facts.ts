import { type RawBuilder, sql } from 'kysely';
import type { FleetField } from '@/lib/fleet/fleet-fields';
import { findResourceType } from '@/lib/xds/resource-type';
import type { StoreEngine } from '../schema';
import { bytesOfText } from '../text-bytes';

/**
 * The facts of a head, by what clients share: with many others those of the node and those of the config, with few or none the
 * rest. Equal ones are one row of head_facts. The positions are stored.
 */
export const factsColumns = ['node_facts', 'config_facts', 'other_facts'] as const;
export type FactsColumn = (typeof factsColumns)[number];

/** A field begins with the first, its values with the second; the third is around each value. */
const [begin, middle, around] = ['\u0001', '\u0002', '\u0003'];
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the separators.
const separators = /[\u0000-\u0003]/g;
const plain = (text: string): string => text.replace(separators, ' ');

/** Names of facts that no filter has. */
export const wordsFact = '#';
export const sortFact = (columnId: string): string => `<${columnId}`;
/** The values of a group as they are written. Except those of the locality, they are absent if they are those of the filter. */
export const writtenFact = (field: string): string => `^${field}`;
/** Its parts are values of a filter, and not of a group. */
const locality = 'locality';
/** The values of one type: `status`, `config` and `version` of a filter with `type=`. */
export const typeFact = (field: string, typeUrl: string): string => `${field}/${typeKey(typeUrl)}`;
export const typeKey = (typeUrl: string): string =>
  (findResourceType(typeUrl)?.service ?? typeUrl).toLowerCase();

const nodeFields = new Set([wordsFact, 'cluster', 'region', 'zone', 'subzone', locality, 'agent', 'scope']);
const otherFields = /^(?:meta\.|(?:source|runs)$)/;

/** The column that refers to a fact. */
export function columnOf(fact: string): FactsColumn {
  const field = fact.replace(/^[<^]/, '');
  if (nodeFields.has(field)) return 'node_facts';
  return otherFields.test(field) ? 'other_facts' : 'config_facts';
}

/** The rows of head_facts that a column refers to. */
export function factsOf(column: FactsColumn): RawBuilder<unknown> {
  return sql`head_facts where part = ${sql.lit(factsColumns.indexOf(column))}`;
}

/** The condition on heads that their facts fulfil `condition`. */
export function haveFacts(column: FactsColumn, condition: RawBuilder<boolean>): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from ${factsOf(column)} and head_facts.id = client_heads.${sql.ref(column)} and ${condition})`;
}

/** What a fact is named, and the position of its column. */
export interface FactPlace {
  readonly name: string;
  readonly part: number;
}

export function placeOf(fact: string): FactPlace {
  return { name: plain(fact), part: factsColumns.indexOf(columnOf(fact)) };
}

/** The places of a field whose values are written otherwise than a filter compares them. */
export interface FieldPlaces {
  readonly field: FleetField;
  readonly compared: FactPlace;
  readonly written: FactPlace;
}

export function placesOf(field: FleetField): FieldPlaces {
  return { field, compared: placeOf(field), written: placeOf(writtenFact(field)) };
}

/** The facts of a head. */
export class FactsBuilder {
  readonly #columns = factsColumns.map(() => new Map<string, string>());

  add({ name, part }: FactPlace, values: readonly string[]): void {
    const text = textOf(values);
    if (text !== '') this.#columns[part]?.set(name, text);
  }

  addLower(place: FactPlace, values: readonly string[]): void {
    this.add(place, values.map(lower));
  }

  /** `compared`: the values of a filter. */
  addBoth(places: FieldPlaces, compared: readonly string[], written: readonly string[]): void {
    this.addLower(places.compared, compared);
    if (places.field === locality || textOf(written) !== textOf(compared.map(lower)))
      this.add(places.written, written);
  }

  /** The text of each column. */
  build(): string[] {
    return this.#columns.map((facts) => {
      let text = '';
      for (const [name, values] of facts) text += begin + name + middle + values;
      return text + begin;
    });
  }
}

const lower = (value: string): string => value.toLowerCase();

/** Each value once; empty if there is none. */
function textOf(values: readonly string[]): string {
  const plainValues = values.map(plain).filter(Boolean);
  const found = plainValues.length > 1 ? [...new Set(plainValues)] : plainValues;
  return found.length === 0 ? '' : around + found.join(around) + around;
}

/** A value as it occurs in the facts, in lower case. `isWhole`: not a part of it. */
export function factValue(value: string, isWhole: boolean): Buffer {
  return bytesOfText(isWhole ? around + plain(value) + around : plain(value));
}

/** The values of a fact, each between separators; empty if there is none. */
export function valuesIn(engine: StoreEngine, fact: string): RawBuilder<Buffer> {
  const bytes = sql.raw(engine === 'postgres' ? 'bytea' : 'blob');
  const prefix = bytesOfText(begin + plain(fact) + middle);
  const at = positionOf(engine, prefix, sql`facts`);
  const rest = sql`substr(facts, ${at} + ${sql.lit(prefix.byteLength)})`;
  const end = positionOf(engine, bytesOfText(begin), rest);
  return sql<Buffer>`case when ${at} = 0 then cast('' as ${bytes}) else substr(${rest}, 1, ${end} - 1) end`;
}

/** The values of a field by which clients are grouped. */
export function groupValues(engine: StoreEngine, field: FleetField): RawBuilder<Buffer> {
  const written = valuesIn(engine, writtenFact(field));
  if (field === locality) return written;
  return sql<Buffer>`case when length(${written}) = 0 then ${valuesIn(engine, field)} else ${written} end`;
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

/** The values of a group, as groupValues() returns them. */
export function parseValues(values: Uint8Array): string[] {
  return Buffer.from(values).toString('utf8').split(around).filter(Boolean);
}
