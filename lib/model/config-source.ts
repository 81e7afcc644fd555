import type { FieldReader } from './field-reader';

export const configSourceKinds = ['ads', 'self', 'path', 'api', 'rest', 'unset'] as const;
/**
 * The origin of a resource according to an envoy.config.core.v3.ConfigSource. `self` is the stream on which the
 * referring resource was received; `api` is a separate stream, `rest` a poll; `unset` means not reported.
 */
export type ConfigSourceKind = (typeof configSourceKinds)[number];

export function readConfigSource(source: FieldReader | undefined): ConfigSourceKind {
  if (source === undefined) return 'unset';
  return kindOf(
    (name) => source.has(name),
    () => source.object('apiConfigSource')?.enumName('apiType', '') === 'REST',
  );
}

export function configSourceOf(json: unknown): ConfigSourceKind {
  if (typeof json !== 'object' || json === null) return 'unset';
  return kindOf(
    (name) => Object.hasOwn(json, name) && Reflect.get(json, name) !== null,
    () => Reflect.get(Object(Reflect.get(json, 'apiConfigSource')), 'apiType') === 'REST',
  );
}

function kindOf(has: (name: string) => boolean, isRest: () => boolean): ConfigSourceKind {
  if (has('ads')) return 'ads';
  if (has('self')) return 'self';
  if (has('path') || has('pathConfigSource')) return 'path';
  if (!has('apiConfigSource')) return 'unset';
  return isRest() ? 'rest' : 'api';
}

/** gRPC accepts resources only from its ADS stream (rules L13, C2). An unset source counts as the same stream. */
export function isOnSameStream(source: ConfigSourceKind): boolean {
  return source === 'ads' || source === 'self' || source === 'unset';
}
