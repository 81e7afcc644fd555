import { deflateSync, gzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameReader } from '@/server/transport/grpc/frame-reader';
import { grpcFrame as frame } from '@/tests/support/builders/grpc-frame';

const maxMessageBytes = 1_000;

/** Reads the chunks in order, and checks the announced length of each message. */
async function readAll(chunks: readonly Buffer[], encoding = 'identity'): Promise<Buffer[]> {
  const messages: Buffer[] = [];
  let isBusy = false;
  const reader = new FrameReader(
    maxMessageBytes,
    (sizeBytes) => {
      expect(isBusy).toBe(false);
      const pieces: Buffer[] = [];
      return {
        write: (bytes) => pieces.push(Buffer.from(bytes)),
        end: async () => {
          const message = Buffer.concat(pieces);
          expect(message.length).toBe(sizeBytes);
          isBusy = true;
          await new Promise((resolve) => setImmediate(resolve));
          isBusy = false;
          messages.push(message);
        },
      };
    },
    () => encoding,
  );
  for (const chunk of chunks) await reader.read(chunk);
  return messages;
}

describe('FrameReader', () => {
  test('passes on the messages one after the other, wherever the chunks end', async () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(messages, fc.array(fc.nat({ max: 60 })), async (sent, cuts) => {
        const wire = Buffer.concat(sent.map((message) => frame(message)));
        const chunks: Buffer[] = [];
        let position = 0;
        for (const size of [...cuts, wire.length]) {
          chunks.push(wire.subarray(position, position + size));
          position += size;
        }
        expect(await readAll(chunks)).toEqual(sent.map((message) => Buffer.from(message)));
      }),
    );
  });

  test('a message above the limit is rejected after its header', async () => {
    const chunk = frame(Buffer.alloc(maxMessageBytes + 1)).subarray(0, 5);
    await expect(readAll([chunk])).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      message: `Received message larger than max (${maxMessageBytes + 1} vs ${maxMessageBytes})`,
    });
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ] as const)('%s is decompressed up to the limit', async (encoding, pack) => {
    const message = Buffer.alloc(maxMessageBytes, 7);
    expect(await readAll([frame(pack(message), true), frame('plain')], encoding)).toEqual([
      message,
      Buffer.from('plain'),
    ]);
    const bomb = frame(pack(Buffer.alloc(maxMessageBytes + 1)), true);
    await expect(readAll([bomb], encoding)).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      message: `Received message that decompresses to a size larger than ${maxMessageBytes}`,
    });
    await expect(readAll([frame('not compressed', true)], encoding)).rejects.toMatchObject({
      code: status.INTERNAL,
    });
  });

  test('an unknown compression is rejected', async () => {
    await expect(readAll([frame('?', true)], 'snappy')).rejects.toMatchObject({
      code: status.UNIMPLEMENTED,
      message: expect.stringContaining('snappy'),
    });
  });
});
