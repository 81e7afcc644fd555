import type { Recorded } from '../../observation/observation';
import type { EpochMs } from '../../xds/units';
import { readFacts } from '../convergence/read-facts';

/** All that churn is counted from, of one observation. */
export interface ChurnEntry {
  /** Whole milliseconds. */
  readonly at: EpochMs;
  readonly clientId: string;
  /** null: nothing was sent, a poll told. */
  readonly response: ChurnResponse | null;
  readonly contents: readonly ChurnContent[];
}

export interface ChurnResponse {
  readonly typeUrl: string;
  readonly streamId: string;
  readonly version: string;
  /** In its own words, or the source that saw it. */
  readonly server: string;
  readonly sizeBytes: number;
  /** So many came since the one before that was told, each as long; 1: it alone. */
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
  if (observation.kind !== 'response-received' && observation.kind !== 'client-config-changed')
    return undefined;
  const { clientId } = observation;
  const contents: ChurnContent[] = [];
  for (const { what, typeUrl, name, hash, version } of readFacts(observation)) {
    if (name === null || hash === null) continue;
    if (what === 'sent' || what === 'accepted') contents.push({ typeUrl, name, hash, version });
  }
  const at = Math.floor(observation.at);
  if (observation.kind === 'client-config-changed') {
    return contents.length === 0 ? undefined : { at, clientId, response: null, contents };
  }
  const { typeUrl, streamId, versionInfo, resources, removedNames = [] } = observation;
  const { unchangedResources = 0, sizeBytes, repeats = 1 } = observation;
  const response = {
    ...{ typeUrl, streamId, version: versionInfo, sizeBytes, repeats },
    server: observation.controlPlane || observation.sourceId,
    total: resources.length + unchangedResources,
    isBare: resources.length === 0 && removedNames.length === 0,
  };
  return { at, clientId, response, contents };
}
