import type { FieldReader } from './field-reader';

export const configSourceKinds = ['ads', 'self', 'path', 'api', 'unset'] as const;
/**
 * Where a resource comes from according to an envoy.config.core.v3.ConfigSource. `self` is the stream on which the
 * referring resource was received; `api` is a separate stream or poll; `unset` means not reported.
 */
export type ConfigSourceKind = (typeof configSourceKinds)[number];

export function readConfigSource(source: FieldReader | null): ConfigSourceKind {
  return source === null ? 'unset' : kindOf((name) => source.has(name));
}

export function configSourceOf(json: unknown): ConfigSourceKind {
  if (typeof json !== 'object' || json === null) return 'unset';
  return kindOf((name) => Object.hasOwn(json, name) && Reflect.get(json, name) !== null);
}

function kindOf(has: (name: string) => boolean): ConfigSourceKind {
  if (has('ads')) return 'ads';
  if (has('self')) return 'self';
  if (has('path') || has('pathConfigSource')) return 'path';
  return has('apiConfigSource') ? 'api' : 'unset';
}

/** gRPC accepts resources only from its ADS stream (rules L13, C2). An unset source counts as the same stream. */
export function isOnSameStream(source: ConfigSourceKind): boolean {
  return source === 'ads' || source === 'self' || source === 'unset';
}
