import { expect, it } from 'vitest';
import { unknownNode } from '@/server/codec/node-info';
import { packClients, unpackClients } from '@/server/collect/csds/packed-clients';
import type { KnownClients } from '@/server/collect/poll-diff/known-clients';

function known(rows: number): KnownClients {
  const row = (name: string) => ({
    typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
    name,
    versionInfo: '1',
    clientStatus: 'ACKED' as const,
    configStatus: 'UNKNOWN' as const,
    lastUpdated: 1,
    errorState: null,
    hash: `hash of ${name}`,
    sizeBytes: 10,
    isStatic: false,
    changedAt: 5,
  });
  const entries = Array.from({ length: rows }, (_, index) => [`k${index}`, row(`r${index}`)] as const);
  const client = {
    node: unknownNode,
    scope: '',
    side: 'client' as const,
    rows: new Map(entries),
  };
  return new Map([['a', client]]);
}

it.each([0, 1, 50, 3_000])(
  'unpackClients gives what packClients was given, packed or not: %i rows',
  (rows) => {
    const packed = packClients(known(rows));
    expect(packed instanceof Uint8Array).toBe(rows < 3_000);
    expect(unpackClients(packed)).toEqual(known(rows));
  },
);
