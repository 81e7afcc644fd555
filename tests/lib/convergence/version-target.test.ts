import { describe, expect, it } from 'vitest';
import { withoutScopes } from '@/lib/convergence/classify-clients';
import type { ConvergenceQuestion } from '@/lib/convergence/convergence-question';
import { FactIndex } from '@/lib/convergence/fact-index';
import { findPushes } from '@/lib/convergence/find-pushes';
import { type AddressOf, factOfRow } from '@/lib/convergence/read-facts';
import type { Observation } from '@/lib/observation/observation';
import { CDS } from '@/lib/xds/resource-type';
import { numbered, sampleReport, sampleResource } from '../../support/builders/observation-samples';
import { cart, twoVersions, v2, validate } from '../../support/convergence-story';
import { acked, nacked, opened, polled, sent } from '../../support/push-story';

describe('a push that was replaced between two polls of a client', () => {
  const reported = (at: number, previousAt: number, version: string): Observation =>
    sampleReport({
      ...{ at, previousAt, clientId: 'e', side: 'control-plane', sourceId: 'csds:cp' },
      changed: [sampleResource({ versionInfo: version, hash: 'aa', configStatus: 'SYNCED' })],
    });
  const story = [
    ...twoVersions(['a']),
    reported(500, 100, 'v1'),
    sent({ clientId: 'a', at: 1_000, version: 'v2', hash: 'bb' }),
    acked({ clientId: 'a', at: 1_010, version: 'v2', hash: 'bb' }),
  ];

  it('does not count the client as behind, which has what the next push restored', () => {
    expect(validate(story, v2).kinds).toEqual({ a: 'accepted', e: 'behind' });
    const restored = [
      ...story,
      sent({ clientId: 'a', at: 1_100, version: 'v3', hash: 'aa' }),
      reported(1_500, 500, 'v3'),
    ];
    for (const question of [v2, { ...cart, hash: 'bb' }])
      expect(validate(restored, question).kinds).toEqual({ a: 'accepted', e: 'passed-over' });
  });

  it('counts it as behind if the poll reports an earlier version', () => {
    expect(validate([...story, reported(1_500, 500, 'v1')], v2).kinds.e).toBe('behind');
  });
});

describe('the version before', () => {
  it('is never the version of the push', () => {
    const row = sampleResource({ name: 'cart', versionInfo: 'v2', hash: 'bb', changedAt: 1_001 });
    const held = factOfRow({ clientId: 'a', sourceId: 'tap:1', vantage: 'tap' }, row);
    const story = [
      ...twoVersions(['a']),
      sent({ clientId: 'a', at: 1_000, version: 'v2', hash: 'bb' }),
      acked({ clientId: 'a', at: 1_010, version: 'v2', hash: 'bb' }),
    ];
    const beforeOf = (of: readonly Observation[]) =>
      validate(of, v2, new Map(), undefined, [held]).outcomes[0]?.before;
    expect(beforeOf(story)).toMatchObject({ version: 'v1', since: 20 });
    expect(beforeOf(story.slice(3))).toBeUndefined();
  });
});

