import { describe, expect, it } from 'vitest';
import { chooseEncoding } from '@/server/http/serve-asset';

const available = ['br', 'gzip'] as const;

describe('chooseEncoding', () => {
  it.each([
    ['a browser', 'gzip, deflate, br, zstd', 'br'],
    ['gzip alone', 'gzip', 'gzip'],
    ['its old name', 'X-GZip', 'gzip'],
    ['nothing', '', undefined],
    ['only what there is not', 'deflate, zstd', undefined],
    ['anything', '*', 'br'],
    ['anything but brotli', 'br;q=0, *', 'gzip'],
    ['gzip rather than brotli', 'br;q=0.5, gzip;q=0.8', 'gzip'],
    ['neither', 'gzip;q=0, br;q=0', undefined],
    ['none rather than gzip', 'identity, gzip;q=0.5', undefined],
    ['none or gzip', 'gzip, identity', 'gzip'],
    ['a weight that is no number', 'br;q=high, gzip', 'gzip'],
  ])('%s: %s', (_, header, expected) => {
    expect(chooseEncoding(header, available)).toBe(expected);
  });
});
