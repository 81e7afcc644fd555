import { describe, expect, it } from 'vitest';
import { describeEnd } from '@/server/collect/tap/recording/describe-end';

const cancel = 'the client reset the stream (CANCEL)';
const calm = 'the client reset the stream (ENHANCE_YOUR_CALM)';
const limit = 4 * 1024 * 1024;

describe('describeEnd()', () => {
  it.each([
    ['keeps the details if no response was incomplete', cancel, {}, cancel],
    [
      'adds an incomplete response',
      cancel,
      { cutResponseBytes: 9 },
      `${cancel}, in the middle of a response of 9 bytes`,
    ],
    [
      'adds an incomplete response to empty details',
      '',
      { cutResponseBytes: 9 },
      'in the middle of a response of 9 bytes',
    ],
    [
      'reports that an incomplete response exceeds the default limit',
      cancel,
      { cutResponseBytes: limit + 1 },
      `${cancel}, in the middle of a response of 4194305 bytes: the limit of gRPC is 4194304 by default`,
    ],
    [
      'reports that a complete response exceeds the default limit, if the client reset the stream',
      calm,
      { lastResponseBytes: limit + 1 },
      `${calm}, after a response of 4194305 bytes: the limit of gRPC is 4194304 by default`,
    ],
    ['does not report a response of exactly the limit', calm, { lastResponseBytes: limit }, calm],
    [
      'does not report a size if the server closed the connection',
      'the server closed the connection',
      { lastResponseBytes: limit + 1 },
      'the server closed the connection',
    ],
  ])('%s', (_, details, at, reported) => {
    expect(describeEnd(details, at)).toBe(reported);
  });
});
