import { describe, expect, it } from 'vitest';
import { SourceOutages } from '@/lib/issues/source-outages';
import type { Observation } from '@/lib/observation/observation';
import { numbered } from '../../support/observation-samples';

const of = { vantage: 'csds', sourceId: 's' } as const;
const down = (at: number): Observation => ({
  ...{ ...of, kind: 'source-down', at },
  problem: { code: 'UNAVAILABLE', message: `failed at ${at}`, hint: '' },
});
const up = (at: number): Observation => ({ ...of, kind: 'source-up', at });

function fold(...observations: Observation[]): SourceOutages {
  const outages = new SourceOutages();
  for (const observation of numbered(observations)) outages.fold(observation);
  return outages;
}

describe('SourceOutages', () => {
  it('begin with the first failure, also over a restart, and end when the source answers', () => {
    const outages = fold(down(2_000), down(5_000), up(9_000), down(20_000));
    expect(outages.listAt(1_000)).toEqual([]);
    expect(outages.listAt(6_000)).toMatchObject([
      { from: 2_000, to: null, problem: { message: 'failed at 5000' } },
    ]);
    expect(outages.listAt(10_000)).toMatchObject([{ from: 2_000, to: 9_000 }]);
    expect(outages.listAt(30_000)).toMatchObject([{ from: 20_000, to: null }]);
  });
});
