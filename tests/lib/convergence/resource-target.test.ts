import { describe, expect, it } from 'vitest';
import { isStuckOutcome } from '@/lib/convergence/decide-client';
import { FactIndex } from '@/lib/convergence/fact-index';
import { findPushes } from '@/lib/convergence/find-pushes';
import { factOfRow } from '@/lib/convergence/read-facts';
import { CDS } from '@/lib/xds/resource-type';
import { numbered, sampleReport, sampleResource } from '../../support/builders/observation-samples';
import { cart, twoVersions, v2, validate } from '../../support/convergence-story';
import { acked, closed, nacked, opened, polled, sent } from '../../support/push-story';

describe('the curve of a content', () => {
  const clients = ['a', 'b', 'c', 'd'];
  const story = [
    ...twoVersions(clients),
    ...clients.map((clientId, place) => sent({ clientId, at: 1_000 + place, version: 'v2', hash: 'bb' })),
    acked({ clientId: 'a', at: 1_010, version: 'v2', hash: 'bb' }),
    acked({ clientId: 'b', at: 1_030, version: 'v2', hash: 'bb' }),
    nacked({ clientId: 'c', at: 1_020, version: 'v2', hash: 'bb' }, 'cart: bad'),
  ];

  it('starts at the first observation, and counts each client once', () => {
    const { found, spread } = validate(story, cart);
    expect(found.target.firstAt).toBe(1_000);
    expect(spread.sure).toEqual([
      { afterMs: 10, clients: 1 },
      { afterMs: 30, clients: 2 },
    ]);
    expect([spread.accepted, spread.total]).toEqual([2, 4]);
  });

  it('reports that a percentile is not reached if too many clients are stuck', () => {
    const { spread } = validate(story, cart);
    expect(spread.percentiles).toEqual([
      { percent: 50, ofAccepted: { fromMs: 10, toMs: 10 }, ofAll: { fromMs: 30, toMs: 30 } },
      { percent: 95, ofAccepted: { fromMs: 30, toMs: 30 } },
      { percent: 99, ofAccepted: { fromMs: 30, toMs: 30 } },
    ]);
  });

  it('lists stuck clients with the text of the NACK and their accepted version', () => {
    const { outcomes } = validate(story, cart);
    expect(outcomes[0]).toMatchObject({
      ...{ clientId: 'c', kind: 'rejected', text: 'cart: bad', at: 1_020, sentAt: 1_002 },
      before: { version: 'v1', hash: 'aa', since: 20 },
    });
    expect(outcomes[1]).toMatchObject({ clientId: 'd', kind: 'behind', before: { version: 'v1' } });
  });

  it('marks a client as silent from the end of its stream until it is back', () => {
    const silent = [...story, closed('d', 1_040)];
    expect(validate(silent, cart).kinds.d).toBe('silent');
    expect(validate([...silent, opened('d', 1_050)], cart).kinds.d).toBe('behind');
  });

  it('does not count clients that accepted a newer content without it, joined later or unsubscribed', () => {
    const resolved = [
      ...story,
      ...['c', 'd'].map((clientId) => sent({ clientId, at: 2_000, version: 'v3', hash: 'cc' })),
      acked({ clientId: 'd', at: 2_010, version: 'v3', hash: 'cc' }),
    ];
    const { kinds, spread } = validate(resolved, { ...cart, hash: 'bb' }, new Map([['b', 1_015]]));
    expect(kinds).toMatchObject({ a: 'accepted', b: 'joined-later', c: 'rejected', d: 'passed-over' });
    expect([spread.accepted, spread.total]).toEqual([1, 2]);
  });

  it('counts a client that NACKed it for ever, whatever the client accepts later', () => {
    const later = [
      ...story,
      sent({ clientId: 'c', at: 2_000, version: 'v3', hash: 'cc' }),
      acked({ clientId: 'c', at: 2_010, version: 'v3', hash: 'cc' }),
    ];
    for (const question of [{ ...cart, hash: 'bb' }, v2]) {
      const { outcomes, spread } = validate(later, question);
      expect([spread.accepted, spread.total, spread.counts.rejected]).toEqual([2, 4, 1]);
      expect(spread.percentiles.at(-1)?.ofAll).toBeUndefined();
      const c = outcomes.find(({ clientId }) => clientId === 'c');
      expect(c).toMatchObject({ kind: 'rejected', text: 'cart: bad', at: 1_020, recoveredAt: 2_010 });
      expect(c !== undefined && isStuckOutcome(c)).toBe(false);
    }
    const left = [...later, closed('c', 3_000)];
    expect(validate(left, { ...cart, hash: 'bb' }).kinds.c).toBe('rejected');
    const again = [
      ...story,
      sent({ clientId: 'c', at: 2_000, version: 'v3', hash: 'bb' }),
      acked({ clientId: 'c', at: 2_010, version: 'v3', hash: 'bb' }),
    ];
    expect(validate(again, cart).outcomes.find(({ clientId }) => clientId === 'c')).toMatchObject({
      kind: 'rejected',
      recoveredAt: 2_010,
      inEffectAt: 2_010,
    });
  });

  it('does not blame a push for the NACK of a later one', () => {
    const later = [
      ...story,
      sent({ clientId: 'd', at: 2_000, version: 'v3', hash: 'cc' }),
      nacked({ clientId: 'd', at: 2_010, version: 'v3', hash: 'cc' }, 'cart: bad'),
    ];
    expect(validate(later, { ...cart, hash: 'bb' }).kinds.d).toBe('behind');
    expect(validate(later, cart).kinds.d).toBe('rejected');
  });

  it('counts the clients that were sent it, and those in which it is in effect', () => {
    const { spread, outcomes } = validate(story, cart);
    expect(spread).toMatchObject({ sent: 4, inEffect: 2 });
    expect(
      outcomes.map(({ clientId, answeredAt, inEffectAt }) => [clientId, answeredAt, inEffectAt]),
    ).toEqual([
      ['c', 1_020, undefined],
      ['d', undefined, undefined],
      ['b', 1_030, 1_030],
      ['a', 1_010, 1_010],
    ]);
    expect(validate(story, v2).spread).toMatchObject({ sent: 4, inEffect: 2 });
  });

  it('counts the probes of xdscope apart', () => {
    const probed = [
      ...story,
      ...[
        opened('probe', 1),
        sent({ clientId: 'probe', at: 1_000, version: 'v2', hash: 'bb' }),
        acked({ clientId: 'probe', at: 1_001, version: 'v2', hash: 'bb' }),
      ].map((observation) => ({ ...observation, vantage: 'probe', sourceId: 'ads:1' }) as const),
    ];
    for (const question of [cart, v2]) {
      const { spread, outcomes } = validate(probed, question);
      expect([spread.accepted, spread.total, spread.sent]).toEqual([2, 4, 4]);
      expect(spread.probes).toEqual({ total: 1, accepted: 1, rejected: 0 });
      expect(outcomes.filter(({ isProbe }) => isProbe).map(({ clientId }) => clientId)).toEqual(['probe']);
    }
  });

  it('counts clients that joined later as stuck, but not as accepted', () => {
    const late = [
      ...story,
      ...['e', 'f', 'g', 'h'].flatMap((clientId) => [
        opened(clientId, 2_000),
        sent({ clientId, at: 2_001, version: 'v2', hash: 'bb' }),
      ]),
      nacked({ clientId: 'e', at: 2_010, version: 'v2', hash: 'bb' }, 'cart: bad'),
      acked({ clientId: 'f', at: 2_010, version: 'v2', hash: 'bb' }),
      closed('h', 2_020),
    ];
    const joinedAt = new Map(['e', 'f', 'g', 'h'].map((clientId) => [clientId, 2_000]));
    const expected = { e: 'rejected', f: 'joined-later', g: 'behind', h: 'silent' };
    for (const question of [cart, v2]) {
      const { kinds, spread } = validate(late, question, joinedAt);
      expect(kinds).toMatchObject(expected);
      expect([spread.accepted, spread.total, spread.counts.rejected]).toEqual([2, 7, 2]);
    }
    const resolved = [...late, sent({ clientId: 'e', at: 3_000, version: 'v3', hash: 'cc' })];
    const taken = [...resolved, acked({ clientId: 'e', at: 3_010, version: 'v3', hash: 'cc' })];
    expect(validate(taken, { ...cart, hash: 'bb' }, joinedAt).kinds.e).toBe('rejected');
  });

  it('does not count a client that requested the type for the first time after the push', () => {
    const push = { clientId: 'e', at: 2_001, version: 'v2', hash: 'bb' };
    const late = [opened('e', 1), sent(push), acked({ ...push, at: 2_010 })];
    const row = sampleResource({ name: 'cart', clientStatus: 'REQUESTED', hash: null, changedAt: 2_000 });
    const asked = factOfRow({ clientId: 'e', sourceId: 'tap:1', vantage: 'tap' }, row);
    for (const question of [cart, v2]) {
      const { kinds, spread } = validate([...story, ...late], question, new Map([['e', 1]]), undefined, [
        asked,
      ]);
      expect(kinds.e).toBe('joined-later');
      expect(spread.accepted).toBe(2);
    }
  });

  it('does not mark clients that joined later by later contents', () => {
    const late = [
      ...story,
      ...['a', 'b'].map((clientId) => sent({ clientId, at: 2_000, version: 'v3', hash: 'cc' })),
      opened('e', 3_000),
      sent({ clientId: 'e', at: 3_001, version: 'v3', hash: 'cc' }),
      nacked({ clientId: 'e', at: 3_002, version: 'v3', hash: 'cc' }, 'cart: bad'),
    ];
    const joinedAt = new Map([['e', 3_000]]);
    expect(validate(late, { ...cart, hash: 'bb' }, joinedAt).kinds.e).toBe('joined-later');
    expect(validate(late, cart, joinedAt).kinds.e).toBe('rejected');
  });

  it('starts a returning content at its first observation, and keeps clients that never left it', () => {
    const back = [
      ...story,
      ...['a', 'b'].map((clientId) => sent({ clientId, at: 3_000, version: 'v3', hash: 'aa' })),
      acked({ clientId: 'a', at: 3_005, version: 'v3', hash: 'aa' }),
    ];
    const { found, kinds } = validate(back, cart);
    expect(found.contents.map(({ hash, firstAt }) => [hash, firstAt])).toEqual([
      ['aa', 10],
      ['bb', 1_000],
      ['aa', 3_000],
    ]);
    expect(kinds).toEqual({ a: 'accepted', b: 'behind', c: 'already', d: 'already' });
  });

  it('does not treat a late response to a slow client as new content', () => {
    const late = [
      ...twoVersions(['a', 'b']),
      sent({ clientId: 'a', at: 1_000, version: 'v2', hash: 'bb' }),
      acked({ clientId: 'a', at: 1_001, version: 'v2', hash: 'bb' }),
      sent({ clientId: 'a', at: 2_000, version: 'v3', hash: 'aa' }),
      acked({ clientId: 'a', at: 2_001, version: 'v3', hash: 'aa' }),
      sent({ clientId: 'b', at: 2_100, version: 'v2', hash: 'bb' }),
    ];
    expect(validate(late, cart).found.contents.map(({ hash }) => hash)).toEqual(['aa', 'bb', 'aa']);
  });
});