describe('the curve of a version', () => {
  it('is of one server: another server with the same version has its own', () => {
    const story = [
      sent({ clientId: 'a', at: 1_000, version: 'v2', hash: 'bb', server: 'east' }),
      acked({ clientId: 'a', at: 1_010, version: 'v2', hash: 'bb', server: 'east' }),
      sent({ clientId: 'b', at: 5_000, version: 'v2', hash: 'dd', server: 'west' }),
    ];
    const east = validate(story, { ...v2, server: 'east' });
    expect([east.found.target.firstAt, east.kinds.a, east.found.servers]).toEqual([
      1_000,
      'accepted',
      ['east', 'west'],
    ]);
    const newest = validate(story, v2);
    expect([newest.found.server, newest.found.target.firstAt]).toEqual(['west', 5_000]);
  });

  it('is of one server by address if two servers have the same identifier', () => {
    const addresses = new Map([
      ['s-1', '10.0.0.1:15010'],
      ['s-2', '10.0.0.1:15010'],
      ['s-3', '10.0.0.2:15010'],
    ]);
    const addressOf: AddressOf = (sourceId) => addresses.get(sourceId);
    const validateAt = (of: typeof story, question: ConvergenceQuestion) =>
      validate(of, question, new Map(), addressOf);
    const one = { version: 'v2', sourceId: 's-1' };
    const other = { version: 'v2', sourceId: 's-3' };
    const story = [
      sent({ ...one, clientId: 'a', at: 1_000, hash: 'bb' }),
      // The same server, observed by two sources.
      sent({ ...one, clientId: 'b', at: 1_005, hash: 'bb', sourceId: 's-2' }),
      acked({ ...one, clientId: 'a', at: 1_010, hash: 'bb' }),
      sent({ ...other, clientId: 'c', at: 5_000, hash: 'dd', name: 'other' }),
    ];
    const [first, second] = ['cp at 10.0.0.1:15010', 'cp at 10.0.0.2:15010'];
    const found = validateAt(story, { ...v2, server: first });
    expect(found.found.servers).toEqual([first, second]);
    expect([found.found.target.firstAt, found.found.names, found.kinds]).toEqual([
      1_000,
      ['cart'],
      { a: 'accepted', b: 'behind' },
    ]);
    expect(validateAt(story, { ...v2, server: second }).found.names).toEqual(['other']);
    const book = new FactIndex({ typeUrl: CDS.typeUrl, name: null }, addressOf);
    for (const observation of numbered(story)) book.addObservation(observation);
    expect(findPushes(book, 10).map(({ found: { server, names } }) => [server, names])).toEqual([
      [second, ['other']],
      [first, ['cart']],
    ]);
    // A single server has the name that it reports, and links with that name stay valid.
    expect(validateAt(story.slice(0, 3), v2).found.servers).toEqual(['cp']);
    expect(validateAt(story, { ...v2, server: 'cp' }).found.target.firstAt).toBe(1_000);
  });

  it('does not count clients as behind if they have none of the resources of the push', () => {
    const story = [
      ...twoVersions(['a']),
      sent({ clientId: 'a', at: 1_000, version: 'v2', hash: 'bb' }),
      acked({ clientId: 'a', at: 1_010, version: 'v2', hash: 'bb' }),
      polled({ clientId: 'p', at: 1_100, version: 'v2', hash: 'ee', name: 'another' }),
      polled({ clientId: 'q', at: 100, version: 'v1', hash: 'aa' }),
    ];
    expect(validate(story, v2).kinds).toEqual({ a: 'accepted', q: 'behind' });
  });

  it('is not in effect in a client of which a poll reports only a part of it', () => {
    const push = { clientId: 'a', version: 'v2' };
    const story = [
      ...twoVersions(['a']),
      polled({ clientId: 'q', at: 100, version: 'v1', hash: 'aa' }),
      polled({ clientId: 'q', at: 100, version: 'v1', hash: 'oo', name: 'orders' }),
      sent({ ...push, at: 1_000, hash: 'bb' }),
      sent({ ...push, at: 1_000, hash: 'oo', name: 'orders' }),
      acked({ ...push, at: 1_010, hash: 'bb' }),
      acked({ ...push, at: 1_010, hash: 'oo', name: 'orders' }),
    ];
    expect(validate(story, v2).spread).toMatchObject({ total: 2, sent: 1, accepted: 1, inEffect: 1 });
    const later = { clientId: 'q', at: 1_100, version: 'v2' };
    const both = [
      ...story,
      polled({ ...later, hash: 'bb' }),
      polled({ ...later, hash: 'oo', name: 'orders' }),
    ];
    expect(validate(both, v2).spread).toMatchObject({ total: 2, accepted: 2, inEffect: 2 });
  });

  it('does not count a client as behind that has had all of its content for long', () => {
    const story = [
      ...twoVersions(['a']),
      // A new client receives everything under the newest version.
      opened('b', 1_000),
      sent({ clientId: 'b', at: 1_001, version: 'v2', hash: 'aa' }),
      acked({ clientId: 'b', at: 1_002, version: 'v2', hash: 'aa' }),
    ];
    expect(validate(story, v2).kinds).toEqual({ a: 'already', b: 'accepted' });
  });

  it('counts a process that streams and CSDS scopes report once, preferring streams', () => {
    const story = [
      ...twoVersions(['w']),
      sent({ clientId: 'w', at: 1_000, version: 'v2', hash: 'bb' }),
      acked({ clientId: 'w', at: 1_010, version: 'v2', hash: 'bb' }),
      polled({ clientId: 's', at: 1_500, version: 'v2', hash: 'bb' }, 500),
    ];
    const { outcomes } = validate(story, v2);
    const idsOf = (wholeOf: readonly (readonly [string, string])[]) =>
      withoutScopes(outcomes, new Map(wholeOf)).map(({ clientId }) => clientId);
    expect(idsOf([])).toHaveLength(2);
    expect(idsOf([['s', 'w']])).toEqual(['w']);
    expect(idsOf([['s', 'of whom nothing was recorded']])).toHaveLength(2);
  });

  it('counts a delta ACK, which contains no version, by its nonce', () => {
    const story = [
      sent({ clientId: 'a', at: 1_000, version: 'v2', hash: 'bb' }),
      acked({ clientId: 'a', at: 1_010, version: 'v2', isDelta: true }),
    ];
    expect(validate(story, v2).kinds).toEqual({ a: 'accepted' });
  });

  it('counts clients that hold equal content', () => {
    const story = [
      ...twoVersions(['a']),
      sent({ clientId: 'a', at: 1_000, version: 'v2' }),
      acked({ clientId: 'a', at: 1_004, version: 'v2' }),
    ];
    const { found, spread } = validate(story, v2);
    expect([found.nameCount, spread.accepted]).toEqual([0, 1]);
  });

  it('is superseded by an answer to a later response, not by a late answer to an earlier one', () => {
    const story = [
      sent({ clientId: 'a', at: 900, version: 'v1', hash: 'aa' }),
      sent({ clientId: 'a', at: 1_000, version: 'v2', hash: 'bb' }),
      acked({ clientId: 'a', at: 1_001, version: 'v1', hash: 'aa' }),
    ];
    expect(validate(story, v2).kinds).toEqual({ a: 'behind' });
    const later = [
      ...story,
      sent({ clientId: 'a', at: 1_100, version: 'v3', hash: 'cc' }),
      acked({ clientId: 'a', at: 1_101, version: 'v3', hash: 'cc' }),
    ];
    expect(validate(later, v2).kinds).toEqual({ a: 'passed-over' });
  });
});

