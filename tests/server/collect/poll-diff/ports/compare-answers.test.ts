import { describe, expect, it } from 'vitest';
import { LDS } from '@/lib/xds/resource-type';
import { clientIdOf, identifyClient } from '@/server/client-id';
import type { ReportedClient, ReportedResource } from '@/server/codec/codec';
import { unknownNode } from '@/server/codec/node-info';
import { isSameApartFromContents } from '@/server/collect/csds/poll';
import { type CompareOptions, compareAnswers } from '@/server/collect/poll-diff/compare-answers';
import type { KnownClients } from '@/server/collect/poll-diff/known-clients';

const typeUrl = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';

function row(name: string, reported: Partial<ReportedResource> = {}): ReportedResource {
  return {
    typeUrl,
    name,
    versionInfo: '1',
    clientStatus: 'ACKED',
    configStatus: 'UNKNOWN',
    lastUpdated: 1_000,
    errorState: null,
    hash: `hash of ${name}`,
    sizeBytes: 10,
    isStatic: false,
    ...reported,
  };
}

function client(id: string, resources: ReportedResource[], scope = ''): ReportedClient {
  return { node: { ...unknownNode, id }, scope, resources };
}

const options: CompareOptions = { sourceId: 's', vantage: 'csds', at: 5_000, side: 'auto' };

/** Compares each answer of a sequence with the one before it. */
function compareAll(answers: ReportedClient[][], given: Partial<CompareOptions> = {}) {
  let known: KnownClients = new Map();
  return answers.map((answer, index) => {
    const comparison = compareAnswers(known, answer, { ...options, at: 1_000 * (index + 1), ...given });
    known = comparison.next;
    return comparison;
  });
}

function said({ observations }: ReturnType<typeof compareAnswers>): string[] {
  return observations.map((observation) =>
    observation.kind === 'client-gone'
      ? `gone ${observation.side}`
      : [
          `${observation.node.id}/${observation.scope} ${observation.side}`,
          ...observation.changed.map(({ name }) => `+${name}`),
          ...observation.removed.map(({ name }) => `-${name}`),
        ].join(' '),
  );
}

