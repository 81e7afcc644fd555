import { LRUCache } from 'lru-cache';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { findMessageType } from '../../codec/root';
import type { Body } from '../../observe';

interface Any {
  readonly type_url?: string;
  readonly value?: Uint8Array;
}

/** By hash, because thousands of clients hold the same clusters. Empty: there is none. */
const known = new LRUCache<string, string>({ max: 100_000 });

/** Reads the reference of a body once, so that findReference() has it. */
export function keepReference(body: Body): void {
  if (!known.has(body.hash)) known.set(body.hash, readReference(body));
}

/**
 * The name of the route configuration of an API listener, or of the endpoints of a cluster. Undefined if they are inline or
 * unreadable, or if the body was not read recently.
 */
export function findReference(hash: string): string | undefined {
  return known.get(hash) || undefined;
}

function readReference({ typeUrl, bytes }: Body): string {
  if (typeUrl === CDS.typeUrl) {
    const { name = '', type, edsClusterConfig } = read(typeUrl, bytes);
    if (type !== 'EDS') return '';
    return text(Reflect.get(Object(edsClusterConfig), 'serviceName')) || text(name);
  }
  if (typeUrl !== LDS.typeUrl) return '';
  const { apiListener } = read(typeUrl, bytes);
  const manager = Reflect.get(Object(apiListener), 'apiListener') as Any | undefined;
  if (manager?.type_url === undefined || manager.value === undefined) return '';
  const { rds } = read(manager.type_url, manager.value);
  return text(Reflect.get(Object(rds), 'routeConfigName'));
}

function read(typeUrl: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const type = findMessageType(typeUrl);
  if (type === undefined) return {};
  try {
    return type.toObject(type.decode(bytes), { enums: String });
  } catch {
    // protobufjs throws for bytes that are no message, which a client may accept unread.
    return {};
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
