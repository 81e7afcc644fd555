import { expect, it } from 'vitest';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceState } from '@/lib/observation/resource-state';
import { seededRandom } from '@/server/lab/random';
import { formatChanges, parseChanges, type RowChange } from '@/server/store/row-columns';
import { resourceOf } from '@/tests/support/builders/recorder-emissions';

const rare: readonly Partial<ResourceState>[] = [
  {},
  { apiVersion: 'v2' },
  { canonicalName: 'by another name', stage: 'warming' },
  { stage: 'active' },
  { clientStatus: 'UNKNOWN', unanswered: { versionInfo: 'v', at: 5, hash: null } },
  { hash: null, sizeBytes: null, lastUpdated: null, clientStatus: 'REQUESTED' },
  { errorState: { details: 'no', versionInfo: 'v', lastUpdateAttempt: null, failedHash: null } },
];

it.each([1, 2, 3])('rows are equal after they were encoded in columns (seed %i)', (seed) => {
  const random = seededRandom(seed);
  for (const count of [0, 1, 2, 90]) {
    const changes = Array.from({ length: count }, (_, index): RowChange => {
      const fields = rare[Math.floor(random() * rare.length)];
      const row = resourceOf(`name ${index}`, { versionInfo: `v${Math.floor(random() * 3)}`, ...fields });
      return [resourceKey(row), random() < 0.2 ? null : row];
    });
    const read = parseChanges(formatChanges(changes));
    expect(new Map(read)).toEqual(new Map(changes));
    expect(read).toHaveLength(count);
  }
});
