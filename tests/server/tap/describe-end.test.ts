import { describe, expect, it } from 'vitest';
import { describeEnd } from '@/server/tap/recording/describe-end';

const cancel = 'the client reset the stream (CANCEL)';
const calm = 'the client reset the stream (ENHANCE_YOUR_CALM)';
const limit = 4 * 1024 * 1024;

describe('the end of a stream', () => {
  it.each([
    ['is reported as it came where nothing was under way', cancel, {}, cancel],
    [
      'says that a response was cut',
      cancel,
      { cutResponseBytes: 9 },
      `${cancel}, in the middle of a response of 9 bytes`,
    ],
    [
      'says it where nobody gave details',
      '',
      { cutResponseBytes: 9 },
      'in the middle of a response of 9 bytes',
    ],
    [
      'says that a response that was cut is more than gRPC takes',
      cancel,
      { cutResponseBytes: limit + 1 },
      `${cancel}, in the middle of a response of 4194305 bytes: gRPC takes 4194304 unless configured otherwise`,
    ],
    [
      'says it of a response that came whole, and was answered by a reset',
      calm,
      { lastResponseBytes: limit + 1 },
      `${calm}, after a response of 4194305 bytes: gRPC takes 4194304 unless configured otherwise`,
    ],
    ['says nothing of one that fits to the byte', calm, { lastResponseBytes: limit }, calm],
    [
      'blames no size for what a client did not do',
      'the server closed the connection',
      { lastResponseBytes: limit + 1 },
      'the server closed the connection',
    ],
  ])('%s', (_, details, at, reported) => {
    expect(describeEnd(details, at)).toBe(reported);
  });
});
