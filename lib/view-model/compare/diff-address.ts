import type { ResourceKey } from '../../observation/observation';
import { decodePercent } from '../../xds/decode-percent';
import { formatTypeKey, parseTypeKey } from '../client-resources/resource-ref';

/**
 * One side of a comparison, as pages and API name it:
 *
 *     client/ID                     a client as it is now; of a control plane, a probe, a tap or a file alike
 *     client/ID@MOMENT              as it was: an ISO time, or seq:4711
 *     permalink/ID                  what a permalink keeps
 *     ...;control-plane             what control planes say that they sent it, in the place of its own word
 *     client/...;source=ID          what one source alone reports, as a tap or one of several control planes; the id
 *                                   is percent-encoded
 *     .../CDS/shop-cart             one resource of it: a service or a percent-encoded type URL, then the name as it is
 */
export interface DiffAddress {
  readonly what: 'client' | 'permalink';
  readonly id: string;
  /** As the URL says a moment; null: now. Of a permalink always null. */
  readonly at: string | null;
  /** Which side reports it: null is the client, as far as it has reported. */
  readonly side: 'control-plane' | null;
  /** The only source that counts; null: all sources. Always null for a permalink. */
  readonly sourceId: string | null;
  /** null: all of them. */
  readonly resource: ResourceKey | null;
}

const grammar =
  /^(client|permalink)\/([\w-]+)(?:@([^;/]+))?(?:;(?:(control-plane)|source=([^;/]+)))?(?:\/([^/]+)\/(.*))?$/s;

/** undefined: it is none. */
export function parseDiffAddress(text: string): DiffAddress | undefined {
  const [, what, id, at, side, source, type, name] = grammar.exec(text) ?? [];
  if ((what !== 'client' && what !== 'permalink') || id === undefined) return undefined;
  if (what === 'permalink' && (at !== undefined || source !== undefined)) return undefined;
  const sourceId = source === undefined ? null : decodePercent(source);
  if (sourceId === undefined) return undefined;
  const typeUrl = type === undefined ? undefined : parseTypeKey(type);
  if (type !== undefined && (typeUrl === undefined || typeUrl === '')) return undefined;
  const resource = typeUrl === undefined ? null : { typeUrl, name: name ?? '' };
  return { what, id, at: at ?? null, side: side === undefined ? null : 'control-plane', sourceId, resource };
}

export function formatDiffAddress({ what, id, at, side, sourceId, resource }: DiffAddress): string {
  const moment = at === null ? '' : `@${at}`;
  const source = sourceId === null ? '' : `;source=${encodeURIComponent(sourceId)}`;
  const word = side === null ? source : `;${side}`;
  const one = resource === null ? '' : `/${formatTypeKey(resource.typeUrl)}/${resource.name}`;
  return `${what}/${id}${moment}${word}${one}`;
}

/** A client; `at` '' or left out: now. */
export function clientAddress(id: string, at = ''): DiffAddress {
  return { what: 'client', id, at: at === '' ? null : at, side: null, sourceId: null, resource: null };
}

export function permalinkAddress(id: string): DiffAddress {
  return { what: 'permalink', id, at: null, side: null, sourceId: null, resource: null };
}