describe('facts of polls', () => {
  it('have a range from the previous poll, and percentiles contain both ends', () => {
    const story = [
      ...twoVersions(['a']),
      polled({ clientId: 'p', at: 100, version: 'v1', hash: 'aa' }),
      sent({ clientId: 'a', at: 1_000, version: 'v2', hash: 'bb' }),
      acked({ clientId: 'a', at: 1_010, version: 'v2', hash: 'bb' }),
      polled({ clientId: 'p', at: 6_000, version: 'v2', hash: 'bb' }, 2_000),
    ];
    const { spread } = validate(story, cart);
    expect(spread.sure.at(-1)).toEqual({ afterMs: 5_000, clients: 2 });
    expect(spread.possible.at(-1)).toEqual({ afterMs: 1_000, clients: 2 });
    expect(spread.percentiles[2]?.ofAll).toEqual({ fromMs: 1_000, toMs: 5_000 });
  });

  it('start at the first poll', () => {
    const story = [
      ...twoVersions(['a']),
      sent({ clientId: 'a', at: 1_000, version: 'v2', hash: 'bb' }),
      polled({ clientId: 'p', at: 6_000, version: 'v2', hash: 'bb' }),
    ];
    expect(validate(story, cart).spread.possible).toEqual([{ afterMs: 0, clients: 1 }]);
  });
});

