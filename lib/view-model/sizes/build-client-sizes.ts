import type { NearLimit, SizeItem } from '../../api/sizes';
import { itemsPerStep, type Steps } from '../../steps/steps';
import type { FleetMember } from '../fleet/fleet-member';
import { countBytes } from '../fleet/fleet-sort';
import { estimateResponseBytes } from './response-size';

export interface ClientSizes {
  /** The largest first. */
  readonly items: readonly SizeItem[];
  readonly total: { readonly bytes: number; readonly resources: number; readonly untold: number };
  readonly responses: readonly NearLimit[];
}

const responsesKept = 50;

/** By client and type. What the wire tells of a whole process is told by its scopes, too. */
export function* buildClientSizes(members: Iterable<FleetMember>): Steps<ClientSizes> {
  const items: SizeItem[] = [];
  const total = { bytes: 0, resources: 0, untold: 0 };
  let responses: NearLimit[] = [];
  let looked = 0;
  for (const { summary, link } of members) {
    looked += 1;
    if (looked % itemsPerStep === 0) yield;
    if (link?.kind === 'whole') continue;
    const { id, nodeId, types, resources } = summary;
    const bytes = countBytes(summary) ?? 0;
    const untold = types.reduce((sum, type) => sum + (type.untold ?? 0), 0);
    total.bytes += bytes;
    total.resources += resources;
    total.untold += untold;
    const parts = types
      .map((type) => ({ name: type.service, bytes: type.sizeBytes ?? 0, count: type.total, parts: [] }))
      .filter((part) => part.bytes > 0)
      .sort((a, b) => b.bytes - a.bytes);
    items.push({ key: id, label: nodeId, bytes, count: resources, parts });
    for (const { typeUrl, service, total: count, sizeBytes, untold: unknown = 0 } of types) {
      if (sizeBytes === null) continue;
      const responseBytes = estimateResponseBytes({ bytes: sizeBytes, count }, typeUrl);
      responses.push({
        clientId: id,
        nodeId,
        typeUrl,
        service,
        resources: count,
        responseBytes,
        untold: unknown,
      });
    }
    if (responses.length > 4 * responsesKept) responses = largest(responses);
  }
  items.sort((a, b) => b.bytes - a.bytes);
  return { items, total, responses: largest(responses) };
}

function largest(responses: readonly NearLimit[]): NearLimit[] {
  return [...responses].sort((a, b) => b.responseBytes - a.responseBytes).slice(0, responsesKept);
}
