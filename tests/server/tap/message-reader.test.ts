import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageReader, type ReadMessage } from '@/server/tap/recording/message-reader';

function framed(message: Uint8Array, flag = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function readAll(chunks: readonly Buffer[], encoding = ''): ReadMessage[] {
  const reader = new MessageReader();
  reader.encoding = encoding;
  return chunks.flatMap((chunk) => [...reader.read(chunk)]);
}

describe('MessageReader', () => {
  it('makes the same messages however they are cut', () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 8 });
    const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(messages, cuts, (sent, sizes) => {
        const bytes = Buffer.concat(sent.map((message) => framed(message)));
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

  it('inflates what is compressed, by its flag, and takes the rest as it is', () => {
    const plain = Buffer.from('as it is');
    const cases = { gzip: gzipSync(plain), deflate: deflateSync(plain), identity: plain };
    for (const [encoding, packed] of Object.entries(cases)) {
      const read = readAll([framed(packed, 1), framed(plain)], encoding);
      expect(read).toEqual([
        { kind: 'message', bytes: plain },
        { kind: 'message', bytes: plain },
      ]);
    }
  });

  it('says which encoding it cannot read, and what is none', () => {
    const [unknown, next] = readAll([framed(Buffer.from('x'), 1), framed(Buffer.from('y'))], 'snappy');
    expect(unknown).toMatchObject({
      kind: 'unreadable',
      sizeBytes: 1,
      reason: 'a message in the encoding "snappy", expected gzip or deflate',
    });
    expect(next).toMatchObject({ kind: 'message' });
    const [broken] = readAll([framed(Buffer.from('no gzip'), 1)], 'gzip');
    expect(broken).toMatchObject({ kind: 'unreadable', reason: expect.stringContaining('no gzip') });
  });

  it('passes over a message that it gave up, and one that is too large, and reads the next', () => {
    const reader = new MessageReader();
    expect([...reader.read(framed(Buffer.alloc(100)).subarray(0, 60))]).toEqual([]);
    expect(reader.heldBytes).toBe(55);
    reader.giveUp();
    expect(reader.heldBytes).toBe(0);
    const rest = Buffer.concat([Buffer.alloc(45), framed(Buffer.from('next'))]);
    expect([...reader.read(rest)]).toEqual([{ kind: 'message', bytes: Buffer.from('next') }]);
    const tooLarge = Buffer.alloc(5);
    tooLarge.writeUInt32BE(2 ** 30, 1);
    expect([...reader.read(tooLarge)]).toMatchObject([{ kind: 'unreadable', sizeBytes: 2 ** 30 }]);
  });
});
