import type { Observation } from '@/lib/observation/observation';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { sampleConnection, sampleNode, sampleResource } from './observation-samples';

const odd = 'odd \u0000 "ü" 😀 \n %_';
/** A text that is not Unicode. As JSON it can be stored. */
const loneSurrogate = '\ud800';
const long = 'x'.repeat(5_000);

/** One observation or more of every kind, with texts and numbers that are hard to store. `at` is the time of the first. */
export function oddObservations(at: number): Observation[] {
  let next = at;
  const base = (clientId = odd) => {
    next += 0.5;
    return { at: next, vantage: 'tap', sourceId: odd, clientId } as const;
  };
  const { clientId: _, ...ofSource } = base();
  const identity = { node: sampleNode(odd), scope: '' };
  const stream = { ...base(), streamId: odd };
  const none = { changed: [], removed: [] };
  const answer = { typeUrl: CDS.typeUrl, versionInfo: odd, nonce: odd, ...none };
  const rejected = sampleResource({
    name: odd,
    errorState: {
      details: `ÜBER ${odd} ${long}`,
      versionInfo: 'v-bad',
      lastUpdateAttempt: null,
      failedHash: null,
    },
    ambientError: { code: 'UNAVAILABLE', details: 'ambient İstanbul', since: 1 },
  });
  const report = { kind: 'client-config-changed', side: 'client', ...identity, ...none } as const;
  const response = {
    kind: 'response-received',
    ...{ typeUrl: CDS.typeUrl, versionInfo: odd, sizeBytes: 0 },
    ...{ resources: [{ name: odd, hash: 'ab', sizeBytes: 1 }], controlPlane: '' },
  } as const;
  const nack = {
    ...answer,
    kind: 'nack-sent',
    rejectedVersion: 'v-bad',
    errorDetail: `Ärger: ${long}`,
  } as const;
  const rpc = { peers: [], methods: [] };
  return [
    {
      ...{ ...ofSource, kind: 'source-declared', at: -1.5 },
      source: { kind: 'tap', target: odd, authorities: [{ authority: null, servers: [odd] }] },
    },
    { ...ofSource, kind: 'source-up', at: -86_400_001 },
    { ...ofSource, kind: 'source-down', problem: { code: 'UNAVAILABLE', message: odd, hint: '' } },
    { ...base(), ...report },
    { ...base(), ...report, changed: [rejected, sampleResource({ typeUrl: EDS.typeUrl })] },
    { ...base(), ...report, removed: [{ typeUrl: EDS.typeUrl, name: long }] },
    { ...base(), ...report, typeVersions: [{ typeUrl: CDS.typeUrl, versionInfo: 'of the type' }] },
    { ...base('gone'), kind: 'client-gone', side: 'client', reason: odd },
    { ...stream, ...identity, kind: 'stream-opened', server: '', method: '' },
    { ...stream, kind: 'request-sent', ...answer, resourceNames: [odd, odd, ''], responseNonce: '' },
    { ...stream, ...response, nonce: odd, removedNames: ['removed'], names: ['listed'] },
    { ...stream, ...nack, tookMs: 0.0004, resourceNames: ['subscribed'] },
    // The same NACK is repeated with other names, and then the response is sent again with the same nonce.
    { ...stream, ...nack, unsubscribedNames: ['unsubscribed'] },
    { ...stream, ...response, nonce: odd },
    { ...stream, ...answer, kind: 'ack-sent', tookMs: 12_345.678 },
    { ...stream, ...response, nonce: '' },
    { ...stream, ...answer, kind: 'ack-sent', nonce: '' },
    { ...stream, ...nack, nonce: 'unanswered', errorDetail: '' },
    { ...stream, kind: 'stream-closed', code: 'OK', details: '', hadResponse: true },
    { ...stream, kind: 'stream-closed', code: 'UNAVAILABLE', details: odd, hadResponse: false },
    { ...stream, kind: 'copies-dropped', messages: 1, bytes: 1, from: 0, reason: odd },
    { ...stream, kind: 'timer-expired', ...none, changed: [sampleResource({ name: 'expired' })] },
    {
      ...{ ...base(), kind: 'server-switched', authority: null, from: 'a', to: 'b', direction: 'fallback' },
      reason: 'unreachable',
    },
    {
      ...base(),
      kind: 'cache-changed',
      ...none,
      removed: [{ typeUrl: CDS.typeUrl, name: odd }],
      reason: odd,
    },
    { ...stream, ...identity, kind: 'load-reported', clusters: [] },
    {
      ...{ ...base(), ...identity, kind: 'connections-changed', endedIds: [] },
      connections: [{ ...sampleConnection, lastError: 'no route to host' }],
    },
    { ...base(), ...identity, kind: 'rpcs-counted', methods: [] },
    {
      ...base(),
      ...identity,
      ...rpc,
      kind: 'rpc-block-counted',
      requested: 1,
      timeoutMs: 1,
      tookMs: 7,
      failed: 0,
    },
    { ...base(), ...identity, kind: 'test-client-configured', types: [], metadata: [] },
    { ...base(), ...identity, kind: 'test-server-set', address: 'a:1', isServing: true },
    {
      ...{ ...base(), kind: 'interop-step', runId: '1', case: 'c', client: { name: 'n', version: '1' } },
      ...{ step: 1, of: 1, title: '', expected: '', seen: '', outcome: 'holds', ms: 1 },
    },
    { ...ofSource, kind: 'lab-event', vantage: 'lab', what: '', subject: '', text: loneSurrogate },
  ];
}
