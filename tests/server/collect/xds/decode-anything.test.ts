import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import { peekResourceName } from '@/server/codec/resource-name';
import { decodeEnvelope } from '@/server/collect/xds/response/decode-response';
import { readEntries } from '@/server/collect/xds/response/read-entries';
import { runs } from '@/tests/support/runs';
import { clusterOf, encodeMessage, wrapped } from '../../../support/builders/xds-wire';

/** Reads all entries of a message. */
function read(message: Uint8Array, isDelta: boolean): string[] {
  const result = decodeEnvelope(message, { isDelta, typeUrl: null, apiVersion: 'v3' });
  if (result.kind === 'unreadable') return [result.reason];
  return [...readEntries(result.envelope, peekResourceName)].map(
    (entry) => `${entry.kind} ${entry.kind === 'problem' ? entry.reason : entry.name}`,
  );
}

const names = ['a', 'b', 'c'];
const valid = {
  sotw: encodeMessage('envoy.service.discovery.v3.DiscoveryResponse', {
    versionInfo: '1',
    typeUrl: CDS.typeUrl,
    nonce: 'n',
    resources: [...names.map((name) => clusterOf(name)), wrapped('d', clusterOf('d')), wrapped('e')],
    resourceErrors: [{ resourceName: { name: 'x' }, errorDetail: { code: 5, message: 'no' } }],
  }),
  delta: encodeMessage('envoy.service.discovery.v3.DeltaDiscoveryResponse', {
    typeUrl: CDS.typeUrl,
    nonce: 'n',
    resources: names.map((name) => ({
      name,
      version: '1',
      aliases: ['z'],
      ttl: { seconds: 1 },
      resource: clusterOf(name),
    })),
    removedResources: ['x'],
    resourceErrors: [{ resourceName: { name: 'y' }, errorDetail: { code: 7 } }],
  }),
};

describe.each(['sotw', 'delta'] as const)(
  '%s: any bytes are decoded or rejected with a reason',
  (variant) => {
    const isDelta = variant === 'delta';
    const good = valid[variant];

    test('random bytes', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
          for (const line of read(bytes, isDelta)) expect(line.length).toBeGreaterThan(0);
        }),
        { numRuns: runs(500) },
      );
    });

    test('a valid message with changed, missing or repeated bytes', () => {
      const corrupted = fc
        .array(fc.record({ at: fc.nat(good.length - 1), to: fc.nat(255) }), { maxLength: 5 })
        .chain((changes) =>
          fc.record({
            changes: fc.constant(changes),
            from: fc.nat(good.length),
            length: fc.nat(40),
            repeat: fc.boolean(),
          }),
        );
      fc.assert(
        fc.property(corrupted, ({ changes, from, length, repeat }) => {
          const bytes = Buffer.from(good);
          for (const { at, to } of changes) bytes[at] = to;
          const part = bytes.subarray(from, from + length);
          const rest = [bytes.subarray(0, from), bytes.subarray(from + length)];
          const message = repeat ? Buffer.concat([bytes, part]) : Buffer.concat(rest);
          for (const line of read(message, isDelta)) expect(line.length).toBeGreaterThan(0);
        }),
        { numRuns: runs(1_000) },
      );
    });

    test('a truncated valid message has the same complete resources', () => {
      const whole = read(good, isDelta);
      expect(whole.filter((line) => line.startsWith('resource')).length).toBeGreaterThan(2);
      for (let length = 0; length < good.length; length += 1) {
        const entries = read(good.subarray(0, length), isDelta).filter((line) =>
          line.startsWith('resource '),
        );
        expect(whole.slice(0, entries.length).filter((line) => line.startsWith('resource '))).toEqual(
          entries,
        );
      }
    });
  },
);
