import { describe, expect, it } from 'vitest';
import type { FailingPlaces } from '@/lib/issues/shared-place';
import { buildLoadIssue } from '@/lib/views/issues/build-load-issue';

it.each([
  ['a source reports its client', undefined, 'resolved'],
  ['its client was reported no longer when the last errors were counted', 70_000, 'ended'],
  ['its client went away a long time later', 600_000, 'resolved'],
] as const)('an issue of requests has ended if %s', (_, goneAt, state) => {
  const found = [
    {
      ...{ clusterName: 'cart', from: 0, to: 60_000, measured: { errors: 9, completed: 9, ofAll: 9 } },
      ...{ clients: ['a'], moreClients: 0 },
    },
  ];
  const issue = buildLoadIssue({ found, nodeIdOf: (id) => id, idOf: (key) => key, endOf: () => goneAt });
  expect(issue.state).toBe(state);
});

/** The title of the issue of these clusters, each with the clients that have errors and where. */
function titleOf(...clusters: readonly [clients: string, places?: Partial<FailingPlaces>][]): string {
  const found = clusters.map(([clients, places], index) => ({
    ...{ clusterName: `c${index}`, from: 0, to: undefined, measured: { errors: 9, completed: 9, ofAll: 99 } },
    ...{ clients: clients.split(' '), moreClients: 0 },
    places: places && { addresses: [], localities: [], ...places },
  }));
  return buildLoadIssue({ found, nodeIdOf: (id) => `node-${id}`, idOf: (key) => key, endOf: () => undefined })
    .title;
}

describe('the title of clusters whose requests fail together', () => {
  it('names the host that all endpoints with errors have', () => {
    const machine = { addresses: ['10.0.0.5:80', '10.0.0.5:81'] };
    expect(titleOf(['a', machine], ['b', { addresses: ['10.0.0.5:90'] }])).toBe(
      'Requests to cluster c0 and others fail at 10.0.0.5',
    );
    expect(titleOf(['a', { addresses: ['[fd00::5]:80'] }])).toBe('Requests to cluster c0 fail at [fd00::5]');
  });

  it('names the locality that alone has errors', () => {
    const zone = { addresses: ['10.0.0.5:80', '10.0.0.6:80'], localities: ['us/a'] };
    expect(titleOf(['a b', zone], ['b c', zone])).toBe(
      'Requests to cluster c0 and others fail in locality us/a',
    );
  });

  it('names no place that is not measured of each of them', () => {
    const machine = { addresses: ['10.0.0.5:80'] };
    expect(titleOf(['a b', machine], ['a b'])).toBe('Requests to cluster c0 and others fail');
    expect(titleOf(['a b', machine], ['a b', { addresses: ['10.0.0.6:80'] }])).toBe(
      'Requests to cluster c0 and others fail',
    );
  });

  it('names the only client', () => {
    expect(titleOf(['a'], ['a'])).toBe('Requests of node-a to cluster c0 and others fail');
  });
});
