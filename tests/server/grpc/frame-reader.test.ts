import { deflateSync, gzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameReader } from '@/server/grpc/frame-reader';

const maxMessageBytes = 1_000;

function frame(message: Uint8Array, isCompressed = false): Buffer {
  const header = Buffer.alloc(5);
  header[0] = isCompressed ? 1 : 0;
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/** Reads the chunks one after the other, as they come; what was announced is checked against what came. */
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
  test('hands on the messages one after the other, however the network cut them', async () => {
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

  test('a message above the limit is rejected before a byte of it is taken', async () => {
    const chunk = frame(Buffer.alloc(maxMessageBytes + 1)).subarray(0, 5);
    await expect(readAll([chunk])).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      message: `Received message larger than max (${maxMessageBytes + 1} vs ${maxMessageBytes})`,
    });
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ] as const)('%s is unpacked, up to the limit', async (encoding, pack) => {
    const message = Buffer.alloc(maxMessageBytes, 7);
    expect(await readAll([frame(pack(message), true), frame(Buffer.from('plain'))], encoding)).toEqual([
      message,
      Buffer.from('plain'),
    ]);
    const bomb = frame(pack(Buffer.alloc(maxMessageBytes + 1)), true);
    await expect(readAll([bomb], encoding)).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      message: `Received message that decompresses to a size larger than ${maxMessageBytes}`,
    });
    await expect(readAll([frame(Buffer.from('no such thing'), true)], encoding)).rejects.toMatchObject({
      code: status.INTERNAL,
    });
  });

  test('a compression that nobody offered is rejected', async () => {
    await expect(readAll([frame(Buffer.from('?'), true)], 'snappy')).rejects.toMatchObject({
      code: status.UNIMPLEMENTED,
      message: expect.stringContaining('snappy'),
    });
  });
});