describe('a NACK of one resource of a version', () => {
  const push = { clientId: 'a', version: 'v2' };
  const story = [
    ...twoVersions(['a']),
    sent({ ...push, at: 1_000, hash: 'bb' }),
    sent({ ...push, at: 1_000, hash: 'oo', name: 'orders' }),
    nacked({ ...push, at: 1_010, hash: 'bb' }, 'cart: bad'),
  ];
  const recoveredAt = (...later: readonly Observation[]) =>
    validate([...story, ...later], v2).outcomes.find(({ clientId }) => clientId === 'a')?.recoveredAt;

  it('lasts while other resources are ACKED', () => {
    expect(recoveredAt()).toBeUndefined();
    expect(
      recoveredAt(polled({ clientId: 'a', at: 1_100, version: 'v3', hash: 'pp', name: 'orders' })),
    ).toBeUndefined();
  });

  it('ends when the resource is ACKED', () => {
    expect(
      recoveredAt(
        polled({ clientId: 'a', at: 1_100, version: 'v3', hash: 'pp', name: 'orders' }),
        polled({ clientId: 'a', at: 1_200, version: 'v3', hash: 'cc' }),
      ),
    ).toBe(1_200);
  });

  it('ends when the client no longer has the resource', () => {
    const removed = sampleReport({
      ...{ at: 1_300, clientId: 'a', side: 'client', changed: [] },
      removed: [{ typeUrl: CDS.typeUrl, name: 'cart' }],
    });
    expect(recoveredAt(removed)).toBe(1_300);
  });
});
