import { describe, expect, it } from 'vitest';
import { readClusterBalancing } from '@/lib/model/cluster-balancing';
import { FieldReader } from '@/lib/model/field-reader';

describe('readClusterBalancing', () => {
  it.each([
    ['not reported', {}, null],
    ['off: proto3 leaves the 0 out', { healthyPanicThreshold: {} }, 0],
    ['30%', { healthyPanicThreshold: { value: 30 } }, 30],
  ])('reads a panic threshold that is %s', (_, commonLbConfig, threshold) => {
    const reader = FieldReader.open({ commonLbConfig }, []);
    expect(readClusterBalancing(reader).panicThreshold).toBe(threshold);
  });
});
