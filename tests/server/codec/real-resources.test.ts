import { describe, expect, it } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { CodecError } from '@/server/codec/codec-error';
import { hasCorpus } from '@/tests/support/builders/codec-corpus';
import { realResources } from '@/tests/support/builders/real-resources';

const codec = createCodec({ redactionKey: Buffer.from('tests') });

describe.skipIf(!hasCorpus)('resources of real projects (skipped without ../shared/corpus)', () => {
  it('decode to their content if they are of known types', () => {
    const total = { all: 0, known: 0 };
    const reasons = new Map<string, number>();
    for (const { file, resource: real } of realResources()) {
      const { '@type': typeUrl, ...resource } = real;
      total.all++;
      let bytes: Uint8Array;
      try {
        bytes = codec.encode(typeUrl, resource);
      } catch (error) {
        if (!(error instanceof CodecError)) throw error;
        const reason = error.message.replace(/unknown field: .*/, 'unknown field');
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        continue;
      }
      total.known++;
      const { json, opaque, redacted: redactedBefore } = codec.decode(typeUrl, bytes);
      expect(opaque, file).toEqual([]);
      // Envoy's "[redacted]" is decoded as text, which is no base64.
      if (redactedBefore.length === 0) {
        expect(Buffer.from(codec.encode(typeUrl, json)).equals(bytes), file).toBe(true);
      }
      const { body, redacted } = codec.sanitizeBody(typeUrl, bytes);
      if (redacted.length === 0) {
        // Only the order of map entries differs.
        expect(body.bytes.length, file).toBe(bytes.length);
        expect(codec.decode(typeUrl, body.bytes).json, file).toEqual(json);
        continue;
      }
      expect(codec.decode(typeUrl, body.bytes).opaque, file).toEqual([]);
      expect(Buffer.from(body.bytes).includes('PRIVATE KEY-----\nM'), file).toBe(false);
    }
    const share = (100 * total.known) / total.all;
    const worst = [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 8);
    process.stdout.write(
      `real resources: ${total.known} of ${total.all} decode (${share.toFixed(1)}%); the others:\n` +
        worst.map(([reason, count]) => `  ${count} x ${reason}\n`).join(''),
    );
    expect(total.all).toBeGreaterThan(400);
    expect(share).toBeGreaterThan(99);
  });
});
