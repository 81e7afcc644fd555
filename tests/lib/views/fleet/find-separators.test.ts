import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { countValues, findSeparators } from '@/lib/views/fleet/find-separators';
import { buildFleetMember } from '@/lib/views/fleet/fleet-member';
import { describeSeparator, separatorFilter } from '@/lib/views/fleet/separator';
import { clientSummary } from '../../../support/builders/fleet-fixtures';
import '../../../support/seeded-properties';

interface Said {
  readonly zone?: string;
  readonly agent?: string;
  readonly metadata?: Record<string, unknown>;
  readonly source?: string;
}

const report = {
  vantage: 'csds',
  side: 'control-plane',
  firstSeenAt: 0,
  lastChangedAt: 0,
  lastSeenAt: undefined,
  freshness: 'live',
  reason: '',
  resources: 1,
} as const;

const client = ({ zone = 'eu-1a', agent = 'go', metadata = {}, source = 'csds:one' }: Said) =>
  buildFleetMember(
    clientSummary({
      userAgent: agent,
      locality: { region: 'eu', zone, subZone: '' },
      reports: [{ ...report, sourceId: source }],
    }),
    { metadata },
  );
const many = (count: number, of: (index: number) => Said) =>
  Array.from({ length: count }, (_, at) => client(of(at)));
const separate = (odd: ReturnType<typeof many>, others: ReturnType<typeof many>) =>
  runSteps(findSeparators(odd, runSteps(countValues(others))));
const find = (odd: ReturnType<typeof many>, others: ReturnType<typeof many>) =>
  separate(odd, others).map(
    ({ field, value, inside, insideOf, outside, outsideOf }) =>
      `${field}=${value} ${inside}/${insideOf} against ${outside}/${outsideOf}`,
  );

