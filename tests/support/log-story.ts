import type { Observation } from '@/lib/observation/observation';
import { CDS, EDS } from '@/lib/xds/resource-type';
import type { Emission } from '@/server/observe';
import { nodeOf, resourceOf } from './builders/recorder-emissions';

const base = { vantage: 'tap', sourceId: 'tap:1' } as const;

/** A client's stream with an accepted and a rejected update, whose observations are 10 ms apart from `startAt`. */
export function streamStory(
  startAt: number,
  clientId = 'client-a',
  streamId = `${clientId}-1`,
): Observation[] {
  let at = startAt - 10;
  const next = () => {
    at += 10;
    return { ...base, at, clientId };
  };
  const typeUrl = CDS.typeUrl;
  const cart = resourceOf('cart', { versionInfo: 'v1' });
  const rejected = resourceOf('cart', {
    versionInfo: 'v1',
    clientStatus: 'NACKED',
    errorState: {
      details: 'cluster "cart": Bad LB policy',
      versionInfo: 'v2',
      lastUpdateAttempt: null,
      failedHash: null,
    },
  });
  const request = {
    kind: 'request-sent',
    streamId,
    unsubscribedNames: [],
    changed: [],
    removed: [],
  } as const;
  const sizes = {
    sizeBytes: 100,
    resources: [{ name: 'cart', hash: 'aa', sizeBytes: 90 }],
    controlPlane: '',
  };
  const rest = { versionInfo: 'v1', typeUrl, streamId };
  return [
    {
      ...next(),
      kind: 'stream-opened',
      streamId,
      server: 'xds:1',
      method: 'ads',
      node: nodeOf(clientId),
      scope: '',
    },
    { ...next(), ...request, typeUrl, resourceNames: [], versionInfo: '', responseNonce: '' },
    { ...next(), kind: 'response-received', ...rest, nonce: 'n1', ...sizes },
    { ...next(), kind: 'ack-sent', ...rest, nonce: 'n1', changed: [cart], removed: [] },
    { ...next(), kind: 'response-received', ...rest, versionInfo: 'v2', nonce: 'n2', ...sizes },
    {
      ...next(),
      kind: 'nack-sent',
      ...rest,
      rejectedVersion: 'v2',
      nonce: 'n2',
      errorDetail: 'cluster "cart": Bad LB policy',
      changed: [rejected],
      removed: [],
      tookMs: 4.5,
    },
    {
      ...next(),
      ...request,
      typeUrl: EDS.typeUrl,
      resourceNames: ['cart-endpoints'],
      versionInfo: '',
      responseNonce: '',
    },
    {
      ...next(),
      kind: 'stream-closed',
      streamId,
      code: 'UNAVAILABLE',
      details: 'connection reset',
      hadResponse: true,
    },
  ];
}

export function emissions(observations: readonly Observation[]): Emission[] {
  return observations.map((observation) => ({ observation, bodies: [] }));
}
