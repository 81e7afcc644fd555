import { describe, expect, test } from 'vitest';
import { plainDetails } from '@/server/grpc/plain-details';

describe('plainDetails()', () => {
  test.each([
    [
      'No connection established. Last error: Error: connect ECONNREFUSED 10.0.0.1:5. Resolution note: ',
      'Error: connect ECONNREFUSED 10.0.0.1:5',
    ],
    ['the server\n  says no', 'the server says no'],
    ['', ''],
  ])('keeps the cause: %j', (details, plain) => expect(plainDetails(details)).toBe(plain));

  test('is never long', () => expect(plainDetails('x'.repeat(100_000))).toHaveLength(501));
});
