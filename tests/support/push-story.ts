import type { Observation } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { CDS } from '@/lib/xds/resource-type';
import { sampleNode, sampleReport, sampleResource } from './builders/observation-samples';

/** Short forms of observations of clients of one control plane. */
export interface PushedTo {
  readonly clientId: string;
  readonly at: number;
  readonly version: string;
  readonly hash?: string;
  readonly name?: string;
  readonly server?: string;
  /** The source that observed the response. */
  readonly sourceId?: string;
  /** Delta ACKs have no version. */
  readonly isDelta?: boolean;
}

const tap = { vantage: 'tap', sourceId: 'tap:1' } as const;
const nonceOf = ({ version, clientId, server = 'cp' }: PushedTo) => `${server} ${version} ${clientId}`;
const streamOf = (clientId: string) => `${clientId}/1`;

export function opened(clientId: string, at: number): Observation {
  const node = sampleNode(clientId);
  return {
    ...{ ...tap, kind: 'stream-opened', at, clientId, streamId: streamOf(clientId), node },
    ...{ server: 'cp:1', method: 'StreamAggregatedResources', scope: '' },
  };
}

export function closed(clientId: string, at: number, details = 'gone'): Observation {
  const streamId = streamOf(clientId);
  return {
    ...tap,
    kind: 'stream-closed',
    at,
    clientId,
    streamId,
    code: 'UNAVAILABLE',
    details,
    hadResponse: true,
  };
}

/** Without a hash, the content of the new version is the same. */
export function sent(push: PushedTo): Observation {
  const { clientId, at, version, hash, name = 'cart', server = 'cp', sourceId = tap.sourceId } = push;
  return {
    ...{ ...tap, sourceId, kind: 'response-received', at, clientId, streamId: streamOf(clientId) },
    ...{
      typeUrl: CDS.typeUrl,
      versionInfo: version,
      nonce: nonceOf(push),
      sizeBytes: 100,
      controlPlane: server,
    },
    resources: hash === undefined ? [] : [{ name, hash, sizeBytes: 90 }],
    unchangedResources: hash === undefined ? 1 : 0,
  };
}

export function acked(push: PushedTo): Observation {
  const { clientId, at, version, isDelta = false } = push;
  return {
    ...{ ...tap, kind: 'ack-sent', at, clientId, streamId: streamOf(clientId), typeUrl: CDS.typeUrl },
    ...{ versionInfo: isDelta ? '' : version, nonce: nonceOf(push), changed: rowsOf(push), removed: [] },
  };
}

export function nacked(push: PushedTo, errorDetail: string): Observation {
  const { clientId, at, version, hash = null } = push;
  const errorState = { details: errorDetail, versionInfo: version, lastUpdateAttempt: at, failedHash: hash };
  const changed = rowsOf(push).map((row) => ({
    ...row,
    ...{ clientStatus: 'NACKED' as const, hash: null, versionInfo: '', errorState },
  }));
  return {
    ...{ ...tap, kind: 'nack-sent', at, clientId, streamId: streamOf(clientId), typeUrl: CDS.typeUrl },
    ...{ versionInfo: '', rejectedVersion: version, nonce: nonceOf(push), errorDetail, changed, removed: [] },
  };
}

/** A poll that finds the client at a version. */
export function polled(push: PushedTo, previousAt?: number): Observation {
  const { clientId, at } = push;
  const previous = previousAt === undefined ? {} : { previousAt };
  return sampleReport({ at, clientId, node: sampleNode(clientId), changed: rowsOf(push), ...previous });
}

function rowsOf({ at, version, hash, name = 'cart' }: PushedTo): ResourceState[] {
  return hash === undefined ? [] : [sampleResource({ name, versionInfo: version, hash, changedAt: at })];
}
