import type { ConfigSourceKind } from '@/lib/model/config-source';
import type { Reference } from '@/lib/model/references';
import { EDS } from '@/lib/xds/resource-type';
import { WireCursor } from './wire-cursor';
import { textAt } from './wire-text';

const edsType = 3;

/** Field numbers of the oneof config_source_specifier of envoy.config.core.v3.ConfigSource. */
const sources: ReadonlyMap<number, ConfigSourceKind> = new Map([
  [1, 'path'],
  [2, 'api'],
  [3, 'ads'],
  [5, 'self'],
  [8, 'path'],
]);

/**
 * Finds the endpoints that a cluster refers to, in a hundredth of the time that lib/model/ takes with JSON. A strict
 * decoder must accept the bytes. Returns undefined for a less usual cluster, which is left to lib/model/: one with a
 * custom type, a repeated field, a name that could be redacted, or one whose extensions may reference secrets.
 */
export function findClusterReferences(bytes: Uint8Array): readonly Reference[] | undefined {
  let nameStart = 0;
  let nameEnd = 0;
  let type: number | undefined;
  let config: EdsConfig | undefined;
  const cursor = new WireCursor(bytes);
  while (cursor.next()) {
    switch (cursor.number) {
      case 1:
        if (nameStart !== 0) return undefined;
        nameStart = cursor.valueStart;
        nameEnd = cursor.fieldEnd;
        break;
      case 2:
        if (type !== undefined || cursor.fieldEnd - cursor.valueStart !== 1) return undefined;
        type = bytes[cursor.valueStart];
        break;
      case 3:
        if (config !== undefined) return undefined;
        config = findEdsConfig(bytes, cursor.valueStart, cursor.fieldEnd);
        if (config === undefined) return undefined;
        break;
      case 38:
        return undefined;
      default:
        if (mayHaveSource(bytes.subarray(cursor.valueStart, cursor.fieldEnd))) return undefined;
    }
  }
  if (type !== edsType) return [];
  const serviceName = config?.serviceName || textAt(bytes, nameStart, nameEnd);
  if (serviceName === '' || serviceName.startsWith('[redacted')) return undefined;
  return [{ typeUrl: EDS.typeUrl, name: serviceName, how: 'eds', from: config?.from ?? 'unset' }];
}

/** The encodings of ConfigSource.ads and ConfigSource.self, which other fields rarely have. */
const ownSources = [Buffer.of(0x1a, 0), Buffer.of(0x2a, 0), Buffer.of(0x2a, 2, 8)];

function mayHaveSource(field: Uint8Array): boolean {
  const bytes = Buffer.from(field.buffer, field.byteOffset, field.length);
  return ownSources.some((source) => bytes.includes(source));
}

interface EdsConfig {
  readonly serviceName: string;
  readonly from: ConfigSourceKind;
}

function findEdsConfig(bytes: Uint8Array, start: number, end: number): EdsConfig | undefined {
  let serviceName: string | undefined;
  let from: ConfigSourceKind | undefined;
  const cursor = new WireCursor(bytes, start, end);
  while (cursor.next()) {
    if (cursor.number === 1) {
      if (from !== undefined) return undefined;
      from = findSource(bytes, cursor.valueStart, cursor.fieldEnd);
      if (from === undefined) return undefined;
    }
    if (cursor.number !== 2) continue;
    if (serviceName !== undefined) return undefined;
    serviceName = textAt(bytes, cursor.valueStart, cursor.fieldEnd);
  }
  return { serviceName: serviceName ?? '', from: from ?? 'unset' };
}

function findSource(bytes: Uint8Array, start: number, end: number): ConfigSourceKind | undefined {
  let from: ConfigSourceKind | undefined;
  const cursor = new WireCursor(bytes, start, end);
  while (cursor.next()) {
    const reported = sources.get(cursor.number);
    if (reported === undefined) continue;
    if (from !== undefined) return undefined;
    from = reported === 'api' && isRest(bytes, cursor.valueStart, cursor.fieldEnd) ? 'rest' : reported;
  }
  return from ?? 'unset';
}

/** True if `api_type` of an ApiConfigSource is REST, which is 1. */
function isRest(bytes: Uint8Array, start: number, end: number): boolean {
  let isLast = false;
  const cursor = new WireCursor(bytes, start, end);
  while (cursor.next()) if (cursor.number === 1) isLast = bytes[cursor.valueStart] === 1;
  return isLast;
}