describe('compareAnswers reports differences', () => {
  const failed = { details: 'bad', versionInfo: '2', lastUpdateAttempt: 2_000, failedHash: null };
  it.each<[string, ReportedClient[][], string[][]]>([
    ['a client without resources, once', [[client('a', [])], [client('a', [])]], [['a/ client'], []]],
    [
      'nothing when nothing changed',
      [[client('a', [row('x')])], [client('a', [row('x')])]],
      [['a/ client +x'], []],
    ],
    [
      'nothing when only the order changed',
      [
        [client('a', [row('x'), row('y')]), client('b', [])],
        [client('b', []), client('a', [row('y'), row('x')])],
      ],
      [['a/ client +x +y', 'b/ client'], []],
    ],
    [
      'a new version',
      [[client('a', [row('x'), row('y')])], [client('a', [row('x'), row('y', { versionInfo: '2' })])]],
      [['a/ client +x +y'], ['a/ client +y']],
    ],
    [
      'a body that changed under the same version',
      [[client('a', [row('x')])], [client('a', [row('x', { hash: 'other' })])]],
      [['a/ client +x'], ['a/ client +x']],
    ],
    [
      'a NACK, and its other text',
      [
        [client('a', [row('x')])],
        [client('a', [row('x', { clientStatus: 'NACKED', errorState: failed })])],
        [client('a', [row('x', { clientStatus: 'NACKED', errorState: { ...failed, details: 'worse' } })])],
        [client('a', [row('x', { clientStatus: 'NACKED', errorState: { ...failed, details: 'worse' } })])],
      ],
      [['a/ client +x'], ['a/ client +x'], ['a/ client +x'], []],
    ],
    [
      'a resource that is reported no longer',
      [[client('a', [row('x'), row('y')])], [client('a', [row('y')])]],
      [['a/ client +x +y'], ['a/ client -x']],
    ],
    [
      'the same name under two types',
      [[client('a', [row('x'), row('x', { typeUrl: 'other' })])], [client('a', [row('x')])]],
      [['a/ client +x +x'], ['a/ client -x']],
    ],
    [
      'clients by scope',
      [
        [client('a', [row('x')], 'xds:///one'), client('a', [row('x')], '#server')],
        [client('a', [row('x')], '#server')],
      ],
      [['a/xds:///one client +x', 'a/#server client +x'], ['gone client']],
    ],
    [
      'a client that goes once, and all of it when it returns: the live state knows what it was before',
      [
        [client('a', [row('x'), row('y')])],
        [],
        [],
        [client('a', [row('y'), row('z')])],
        [client('a', [row('y'), row('z')])],
      ],
      [['a/ client +x +y'], ['gone client'], [], ['a/ client +y +z'], []],
    ],
    [
      'a control plane by its statuses',
      [[client('a', [row('x', { clientStatus: 'UNKNOWN', configStatus: 'STALE' })])]],
      [['a/ control-plane +x']],
    ],
    [
      'a control plane that has nothing to say any more stays one',
      [[client('a', [row('x', { clientStatus: 'UNKNOWN', configStatus: 'SYNCED' })])], [client('a', [])]],
      [['a/ control-plane +x'], ['a/ control-plane -x']],
    ],
    [
      'all of a client whose answers are suddenly of the other side',
      [
        [client('a', [row('x', { clientStatus: 'UNKNOWN', configStatus: 'SYNCED' })])],
        [client('a', [row('x', { configStatus: 'SYNCED' })])],
      ],
      [['a/ control-plane +x'], ['a/ client +x']],
    ],
  ])('%s', (_, answers, expected) => {
    expect(compareAll(answers).map(said)).toEqual(expected);
  });

  it('a node that changed', () => {
    const [, second] = compareAll([
      [client('a', [row('x')])],
      [{ ...client('a', [row('x')]), node: { ...unknownNode, id: 'a', userAgentVersion: '2' } }],
    ]);
    expect(second?.observations).toMatchObject([
      { node: { userAgentVersion: '2' }, changed: [], removed: [] },
    ]);
  });

  it('the given side', () => {
    const [first] = compareAll([[client('a', [row('x')])]], { side: 'control-plane' });
    expect(first && said(first)).toEqual(['a/ control-plane +x']);
  });

  it('keeps the moment of the last change', () => {
    const answers = compareAll([
      [client('a', [row('x'), row('y')])],
      [client('a', [row('x'), row('y', { versionInfo: '2' })])],
    ]);
    const rows = [...(answers[1]?.next.get(clientIdOf('a', ''))?.rows.values() ?? [])];
    expect(rows.map(({ name, changedAt }) => [name, changedAt])).toEqual([
      ['x', 1_000],
      ['y', 2_000],
    ]);
  });

  it('drops clients that disappeared, and reports them before new ones', () => {
    const answers = compareAll([[client('a', [row('x')]), client('b', [])], [client('c', [])]]);
    expect(answers[1] && said(answers[1])).toEqual(['gone client', 'gone client', 'c/ client']);
    expect([...(answers[1]?.next.keys() ?? [])]).toEqual([clientIdOf('c', '')]);
  });

  it('reports when the source was polled before a client disappeared', () => {
    const answers = compareAll([[client('a', [])], []], { previousAt: 500 });
    expect(answers[1]?.observations).toMatchObject([{ kind: 'client-gone', previousAt: 500 }]);
  });
});

describe('compareAnswers limits the clients of one answer', () => {
  const maxClients = 2;

  it('to the first ones, with the number of the others', () => {
    const [answer] = compareAll([['a', 'b', 'c', 'd', 'e'].map((id) => client(id, []))], { maxClients });
    expect(answer && said(answer)).toEqual(['a/ client', 'b/ client']);
    expect(answer).toMatchObject({ notAdmitted: 3, clientIds: ['a', 'b'].map((id) => clientIdOf(id, '')) });
  });

  it('to known ones first, and others in the places of those that disappeared', () => {
    const answers = compareAll(
      [
        ['a', 'b'],
        ['c', 'b', 'a'],
        ['c', 'd', 'b'],
      ].map((ids) => ids.map((id) => client(id, []))),
      { maxClients },
    );
    expect(answers.map(said)).toEqual([['a/ client', 'b/ client'], [], ['gone client', 'c/ client']]);
    expect(answers.map(({ notAdmitted }) => notAdmitted)).toEqual([0, 1, 1]);
  });
});

