import { expect, it } from 'vitest';
import { describeSource } from '@/server/sources/describe-source';
import { reportFreshness } from '@/server/sources/report-freshness';
import { SourceRegistry } from '@/server/sources/source-registry';
import { startNothing } from '@/server/sources/source-starter';
import { clientStateOf } from '@/tests/support/builders/recorder-emissions';

it.each([
  ['csds', 'does not answer'],
  ['csds-list', 'cannot find its targets'],
  ['ads', 'is not connected'],
  ['lrs', 'does not listen'],
] as const)(
  'a %s source that is down reads "%s" in the source, the counts and the reports of clients',
  (kind, health) => {
    const ignore = (): void => undefined;
    const registry = new SourceRegistry({ onStart: ignore, onChange: ignore, onRemoved: ignore });
    const named = { kind, target: 'x:1', label: 'x', origin: 'flag' } as const;
    const problem = { code: 'UNAVAILABLE', message: 'expected a server, got none', hint: '' };
    const { id } = registry.add(describeSource(named, null), startNothing(problem));
    expect(registry.find(id)).toMatchObject({ state: 'down', health });
    expect(registry.kinds()).toEqual([{ kind, state: 'down', health, count: 1 }]);
    const [report] = clientStateOf('a', 1, []).reports.values();
    const ofSource = report && { ...report, sourceId: id };
    const sources = { find: () => undefined, findFile: () => undefined };
    expect(ofSource && reportFreshness(ofSource, 'a', registry.healthOf(id), sources)).toMatchObject({
      freshness: 'stale',
      reason: `${id} ${health}: expected a server, got none`,
    });
  },
);
