import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageReader, type ReadMessage } from '@/server/collect/tap/recording/message-reader';
import { grpcFrame } from '@/tests/support/builders/grpc-frame';

function readAll(chunks: readonly Buffer[], encoding = ''): ReadMessage[] {
  const reader = new MessageReader();
  reader.encoding = encoding;
  return chunks.flatMap((chunk) => [...reader.read(chunk)]);
}

describe('MessageReader', () => {
  it('reads the same messages, wherever the chunks end', () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 8 });
    const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(messages, cuts, (sent, sizes) => {
        const bytes = Buffer.concat(sent.map((message) => grpcFrame(message)));
        const chunks: Buffer[] = [];
        for (let from = 0, turn = 0; from < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(Buffer.from(bytes.subarray(from, from + size)));
          from += size;
        }
        const read = readAll(chunks).map((each) =>
          each.kind === 'message' ? each.bytes.toString('hex') : '',
        );
        expect(read).toEqual(sent.map((message) => Buffer.from(message).toString('hex')));
      }),
    );
  });

  it('decompresses messages by their flag', () => {
    const plain = Buffer.from('as it is');
    const cases = { gzip: gzipSync(plain), deflate: deflateSync(plain), identity: plain };
    for (const [encoding, packed] of Object.entries(cases)) {
      const read = readAll([grpcFrame(packed, true), grpcFrame(plain)], encoding);
      expect(read).toEqual([
        { kind: 'message', bytes: plain },
        { kind: 'message', bytes: plain },
      ]);
    }
  });

  it('reports an unknown encoding, and a message that does not decompress', () => {
    const [unknown, next] = readAll([grpcFrame('x', true), grpcFrame('y')], 'snappy');
    expect(unknown).toMatchObject({
      kind: 'unreadable',
      sizeBytes: 1,
      reason: 'expected the encoding gzip or deflate, got "snappy"',
    });
    expect(next).toMatchObject({ kind: 'message' });
    const [broken] = readAll([grpcFrame('no gzip', true)], 'gzip');
    expect(broken).toMatchObject({
      kind: 'unreadable',
      reason: expect.stringContaining('expected a message in gzip'),
    });
  });

  it('skips the rest of a discarded message and a message above the limit, and reads the next', () => {
    const reader = new MessageReader();
    expect([...reader.read(grpcFrame(Buffer.alloc(100)).subarray(0, 60))]).toEqual([]);
    expect(reader.heldBytes).toBe(55);
    reader.skip();
    expect(reader.heldBytes).toBe(0);
    const rest = Buffer.concat([Buffer.alloc(45), grpcFrame('next')]);
    expect([...reader.read(rest)]).toEqual([{ kind: 'message', bytes: Buffer.from('next') }]);
    const tooLarge = Buffer.alloc(5);
    tooLarge.writeUInt32BE(2 ** 30, 1);
    expect([...reader.read(tooLarge)]).toMatchObject([{ kind: 'unreadable', sizeBytes: 2 ** 30 }]);
  });
});
