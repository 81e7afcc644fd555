import { describe, expect, it } from 'vitest';
import { churnEntryOf } from '@/lib/churn/churn-entry';
import { readFacts } from '@/lib/convergence/read-facts';
import { clientStatuses, configStatuses } from '@/lib/xds/status';
import { sampleReport, sampleResource } from '../../support/builders/observation-samples';

const answered = { versionInfo: 'v2', at: 1_000, hash: 'bb' };

describe('the churn entry of a poll', () => {
  it.each(['client', 'control-plane'] as const)(
    'has the contents that readFacts() reports of a %s',
    (side) => {
      const rows = clientStatuses.flatMap((clientStatus) =>
        configStatuses.flatMap((configStatus) =>
          [null, 'aa'].flatMap((hash) => {
            const name = `${clientStatus} ${configStatus} ${hash}`;
            const row = sampleResource({ name, clientStatus, configStatus, hash });
            return [row, { ...row, name: `${name} unanswered`, unanswered: answered }];
          }),
        ),
      );
      const report = { ...sampleReport({ side, changed: rows }), seq: 1 };
      const reported = readFacts(report).filter(({ what }) => what === 'sent' || what === 'accepted');
      const names = new Set(
        reported.flatMap(({ name, hash }) => (name === null || hash === null ? [] : [name])),
      );
      expect(names.size).toBeGreaterThan(0);
      const contents = churnEntryOf(report)?.contents ?? [];
      expect(contents.map(({ name }) => name)).toEqual([...names]);
      expect(contents.every(({ hash, version }) => hash === 'aa' && version !== answered.versionInfo)).toBe(
        true,
      );
    },
  );
});
