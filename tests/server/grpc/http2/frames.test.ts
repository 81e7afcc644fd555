import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameCutter, frame, frameFlags, frameTypes } from '@/server/grpc/http2/frames';

/** What a cutter tells of these bytes, cut there. */
function told(bytes: Buffer, cuts: readonly number[]): string[] {
  const heard: string[] = [];
  let data = '';
  const cutter = new FrameCutter({
    onData: (_streamId, part) => {
      data += part.toString('latin1');
    },
    onDataEnd: (streamId, flags, size) => {
      heard.push(`DATA ${streamId} ${data} flags ${flags} of ${size}`);
      data = '';
    },
    onFrame: (type, flags, streamId, payload) =>
      heard.push(`${type} ${streamId} ${payload.toString('latin1')} flags ${flags}`),
  });
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    // Its bytes are gone once it is taken.
    const part = Buffer.from(bytes.subarray(from, to));
    cutter.take(part);
    part.fill(0);
    from = to;
  }
  return heard;
}

const padded = Buffer.concat([Buffer.of(3), Buffer.from('abc'), Buffer.alloc(3)]);
const bytes = Buffer.concat([
  frame(frameTypes.settings, 0, 0, Buffer.from('settings')),
  frame(frameTypes.data, 0, 1, Buffer.from('hello')),
  frame(frameTypes.data, frameFlags.padded | frameFlags.endStream, 3, padded),
  frame(frameTypes.ping, 0, 0, Buffer.from('12345678')),
  frame(frameTypes.data, frameFlags.endStream, 3, Buffer.alloc(0)),
]);

describe('FrameCutter', () => {
  it('tells the same wherever the network cut', () => {
    const expected = [
      '4 0 settings flags 0',
      'DATA 1 hello flags 0 of 5',
      'DATA 3 abc flags 9 of 7',
      '6 0 12345678 flags 0',
      'DATA 3  flags 1 of 0',
    ];
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length })), (cuts) => {
        expect(
          told(
            bytes,
            cuts.sort((a, b) => a - b),
          ),
        ).toEqual(expected);
      }),
    );
  });

  it.each([
    [
      'a frame above 16 KiB, as the first words of another protocol look like',
      Buffer.from('HTTP/1.1 400 Bad Request'),
    ],
    ['padding as long as its frame', frame(frameTypes.data, frameFlags.padded, 1, Buffer.of(1))],
    ['padding without its length', frame(frameTypes.data, frameFlags.padded, 1, Buffer.alloc(0))],
  ])('rejects %s', (_what, wrong) => {
    expect(() => told(wrong, [])).toThrow('Protocol error');
  });
});
