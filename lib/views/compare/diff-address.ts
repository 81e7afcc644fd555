import type { ResourceKey } from '../../observation/resource-state';
import { decodePercent } from '../../xds/decode-percent';
import { formatTypeKey, parseTypeKey } from '../resources/resource-ref';

/**
 * One side of a comparison, in the notation of pages and API:
 *
 *     client/ID                     the current state of a client, whichever source reports it
 *     client/ID@MOMENT              a past state: an ISO time, or seq:4711
 *     permalink/ID                  the state in a permalink
 *     ...;control-plane             what control planes report they sent, instead of the client's report
 *     client/...;source=ID          the report of one source, as a tap or one of several control planes; the id
 *                                   is percent-encoded
 *     .../CDS/shop-cart             one resource: a service or a percent-encoded type URL, then the unescaped name
 */
export interface DiffAddress {
  readonly what: 'client' | 'permalink';
  readonly id: string;
  /** A moment in URL notation; null for now, and for permalinks. */
  readonly at: string | null;
  /** The side of the report; null for the client. */
  readonly side: 'control-plane' | null;
  /** The id of a single source; null for all sources, and for permalinks. */
  readonly sourceId: string | null;
  /** null for all resources. */
  readonly resource: ResourceKey | null;
}

const grammar =
  /^(client|permalink)\/([\w-]+)(?:@([^;/]+))?(?:;(?:(control-plane)|source=([^;/]+)))?(?:\/([^/]+)\/(.*))?$/s;

/** Returns undefined if the text is not an address. */
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
  const report = side === null ? source : `;${side}`;
  const one = resource === null ? '' : `/${formatTypeKey(resource.typeUrl)}/${resource.name}`;
  return `${what}/${id}${moment}${report}${one}`;
}

/** The address of a client; `at` is '' or absent for now. */
export function clientAddress(id: string, at = ''): DiffAddress {
  return { what: 'client', id, at: at === '' ? null : at, side: null, sourceId: null, resource: null };
}

export function permalinkAddress(id: string): DiffAddress {
  return { what: 'permalink', id, at: null, side: null, sourceId: null, resource: null };
}
