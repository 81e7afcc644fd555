'use client';

import { useQueryStates, type Values } from 'nuqs';
import { parseAsArrayOf, parseAsBoolean, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { diffItemKinds } from '@/lib/diff/diff-item-kind';

const compareViews = ['resources', 'graph'] as const;
const resourceViews = ['tree', 'text'] as const;

const compareSearchParams = {
  /** Addresses by diff-address.ts; empty: not chosen yet. */
  left: parseAsString.withDefault(''),
  right: parseAsString.withDefault(''),
  view: parseAsStringLiteral(compareViews).withDefault('resources'),
  /** The open resource, by formatResourceRef(). */
  resource: parseAsString.withDefault(''),
  as: parseAsStringLiteral(resourceViews).withDefault('tree'),
  // Resources
  kind: parseAsStringLiteral(['', ...diffItemKinds]).withDefault(''),
  type: parseAsString.withDefault(''),
  q: parseAsString.withDefault(''),
  versions: parseAsBoolean.withDefault(false),
  // Graph
  node: parseAsString.withDefault(''),
  find: parseAsString.withDefault(''),
  expand: parseAsArrayOf(parseAsString).withDefault([]),
  table: parseAsBoolean.withDefault(false),
  legend: parseAsBoolean.withDefault(true),
};

export type CompareQuery = Values<typeof compareSearchParams>;

export function useCompareQuery() {
  const [query, setQuery] = useQueryStates(compareSearchParams, { history: 'replace', throttleMs: 200 });
  return { query, setQuery };
}