describe('compareAnswers reports the earliest time of a change', () => {
  it('for a client of the previous answer, not for one that is new or back', () => {
    const [a, b] = [client('a', [row('x')]), client('b', [row('x')])];
    const changed = client('a', [row('x', { hash: 'another' })]);
    const reported = compareAll([[a], [changed, b], [a], [a, b]], { previousAt: 700 });
    const since = reported.flatMap(({ observations }) =>
      observations.flatMap((one) => (one.kind === 'client-gone' ? [] : [[one.node.id, one.previousAt]])),
    );
    expect(since).toEqual([
      ['a', undefined],
      ['a', 700],
      ['b', undefined],
      ['a', 700],
      ['b', undefined],
    ]);
  });
});

describe('several targets of one process', () => {
  const listener = (name: string): ReportedResource => ({ ...row(name), typeUrl: LDS.typeUrl });
  const idOf = (scope: string, name?: string) => identifyClient({ ...unknownNode, id: 'a' }, scope, name);

  it('are identified by their listeners, whatever the templates are, and keep their ids without them', () => {
    const target = 'xds:///cart';
    const reported = compareAll([
      [client('a', [listener('prod/cart')], target), client('a', [listener('a'), listener('b')], '#server')],
      [client('a', [], '#server'), client('a', [], target)],
    ]);
    for (const { clientIds } of reported) {
      expect(new Set(clientIds)).toEqual(new Set([idOf('', 'prod/cart'), idOf('#server')]));
    }
    expect(idOf('', 'prod/cart')).not.toBe(idOf(target));
    const [alone] = compareAll([[client('a', [], target)]]);
    expect(alone?.clientIds).toEqual([idOf('cart')]);
  });

  it('are distinct if they share a listener', () => {
    const spellings = ['xds:///cart', 'xds:cart'].map((scope) => client('a', [listener('cart')], scope));
    const [first, second] = compareAll([spellings, spellings.toReversed()]);
    expect(new Set(first?.clientIds).size).toBe(2);
    expect(first?.duplicates).toEqual([]);
    expect(second?.observations).toEqual([]);
  });
});

describe('several ClientConfigs with one name', () => {
  const first = client('a', [row('x', { hash: '1' })]);
  const second = client('a', [row('x', { hash: '2' })]);

  it('get distinct scopes', () => {
    const [answer] = compareAll([[first, second]]);
    expect(answer?.duplicates).toEqual(['a']);
    expect(answer && said(answer)).toEqual(['a/ client +x', 'a/(duplicate 2) client +x']);
    expect(answer?.clientIds).toEqual([clientIdOf('a', ''), clientIdOf('a', '(duplicate 2)')]);
  });

  it('keep their scopes when the answer lists them in another order', () => {
    expect(
      compareAll([
        [first, second],
        [second, first],
        [first, second],
      ])
        .map(said)
        .slice(1),
    ).toEqual([[], []]);
  });

  it('are one client again when one remains', () => {
    const answers = compareAll([[first, second], [second]]);
    expect(answers[1] && said(answers[1])).toEqual(['gone client', 'a/ client +x']);
  });
});

describe('isSameApartFromContents', () => {
  const known = compareAll([[client('a', [row('x'), row('y')])]])[0]?.next ?? new Map();
  const bare = { hash: null, sizeBytes: null };
  it.each<[string, boolean, ReportedClient[]]>([
    ['the same without bodies', true, [client('a', [row('y', bare), row('x', bare)])]],
    ['another version', false, [client('a', [row('y', bare), row('x', { ...bare, versionInfo: '2' })])]],
    ['another time', false, [client('a', [row('y', bare), row('x', { ...bare, lastUpdated: 2 })])]],
    ['another status', false, [client('a', [row('y', bare), row('x', { ...bare, clientStatus: 'NACKED' })])]],
    ['one resource less', false, [client('a', [row('y', bare)])]],
    ['one resource more', false, [client('a', [row('y', bare), row('x', bare), row('z', bare)])]],
    ['one client more', false, [client('a', [row('y', bare), row('x', bare)]), client('b', [])]],
    ['no client', false, []],
  ])('%s: %s', (_, expected, reported) => {
    expect(isSameApartFromContents(known, reported)).toBe(expected);
  });
});
