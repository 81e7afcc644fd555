import type { Family } from '../cases/mutation';

/** [label, at, value, ...more places and values]: changes of a family's valid resource. */
export type ConformanceRow = readonly [label: string, ...changes: unknown[]];

export interface ConformanceTable {
  readonly family: Family;
  readonly rows: readonly ConformanceRow[];
}

/** Rows about one place, without it: [label, value]. */
export function rowsAt(
  at: string,
  rows: readonly (readonly [label: string, value: unknown])[],
): ConformanceRow[] {
  return rows.map(([label, value]) => [label, at, value]);
}

/** An Any with bytes that are not valid protobuf. */
export function garbage(typeName: string): object {
  return {
    '@type': `type.googleapis.com/${typeName}`,
    'xdscope.opaque': { reason: 'not a valid message', valueBase64: '/w==' },
  };
}

/** An empty Any of a type that is not known. */
export function opaque(typeUrl: string): object {
  return { '@type': typeUrl, 'xdscope.opaque': { reason: 'unknown', valueBase64: '' } };
}

/** An Any whose type URL has another host than the usual one. */
export const foreignHost = (typeName: string): object => opaque(`example.com/${typeName}`);
