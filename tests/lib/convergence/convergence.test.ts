import { describe, expect, it } from 'vitest';
import { buildSpread } from '@/lib/convergence/build-spread';
import { classifyClients, withoutScopes } from '@/lib/convergence/classify-clients';
import type { ConvergenceFact } from '@/lib/convergence/convergence-fact';
import { type ConvergenceQuestion, findTarget, interestOf } from '@/lib/convergence/convergence-question';
import { isStuckOutcome } from '@/lib/convergence/decide-client';
import { FactIndex } from '@/lib/convergence/fact-index';
import { findPushes } from '@/lib/convergence/find-pushes';
import { type AddressOf, factOfRow } from '@/lib/convergence/read-facts';
import type { Observation } from '@/lib/observation/observation';
import { CDS } from '@/lib/xds/resource-type';
import { numbered, sampleReport, sampleResource } from '../../support/observation-samples';
import { acked, closed, nacked, opened, polled, sent } from '../../support/push-story';

const cart = { kind: 'resource', typeUrl: CDS.typeUrl, name: 'cart' } as const;
const v2 = { kind: 'version', typeUrl: CDS.typeUrl, version: 'v2' } as const;

function validate(
  observations: readonly Observation[],
  question: ConvergenceQuestion,
  knownSince: ReadonlyMap<string, number> = new Map(),
  addressOf?: AddressOf,
  extra: readonly ConvergenceFact[] = [],
) {
  const book = new FactIndex(interestOf(question), addressOf);
  for (const observation of numbered(observations)) book.addObservation(observation);
  for (const fact of extra) book.add(fact);
  const found = findTarget(book, question);
  if (found === undefined) throw new Error('nobody has seen it');
  const outcomes = classifyClients(book, found.target, { knownSince });
  const kinds = Object.fromEntries(outcomes.map(({ clientId, kind }) => [clientId, kind]));
  return { found, outcomes, kinds, spread: buildSpread(outcomes, found.target.firstAt) };
}

/** All clients have v1 with content aa, and receive v2 with content bb from 1,000 ms on. */
function twoVersions(clients: readonly string[]): Observation[] {
  return clients.flatMap((clientId) => [
    opened(clientId, 1),
    sent({ clientId, at: 10, version: 'v1', hash: 'aa' }),
    acked({ clientId, at: 20, version: 'v1', hash: 'aa' }),
  ]);
}

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
      { percent: 95, ofAccepted: { fromMs: 30, toMs: 30 }, ofAll: null },
      { percent: 99, ofAccepted: { fromMs: 30, toMs: 30 }, ofAll: null },
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
      expect(spread.percentiles.at(-1)?.ofAll).toBeNull();
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
      ['c', 1_020, null],
      ['d', null, null],
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
  /** As in EDS of Istio: under one version each proxy receives its own order of localities. */
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
    expect(beforeOf(story.slice(3))).toBeNull();
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
