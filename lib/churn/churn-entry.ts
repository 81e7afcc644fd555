import type { Recorded } from '../observation/observation';
import type { ResourceState } from '../observation/resource-state';
import type { EpochMs } from '../xds/units';

export interface ChurnEntry {
  /** Whole milliseconds. */
  readonly at: EpochMs;
  readonly clientId: string;
  /** null for polls. */
  readonly response: ChurnResponse | null;
  readonly contents: readonly ChurnContent[];
}

export interface ChurnResponse {
  readonly typeUrl: string;
  readonly streamId: string;
  readonly version: string;
  /** The identifier of the control plane, or the source id. */
  readonly server: string;
  readonly sizeBytes: number;
  /** The number of equal responses that the observation represents, each of `sizeBytes`. */
  readonly repeats: number;
  /** The number of resources, new or not. */
  readonly total: number;
  /** True if the response has no new and no removed resource. */
  readonly isBare: boolean;
}

export interface ChurnContent {
  readonly typeUrl: string;
  readonly name: string;
  readonly hash: string;
  readonly version: string;
}

/** Returns undefined if the observation does not contain any content. */
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

/** Reads a response without readFacts(), which would double the cost. */
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

/** Contents that the client accepted, or that its control plane sent. To filter what readFacts() returns takes 20 times as long. */
function contentsOfPoll({ side, changed }: OfKind<'client-config-changed'>): ChurnContent[] {
  const isReported = side === 'control-plane' ? isSent : isAccepted;
  return changed.flatMap((row) => {
    const { typeUrl, name, hash, versionInfo: version } = row;
    return hash === null || !isReported(row) ? [] : [{ typeUrl, name, hash, version }];
  });
}

function isSent({ configStatus }: ResourceState): boolean {
  return configStatus !== 'NOT_SENT' && configStatus !== 'UNKNOWN';
}

function isAccepted({ clientStatus, unanswered }: ResourceState): boolean {
  return clientStatus === 'ACKED' && unanswered === undefined;
}
