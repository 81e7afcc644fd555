import type { Family } from '../cases/mutation';

/** [label, at, value, ...more places and values]: changes of a family's good resource; clients rejects it is recorded. */
export type ConformanceRow = readonly [label: string, ...changes: unknown[]];

export interface ConformanceTable {
  readonly family: Family;
  readonly rows: readonly ConformanceRow[];
}

/** Bytes that are no protobuf, as the value of an Any. */
export function garbage(typeName: string): object {
  return {
    '@type': `type.googleapis.com/${typeName}`,
    'xdscope.opaque': { reason: 'not a valid message', valueBase64: '/w==' },
  };
}

/** An Any whose type URL has another host than the usual one. */
export function foreignHost(typeName: string): object {
  return {
    '@type': `example.com/${typeName}`,
    'xdscope.opaque': { reason: 'unknown', valueBase64: '' },
  };
}