describe('a NACK that a poll reported', () => {
  it('is identified by version, since some clients report the last accepted body instead', () => {
    const rejected = sampleResource({
      ...{ clientStatus: 'NACKED', hash: null, versionInfo: 'v1' },
      errorState: { details: 'bad', versionInfo: 'v2', lastUpdateAttempt: null, failedHash: 'aa' },
    });
    const story = [
      ...twoVersions(['a']),
      sent({ clientId: 'a', at: 1_000, version: 'v2', hash: 'bb' }),
      sampleReport({ at: 1_500, clientId: 'a', changed: [rejected], previousAt: 500 }),
    ];
    const { found, kinds } = validate(story, cart);
    expect(found.contents.map(({ hash }) => hash)).toEqual(['aa', 'bb']);
    expect(kinds).toEqual({ a: 'rejected' });
  });
});

describe('content that a server composes for each client', () => {
  /** Pushes a version as EDS of Istio does: each proxy receives its own order of localities under it. */
  const push = (at: number, version: string, hashes: Readonly<Record<string, string>>) =>
    Object.entries(hashes).flatMap(([clientId, hash]) => [
      sent({ clientId, at, version, hash }),
      acked({ clientId, at: at + 5, version, hash }),
    ]);
  const story = [opened('a', 1), opened('b', 1), ...push(10, 'v1', { a: 'a1', b: 'b1' })];

  it('does not count a client as behind that received its own content', () => {
    expect(validate(story, { ...cart, hash: 'a1' }).kinds).toEqual({ a: 'accepted', b: 'different' });
    expect(validate(story, { ...cart, hash: 'b1' }).kinds).toEqual({ a: 'different', b: 'accepted' });
    const { spread } = validate(story, cart);
    expect([spread.accepted, spread.total]).toEqual([1, 1]);
  });

  it('does not count a client as behind that was not sent a later push of such content', () => {
    const later = [...story, ...push(1_000, 'v2', { a: 'a2' })];
    for (const question of [cart, v2])
      expect(validate(later, question).kinds).toEqual({ a: 'accepted', b: 'different' });
  });

  it('counts a client as behind if the server gives each content its own version', () => {
    const later = [...twoVersions(['a', 'b']), ...push(1_000, 'v2', { a: 'bb' })];
    for (const question of [cart, v2])
      expect(validate(later, question).kinds).toEqual({ a: 'accepted', b: 'behind' });
  });

  it('counts a client as behind if the server uses one version for successive contents', () => {
    const constant = [
      ...push(10, 'v1', { a: 'aa', b: 'aa' }),
      sent({ clientId: 'a', at: 1_000, version: 'v1', hash: 'bb' }),
      acked({ clientId: 'a', at: 1_005, version: 'v1', hash: 'bb' }),
    ];
    expect(validate(constant, cart).kinds).toEqual({ a: 'accepted', b: 'behind' });
  });
});

