import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageType } from '@/server/codec/root';
import { WireWriter } from '@/server/codec/wire-writer';
import { runs } from '@/tests/support/runs';

const request = messageType('envoy.service.discovery.v3.DeltaDiscoveryRequest');

/** The message as a protobuf decoder reads it. */
function read(writer: WireWriter): Record<string, unknown> {
  return request.toObject(request.decode(writer.finish()));
}

describe('WireWriter', () => {
  test('writes strings, lists and maps of any text that a decoder reads', () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 });
    fc.assert(
      fc.property(text, fc.array(text), fc.array(fc.tuple(text, text)), (typeUrl, names, versions) => {
        const writer = new WireWriter().string(2, typeUrl).strings(3, names).map(5, versions);
        const whole = {
          typeUrl,
          resourceNamesSubscribe: names,
          initialResourceVersions: Object.fromEntries(versions),
        };
        const encoded = request.encode(request.fromObject(whole)).finish();
        expect(read(writer)).toEqual(request.toObject(request.decode(encoded)));
      }),
      { numRuns: runs(30) },
    );
  });

  test.each([0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152])(
    'a text of %i bytes is framed right',
    (length) => {
      const text = 'x'.repeat(length);
      expect(read(new WireWriter().strings(3, [text, 'next']))).toEqual({
        resourceNamesSubscribe: [text, 'next'],
      });
      const versions = { [text]: text, next: '1' };
      expect(read(new WireWriter().map(5, Object.entries(versions)))).toEqual({
        initialResourceVersions: versions,
      });
    },
  );

  test('an empty string is not written, an empty element is', () => {
    expect(new WireWriter().string(2, '').finish()).toHaveLength(0);
    expect(read(new WireWriter().strings(3, ['', 'a']))).toEqual({ resourceNamesSubscribe: ['', 'a'] });
  });

  test('a message within a message', () => {
    const status = new WireWriter().integer(1, 300).string(2, 'no').finish();
    expect(read(new WireWriter().message(7, status))).toEqual({ errorDetail: { code: 300, message: 'no' } });
  });
});
