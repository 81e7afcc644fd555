import { type RawBuilder, sql } from 'kysely';
import { isNegated } from '@/lib/filter/match-filter';
import { type FleetFilter, findTypes } from '@/lib/views/fleet/fleet-filter';
import type { StoreEngine } from '../schema';
import { bytesOfText } from '../text-bytes';
import { headFreshness, maxIndexedBytes } from './build-head';
import {
  columnOf,
  type FactsColumn,
  factValue,
  haveFacts,
  positionOf,
  typeFact,
  typeKey,
  valuesIn,
  wordsFact,
} from './head-facts';

type Condition = FleetFilter['conditions'][number];
type Sql = RawBuilder<boolean>;

/** The condition of a filter on client_heads; undefined: all match. `typeUrls`: all types that clients have. */
export function conditionOf(
  engine: StoreEngine,
  { words, conditions }: FleetFilter,
  typeUrls: readonly string[],
): Sql | undefined {
  const types = typeUrls.map((typeUrl) => ({ typeUrl }));
  const isOfTypes = conditions.some(({ field, operator }) => field === 'type' && !isNegated(operator));
  const chosen = isOfTypes ? findTypes(types, conditions) : undefined;
  const all = words.map((word) => hasWord(engine, word));
  const onFacts = new Map<FactsColumn, Sql[]>();
  for (const condition of conditions) {
    const { of, holds } = conditionHolds(engine, condition, types, chosen);
    const stated = isNegated(condition.operator) ? sql<boolean>`not (${holds})` : holds;
    if (of === undefined) all.push(stated);
    else onFacts.set(of, [...(onFacts.get(of) ?? []), stated]);
  }
  for (const [column, stated] of onFacts) all.push(haveFacts(column, every(stated)));
  return all.length === 0 ? undefined : every(all);
}

function hasWord(engine: StoreEngine, word: string): Sql {
  const part = bytesOfText(word);
  return some([
    ...['node_id', 'trouble_text'].map(
      (column) => sql<boolean>`${positionOf(engine, part, sql.ref(column))} > 0`,
    ),
    haveFacts(columnOf(wordsFact), occurs(engine, wordsFact, word, false)),
  ]);
}

interface Stated {
  /** The column whose facts the condition is about. Absent: it is about the columns of client_heads. */
  readonly of?: FactsColumn;
  readonly holds: Sql;
}

/** One of the values is equal, or has the part, also for a negated operator. */
function conditionHolds(
  engine: StoreEngine,
  { field, operator, value, after }: Condition,
  types: readonly { readonly typeUrl: string }[],
  chosen: readonly { readonly typeUrl: string }[] | undefined,
): Stated {
  const isWhole = !operator.endsWith('~');
  if (field === 'since') return { holds: after === undefined ? no : sql<boolean>`changed_at >= ${after}` };
  if (field === 'node') return { holds: nodeHolds(engine, value, isWhole) };
  if (field === 'type' && value !== '') {
    const positive = { field, operator: isWhole ? '=' : '~', value } as const;
    const found = findTypes(types, [positive]).map(({ typeUrl }) => typeKey(typeUrl));
    if (found.length === 0) return { holds: no };
    return { of: columnOf(field), holds: some(found.map((key) => occurs(engine, field, key, true))) };
  }
  const column = isWhole && chosen === undefined ? findColumn(field, value) : undefined;
  if (column !== undefined) return { holds: column };
  const isTyped = field === 'status' || field === 'config' || field === 'version';
  const facts = isTyped && chosen ? chosen.map(({ typeUrl }) => typeFact(field, typeUrl)) : [field];
  const holds =
    value === ''
      ? every(facts.map((fact) => sql<boolean>`length(${valuesIn(engine, fact)}) = 0`))
      : some(facts.map((fact) => occurs(engine, fact, value, isWhole)));
  return { of: columnOf(field), holds };
}

function nodeHolds(engine: StoreEngine, value: string, isWhole: boolean): Sql {
  const bytes = bytesOfText(value);
  if (!isWhole && value !== '') return sql<boolean>`${positionOf(engine, bytes, sql`node_id`)} > 0`;
  return sql<boolean>`(${indexedNode} = ${bytes.subarray(0, maxIndexedBytes)} and node_id = ${bytes})`;
}

/** The expression of the index of node ids. */
export const indexedNode = sql`substr(node_id, 1, ${sql.lit(maxIndexedBytes)})`;

/** The same from a column, for the filters of the page: no facts are read, and a partial index finds the few. */
function findColumn(field: Condition['field'], value: string): Sql | undefined {
  switch (`${field}=${value}`) {
    case 'trouble=yes':
      return sql<boolean>`trouble > 0`;
    case 'trouble=no':
      return sql<boolean>`trouble = 0`;
    case 'status=nacked':
      return sql<boolean>`nacks > 0`;
    case 'is=waiting':
      return sql<boolean>`waiting > 0`;
    default: {
      const wanted = value === 'file' ? 'ofFiles' : value;
      const fresh = field === 'fresh' ? (headFreshness as readonly string[]).indexOf(wanted) : -1;
      return fresh < 0 ? undefined : sql<boolean>`fresh = ${sql.lit(fresh)}`;
    }
  }
}

function occurs(engine: StoreEngine, fact: string, value: string, isWhole: boolean): Sql {
  return sql<boolean>`${positionOf(engine, factValue(value, isWhole), valuesIn(engine, fact))} > 0`;
}

const no = sql<boolean>`1 = 0`;

function some(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? no : sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

function every(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}
