import { describe, expect, it } from 'vitest';
import { SourceOutages } from '@/lib/issues/source-outages';
import type { Observation } from '@/lib/observation/observation';
import { numbered } from '../../support/builders/observation-samples';

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
    const outages = fold(down(20_000), down(50_000), up(90_000), down(200_000));
    expect(outages.listAt(10_000)).toEqual([]);
    expect(outages.listAt(60_000)).toMatchObject([
      { from: 20_000, to: null, problem: { message: 'failed at 50000' } },
    ]);
    expect(outages.listAt(100_000)).toMatchObject([{ from: 20_000, to: 90_000 }]);
    expect(outages.listAt(300_000)).toMatchObject([{ from: 200_000, to: null }]);
  });

  it('last for 15 seconds: a poll that is missed while the machine is busy is none', () => {
    const outages = fold(down(20_000), up(50_000), down(100_000), up(114_999), down(200_000));
    expect(outages.listAt(34_999)).toEqual([]);
    expect(outages.listAt(35_000)).toMatchObject([{ from: 20_000, to: null }]);
    expect(outages.listAt(114_000)).toMatchObject([{ from: 20_000, to: 50_000 }]);
    expect(outages.listAt(150_000)).toMatchObject([{ from: 20_000, to: 50_000 }]);
    expect(outages.listAt(215_000)).toMatchObject([{ from: 200_000, to: null }]);
  });
});