describe('findSeparators', () => {
  it('finds the zone that all odd clients share, with its counts', () => {
    const odd = many(3, () => ({ zone: 'eu-1c' }));
    const others = many(4_780, (at) => ({ zone: at < 1_590 ? 'eu-1c' : 'eu-1a' }));
    expect(find(odd, others)).toEqual(['zone=eu-1c 3/3 against 1590/4780']);
    // A third of the others share the value, so that three of three may be chance.
    expect(separate(odd, others)[0]).toMatchObject({
      chance: expect.closeTo((1593 * 1592 * 1591) / (4783 * 4782 * 4781), 9),
      isWeak: true,
    });
  });

  it.each([
    ['the control plane’s instance', { source: 'csds:two' }, 'source=csds:two 4/4 against 0/50'],
    ['the user agent', { agent: 'envoy 1.30' }, 'agent=envoy 1.30 4/4 against 0/50'],
    ['metadata', { metadata: { version: 'v2' } }, 'meta.version=v2 4/4 against 0/50'],
    ['nested metadata', { metadata: { labels: { app: 'a' } } }, 'meta.labels.app=a 4/4 against 0/50'],
    ['one of a list', { metadata: { tags: ['x', 'slow'] } }, 'meta.tags=slow 4/4 against 0/50'],
  ] satisfies [string, Said, string][])('reports %s', (_, said, expected) => {
    const others = many(50, () => ({ metadata: { tags: ['x'] } }));
    expect(
      find(
        many(4, () => said),
        others,
      )[0],
    ).toBe(expected);
  });

  it('finds two values that only together separate the clients, before single values', () => {
    const odd = many(4, () => ({ zone: 'eu-1c', metadata: { version: 'v2' } }));
    const others = many(900, (at) => ({
      zone: at % 3 === 0 ? 'eu-1c' : 'eu-1a',
      metadata: { version: at % 3 === 1 && at % 2 === 0 ? 'v2' : 'v1' },
    }));
    const [first, ...alone] = separate(odd, others);
    expect(first).toMatchObject({
      ...{ field: 'meta.version', value: 'v2', and: { field: 'zone', value: 'eu-1c' } },
      ...{ inside: 4, insideOf: 4, outside: 0, outsideOf: 900, isWeak: false },
    });
    expect(first && describeSeparator(first)).toBe(
      '4 of 4 have meta.version=v2 and zone=eu-1c; 0 of 900 others do',
    );
    expect(first && separatorFilter(first)).toBe('meta.version=v2 zone=eu-1c');
    expect(alone.map(({ and }) => and)).toEqual([undefined, undefined]);
  });

  it('finds no pair if one value is as good, or if both always occur together', () => {
    const odd = many(4, () => ({ zone: 'eu-1c', metadata: { version: 'v2' } }));
    const alone = many(900, (at) => ({ metadata: { version: at % 2 === 0 ? 'v2' : 'v1' } }));
    expect(separate(odd, alone).filter(({ and }) => and !== undefined)).toEqual([]);
    const together = many(900, (at) =>
      at % 9 === 0 ? { zone: 'eu-1c', metadata: { version: 'v2' } } : { metadata: { version: 'v1' } },
    );
    expect(separate(odd, together).filter(({ and }) => and !== undefined)).toEqual([]);
  });

  it('leaves out a value that one of two clients has', () => {
    const odd = many(2, (at) => ({ source: `csds:own-${at}`, agent: 'envoy' }));
    expect(
      find(
        odd,
        many(900, () => ({})),
      ),
    ).toEqual(['agent=envoy 2/2 against 0/900']);
  });

  it('leaves out values that are likely by chance', () => {
    const odd = many(1_449, (at) => ({ metadata: { pool: at < 725 ? 'spot' : 'own' } }));
    const others = many(1_551, (at) => ({ metadata: { pool: at < 775 ? 'spot' : 'own' } }));
    expect(find(odd, others)).toEqual([]);
    const clearer = many(1_449, (at) => ({ metadata: { pool: at < 900 ? 'spot' : 'own' } }));
    expect(find(clearer, others)).toEqual(['meta.pool=spot 900/1449 against 775/1551']);
  });

  it('lists the least likely values first', () => {
    const odd = many(6, (at) => ({ zone: 'eu-1c', metadata: { pool: at < 5 ? 'spot' : 'own' } }));
    const others = many(100, (at) => ({
      zone: at < 40 ? 'eu-1c' : 'eu-1a',
      metadata: { pool: at < 1 ? 'spot' : 'own' },
    }));
    expect(find(odd, others)).toEqual(['meta.pool=spot 5/6 against 1/100', 'zone=eu-1c 6/6 against 40/100']);
  });

  it('finds nothing that the others have as often, and nothing for no clients', () => {
    expect(
      find(
        many(3, () => ({})),
        many(9, () => ({})),
      ),
    ).toEqual([]);
    expect(
      find(
        [],
        many(9, () => ({})),
      ),
    ).toEqual([]);
  });

  it('marks a value of a single odd client as weak', () => {
    const odd = [client({ metadata: { pod: 'cart-7f', host: 'a', ip: '10.0.0.1', uid: '17' } })];
    const others = many(20, (at) => ({ metadata: { pod: `cart-${at}`, host: 'b' } }));
    expect(separate(odd, others).every(({ isWeak }) => isWeak)).toBe(true);
  });

  it('finds the planted value among random ones', () => {
    const noise = fc.record({
      zone: fc.constantFrom('a', 'b', 'c'),
      agent: fc.constantFrom('go', 'java'),
      version: fc.constantFrom('v1', 'v2', 'v3'),
    });
    const planted = fc.constantFrom<Said>(
      { zone: 'planted' },
      { source: 'planted' },
      { metadata: { rack: 'planted' } },
    );
    fc.assert(
      fc.property(
        planted,
        fc.array(noise, { minLength: 3, maxLength: 8 }),
        fc.array(noise, { minLength: 60, maxLength: 80 }),
        (said, odd, others) => {
          const of = ({ version, ...rest }: (typeof odd)[number], more: Said = {}) =>
            client({ ...rest, ...more, metadata: { version, ...more.metadata } });
          const [best] = separate(
            odd.map((each) => of(each, said)),
            others.map((each) => of(each)),
          );
          expect(best).toMatchObject({ value: 'planted', inside: odd.length, outside: 0, isWeak: false });
        },
      ),
    );
  });
});
