import { parseAsArrayOf, parseAsBoolean, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { diffItemKinds } from '@/lib/diff/diff-item-kind';

export const compareViews = ['resources', 'graph'] as const;
export const resourceViews = ['tree', 'text'] as const;

/** The place of a comparison in the URL. */
export const compareSearchParams = {
  /** Addresses, as lib/view-model/compare/diff-address.ts has them; empty: not chosen yet. */
  left: parseAsString.withDefault(''),
  right: parseAsString.withDefault(''),
  view: parseAsStringLiteral(compareViews).withDefault('resources'),
  /** The one that is open, as formatResourceRef() says it. */
  resource: parseAsString.withDefault(''),
  as: parseAsStringLiteral(resourceViews).withDefault('tree'),
  // The list
  kind: parseAsStringLiteral(['', ...diffItemKinds]).withDefault(''),
  type: parseAsString.withDefault(''),
  q: parseAsString.withDefault(''),
  versions: parseAsBoolean.withDefault(false),
  // The graph
  node: parseAsString.withDefault(''),
  find: parseAsString.withDefault(''),
  expand: parseAsArrayOf(parseAsString).withDefault([]),
  table: parseAsBoolean.withDefault(false),
};
