import { readFacts } from '../convergence/read-facts';
import type { Recorded } from '../observation/observation';
import type { EpochMs } from '../xds/units';

/** All that churn is counted from, of one observation. */
export interface ChurnEntry {
  /** Whole milliseconds. */
  readonly at: EpochMs;
  readonly clientId: string;
  /** null: nothing was sent, a poll reported. */
  readonly response: ChurnResponse | null;
  readonly contents: readonly ChurnContent[];
}

export interface ChurnResponse {
  readonly typeUrl: string;
  readonly streamId: string;
  readonly version: string;
  /** As the control plane identifies itself, or the source that saw it. */
  readonly server: string;
  readonly sizeBytes: number;
  /** So many came since the one before that was reported, each as long; 1: it alone. */
  readonly repeats: number;
  /** Resources in it, new or not. */
  readonly total: number;
  /** It names nothing that is new, and nothing that went. */
  readonly isBare: boolean;
}

/** A resource had this content at that moment. */
export interface ChurnContent {
  readonly typeUrl: string;
  readonly name: string;
  readonly hash: string;
  readonly version: string;
}

/** undefined: it says nothing of what was sent, or became different. */
export function churnEntryOf(observation: Recorded): ChurnEntry | undefined {
  switch (observation.kind) {
    case 'response-received':
      return entryOfResponse(observation);
    case 'client-config-changed': {
      const contents = contentsOfPoll(observation);
      const at = Math.floor(observation.at);
      return contents.length === 0
        ? undefined
        : { at, clientId: observation.clientId, response: null, contents };
    }
    default:
      return undefined;
  }
}

type OfKind<K extends Recorded['kind']> = Extract<Recorded, { readonly kind: K }>;

/** Of each response that is recorded: without the facts that convergence is read from, which cost as much as the rest. */
function entryOfResponse(observation: OfKind<'response-received'>): ChurnEntry {
  const { clientId, typeUrl, streamId, versionInfo, resources, removedNames = [] } = observation;
  const { unchangedResources = 0, sizeBytes, repeats = 1 } = observation;
  const response: ChurnResponse = {
    typeUrl,
    streamId,
    version: versionInfo,
    server: observation.controlPlane || observation.sourceId,
    sizeBytes,
    repeats,
    total: resources.length + unchangedResources,
    isBare: resources.length === 0 && removedNames.length === 0,
  };
  const contents: ChurnContent[] = [];
  for (const { name, hash } of resources) contents.push({ typeUrl, name, hash, version: versionInfo });
  return { at: Math.floor(observation.at), clientId, response, contents };
}

function contentsOfPoll(observation: OfKind<'client-config-changed'>): ChurnContent[] {
  const contents: ChurnContent[] = [];
  for (const { what, typeUrl, name, hash, version } of readFacts(observation)) {
    if (name === null || hash === null) continue;
    if (what === 'sent' || what === 'accepted') contents.push({ typeUrl, name, hash, version });
  }
  return contents;
}
