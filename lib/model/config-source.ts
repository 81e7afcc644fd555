import type { FieldReader } from './field-reader';

export const configSourceKinds = ['ads', 'self', 'path', 'api', 'unset'] as const;
/**
 * From where envoy.config.core.v3.ConfigSource says that a resource comes. `self` is the stream that the referring
 * resource came on; `api` is a stream or a poll of its own; `unset` where nothing was reported.
 */
export type ConfigSourceKind = (typeof configSourceKinds)[number];

export function readConfigSource(source: FieldReader | null): ConfigSourceKind {
  return source === null ? 'unset' : kindOf((name) => source.has(name));
}

/** The same of plain JSON, whatever it is. */
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

/** gRPC takes resources from its ADS stream alone (rules L13, C2); what is not reported is not held against them. */
export function isOnSameStream(source: ConfigSourceKind): boolean {
  return source === 'ads' || source === 'self' || source === 'unset';
}
