import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHeaderBlock, encodeHeaderBlock } from '@/server/grpc/http2/header-block';
import { decodeHuffman } from '@/server/grpc/http2/huffman';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('decodeHeaderBlock', () => {
  // RFC 7541, appendix C, where nothing of a table of one's own is used.
  it.each([
    ['C.2.2', '040c 2f73 616d 706c 652f 7061 7468', { ':path': '/sample/path' }],
    ['C.2.3', '1008 7061 7373 776f 7264 0673 6563 7265 74', { password: 'secret' }],
    ['C.2.4', '82', { ':method': 'GET' }],
    [
      'C.4.1',
      '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
      { ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': 'www.example.com' },
    ],
    [
      'C.6.1, its first fields',
      '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff',
      { ':status': '302', 'cache-control': 'private', date: 'Mon, 21 Oct 2013 20:13:21 GMT' },
    ],
  ])('reads %s of the RFC', (_place, block, headers) => {
    expect(decodeHeaderBlock(hex(block))).toEqual(headers);
  });

  it('takes that the peer makes its table one of 0 octets, and no other size', () => {
    expect(decodeHeaderBlock(hex('20 88'))).toEqual({ ':status': '200' });
    expect(() => decodeHeaderBlock(hex('3f e1 1f 88'))).toThrow('Protocol error');
  });

  it.each([
    ['what only a table of one’s own would have', 'be'],
    ['index 0', '80'],
    ['a string that is longer than the block', '00 01 61 05 62'],
    ['an integer without end', 'ff ff ff ff ff ff ff'],
    ['nothing behind a name', '00 01 61'],
    ['a code without its end', '00 01 61 82 ff ff'],
  ])('rejects %s', (_what, block) => {
    expect(() => decodeHeaderBlock(hex(block))).toThrow('Protocol error');
  });

  it('tells all values of a field that comes twice', () => {
    const field = '00 01 61 01';
    expect(decodeHeaderBlock(hex(`${field} 62 ${field} 63`))).toEqual({ a: 'b, c' });
  });

  it('never does more than reject, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          decodeHeaderBlock(Buffer.from(bytes));
        } catch (error) {
          expect(error).toMatchObject({ message: 'Protocol error' });
        }
      }),
    );
  });

  it('reads what encodeHeaderBlock wrote', () => {
    const value = fc.string({
      unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
      maxLength: 400,
    });
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^x-[a-z0-9-]{1,200}$/), value), (headers) => {
        expect(decodeHeaderBlock(encodeHeaderBlock(headers))).toEqual({ ...headers });
      }),
    );
  });
});

describe('decodeHuffman', () => {
  it('rejects padding that is none, and the end of a string inside of it', () => {
    expect(decodeHuffman(hex('a8 eb 10 64 9c bf'))).toBe('no-cache');
    expect(decodeHuffman(hex('a8 eb 10 64 9c b0'))).toBeUndefined();
    expect(decodeHuffman(hex('a8 eb 10 64 9c bf ff'))).toBeUndefined();
    expect(decodeHuffman(hex('ff ff ff ff'))).toBeUndefined();
  });
});
