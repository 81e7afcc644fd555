import { byDescending } from '../../collections/compare';
import { sortInSteps } from '../../cooperative/sort-in-steps';
import { itemsPerStep, type Steps } from '../../cooperative/steps';
import type { SizeSort } from '../../fleet/size-group';
import type { EpochMs } from '../../xds/units';
import { configTypes } from '../fleet/config-types';
import type { FleetMember } from '../fleet/fleet-member';
import { countBytes } from '../fleet/fleet-sort';
import type { NearLimit, SizeItem, SizesAnswer } from './schema';

export interface ClientSizes {
  /** The largest first, up to `most`. */
  readonly items: readonly SizeItem[];
  readonly rest: SizesAnswer['rest'];
  readonly total: SizesAnswer['total'];
  readonly responses: readonly NearLimit[];
}

const responsesKept = 50;

interface SizeBefore {
  readonly at: EpochMs;
  readonly bytes: number;
}

export interface ClientSizesOptions {
  /** The largest number of items. */
  readonly most: number;
  readonly sort: SizeSort;
  /** Returns the first measurement of a client; undefined if there is none. */
  readonly beforeOf: (clientId: string) => SizeBefore | undefined;
}

/** Builds sizes by client and type. Whole processes are left out, since their scopes are included. */
export function* buildClientSizes(
  members: Iterable<FleetMember>,
  { most, sort, beforeOf }: ClientSizesOptions,
): Steps<ClientSizes> {
  const sized: Sized[] = [];
  const total = { bytes: 0, clients: 0, resources: 0, unreported: 0 };
  let responses: NearLimit[] = [];
  /** Smaller responses are dropped, once there are enough larger ones. */
  let leastBytes = 0;
  let visited = 0;
  for (const { summary, link } of members) {
    visited += 1;
    if (visited % itemsPerStep === 0) yield;
    if (link?.kind === 'whole') continue;
    const { id, nodeId, resources } = summary;
    const types = configTypes(summary);
    const bytes = countBytes(summary) ?? 0;
    const unreported = types.reduce((sum, type) => sum + (type.unreported ?? 0), 0);
    total.clients += 1;
    total.bytes += bytes;
    total.resources += resources;
    total.unreported += unreported;
    const before = beforeOf(id);
    sized.push({ bytes, summary, before, grown: bytes - (before?.bytes ?? bytes) });
    for (const { typeUrl, service, total: count, sizeBytes, unreported: unknown = 0 } of types) {
      if (sizeBytes === undefined) continue;
      const responseBytes = estimateResponseBytes({ bytes: sizeBytes, count }, typeUrl);
      if (responseBytes <= leastBytes) continue;
      const type = { typeUrl, service, resources: count, unreported: unknown };
      responses.push({ clientId: id, nodeId, ...type, responseBytes });
    }
    if (responses.length <= 4 * responsesKept) continue;
    responses = largest(responses);
    leastBytes = responses.at(-1)?.responseBytes ?? 0;
  }
  const inOrder = yield* sortInSteps(sized, (a, b) =>
    sort === 'growth' ? b.grown - a.grown || b.bytes - a.bytes : b.bytes - a.bytes,
  );
  const rest = inOrder.slice(most);
  return {
    items: inOrder.slice(0, most).map(itemOf),
    rest: restOf(rest),
    total,
    responses: largest(responses),
  };
}

interface Sized {
  readonly bytes: number;
  readonly before: SizeBefore | undefined;
  readonly summary: FleetMember['summary'];
  readonly grown: number;
}

function itemOf({ bytes, before, summary }: Sized): SizeItem {
  const { id, nodeId, resources } = summary;
  const parts = configTypes(summary)
    .map((type) => ({ name: type.service, bytes: type.sizeBytes ?? 0, count: type.total, parts: [] }))
    .filter((part) => part.bytes > 0)
    .sort(byDescending(({ bytes }) => bytes));
  return {
    key: id,
    label: nodeId,
    bytes,
    count: resources,
    parts,
    before: buildSizeBefore(before),
    clients: undefined,
  };
}

export function restOf(others: readonly { readonly bytes: number }[]): SizesAnswer['rest'] {
  return {
    items: others.length,
    bytes: others.reduce((sum, { bytes }) => sum + bytes, 0),
    largestBytes: others.reduce((most, { bytes }) => Math.max(most, bytes), 0),
  };
}

export function buildSizeBefore(before: SizeBefore | undefined): SizeItem['before'] {
  return before === undefined ? undefined : { at: before.at, bytes: before.bytes };
}

function largest(responses: readonly NearLimit[]): NearLimit[] {
  return [...responses].sort(byDescending(({ responseBytes }) => responseBytes)).slice(0, responsesKept);
}

/** The size of version, nonce, type URL and the control plane's identifier. */
const envelopeBytes = 200;

/**
 * Estimates the size of a state-of-the-world response with these resources. Each body is in an Any, which contains the type
 * URL. `typeUrl` is that of the protocol.
 */
export function estimateResponseBytes(
  bodies: { readonly bytes: number; readonly count: number },
  typeUrl: string,
): number {
  const { bytes, count } = bodies;
  // The tags and lengths of the resource, of the type URL and of the body.
  const wrapBytes = typeUrl.length + 2 + 2 * (1 + lengthBytes(bytes / Math.max(1, count)));
  return envelopeBytes + bytes + count * wrapBytes;
}

/** The size of a length as a varint. */
function lengthBytes(length: number): number {
  return length < 2 ** 7 ? 1 : length < 2 ** 14 ? 2 : length < 2 ** 21 ? 3 : 4;
}