describe('a content that a client reports without a version', () => {
  it('is what the client made of it, and no push, if the resource has versions', () => {
    const story = [
      ...twoVersions(['a']),
      polled({ clientId: 'e', at: 500, version: '', hash: 'e1' }, 100),
      sent({ clientId: 'a', at: 1_000, version: 'v2', hash: 'bb' }),
      acked({ clientId: 'a', at: 1_010, version: 'v2', hash: 'bb' }),
      polled({ clientId: 'e', at: 1_500, version: '', hash: 'e2' }, 1_200),
    ];
    const { found, kinds } = validate(story, cart);
    expect(found.contents.map(({ hash }) => hash)).toEqual(['aa', 'bb']);
    expect(kinds).toEqual({ a: 'accepted', e: 'different' });
    // An Envoy that a tap observes beside its admin interface.
    const both = [...story, polled({ clientId: 'a', at: 600, version: '', hash: 'e3' }, 100)];
    expect(validate(both, v2).outcomes[0]?.before).toMatchObject({ version: 'v1' });
    const book = new FactIndex({ typeUrl: CDS.typeUrl, name: null });
    for (const observation of numbered(story)) book.addObservation(observation);
    expect(findPushes(book, 10).map(({ question }) => question)).toMatchObject([
      { version: 'v2' },
      { version: 'v1' },
    ]);
  });
});
