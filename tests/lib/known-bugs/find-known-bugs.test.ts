import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { findKnownBugs, findUnused } from '@/lib/known-bugs/find-known-bugs';
import { knownBugs } from '@/lib/known-bugs/known-bugs';
import type { Recorded } from '@/lib/observation/observation';
import { buildResourceRows } from '@/lib/views/client/build-resource-rows';
import { CDS, EDS, formatResourceType, LDS, RDS } from '@/lib/xds/resource-type';
import { clientAfter, noConfigUse, readKnownBug } from '../../support/builders/known-bug-recordings';

const named = async () => ['routes-a'];
const findReached = async () => [CDS, EDS].map(({ typeUrl }) => ({ typeUrl, name: 'cart' }));

async function noticesOf(
  history: readonly Recorded[],
  {
    userAgentVersion,
    findRoutes = named,
    polledAt = null,
  }: { userAgentVersion?: string; findRoutes?: typeof named; polledAt?: number | null } = {},
) {
  const client = clientAfter(history);
  const live = { freshness: 'live', reason: '', lastSeenAt: undefined } as const;
  const gone = { ...live, freshness: 'gone' } as const;
  const rows = runSteps(buildResourceRows(client, ({ goneAt }) => (goneAt === null ? live : gone)));
  const { userAgentName, userAgentVersion: own } = client.node;
  const release = { userAgentName, userAgentVersion: userAgentVersion ?? own };
  const notices = await findKnownBugs(release, {
    ...{ rows, history, findRoutes, findReached, ...noConfigUse },
    findLastSeen: () => polledAt,
  });
  return notices.map(({ id, resources }) => [
    id,
    ...resources.map(({ typeUrl, name }) => `${formatResourceType(typeUrl)} ${name}`),
  ]);
}

describe('findKnownBugs', () => {
  it.each([
    ['grpc-go-1.85.0-fallback', ['frozen-after-fallback', 'RDS routes-b', 'CDS cluster-b', 'EDS cluster-b']],
    ['grpc-go-1.76.0-stuck-tap', ['stuck-after-nack', 'EDS cluster-a', 'LDS svc-a', 'EDS cluster-b']],
    ['grpc-go-1.76.0-stuck-csds', ['stuck-after-nack', 'EDS cluster-a']],
    ['c-core-1.66.2-re-added', ['unusable-after-re-adding', 'LDS svc-a']],
    ['grpc-java-1.60.1-parser-exception', ['parser-exception', 'EDS cluster-a']],
    ['grpc-go-1.85.0-storm', ['nack-storm', 'LDS svc-a']],
  ])('%s', async (name, expected) => {
    expect(await noticesOf(readKnownBug(name))).toEqual([expected]);
  });

  it.each([
    // Up to the return of the primary server, the first NACK, the re-adding, the end of the second stream, and the 20th NACK.
    ['grpc-go-1.85.0-fallback', 'stream-opened', -1],
    ['grpc-go-1.76.0-stuck-tap', 'nack-sent', -1],
    ['c-core-1.66.2-re-added', 'ack-sent', -1],
    ['grpc-java-1.60.1-parser-exception', 'stream-closed', 1],
    ['grpc-go-1.85.0-storm', 'nack-sent', -1],
  ])('%s: nothing before the symptom', async (name, kind, at) => {
    const history = readKnownBug(name);
    const places = history.flatMap((each, place) => (each.kind === kind ? [place] : []));
    expect(await noticesOf(history.slice(0, places.at(at)))).toEqual([]);
  });

  it('counts the NACKs that one observation stands for', async () => {
    const history = readKnownBug('grpc-go-1.85.0-storm');
    const first = history.findIndex(({ kind }) => kind === 'nack-sent');
    const upTo = (repeats: number) =>
      history.slice(0, first + 1).map((each) => (each.kind === 'nack-sent' ? { ...each, repeats } : each));
    expect(await noticesOf(upTo(19))).toEqual([]);
    expect(await noticesOf(upTo(20))).toEqual([['nack-storm', 'LDS svc-a']]);
  });

  it('reads what an ended stream requested from before its requests without names', async () => {
    const history = readKnownBug('grpc-go-1.85.0-fallback');
    const closed = history.findLastIndex(({ kind }) => kind === 'stream-closed');
    const end = history[closed];
    if (end?.kind !== 'stream-closed') throw new Error('another recording');
    const withdrawn = history.flatMap((each) =>
      each.kind === 'request-sent' && each.streamId === end.streamId
        ? [{ ...each, resourceNames: [], seq: end.seq }]
        : [],
    );
    expect(withdrawn).not.toEqual([]);
    const found = await noticesOf([...history.slice(0, closed), ...withdrawn, ...history.slice(closed)]);
    expect(found.map(([id]) => id)).toEqual(['frozen-after-fallback']);
  });

  it('states nothing about a stuck stream when a later response was accepted', async () => {
    const history = readKnownBug('grpc-go-1.76.0-stuck-csds');
    const [first, last] = history;
    if (first?.kind !== 'client-config-changed' || last === undefined) throw new Error('another recording');
    const at = last.at + 60_000;
    const changed = first.changed
      .filter(({ name }) => name === 'svc-a')
      .map((row) => ({ ...row, versionInfo: 'v3', lastUpdated: at, changedAt: at }));
    const later = { ...first, at, seq: last.seq + 1, changed };
    expect(await noticesOf([...history, later])).toEqual([]);
  });

  it('states nothing about a client that returns from a fallback server with all resources', async () => {
    const history = readKnownBug('c-core-1.85.1-fallback');
    const asGo = { userAgentName: 'gRPC Go', userAgentVersion: '1.85.0' };
    expect(
      await findKnownBugs(asGo, {
        ...{ rows: [], history, findRoutes: named, findReached, ...noConfigUse },
        findLastSeen: () => null,
      }),
    ).toEqual([]);
  });

  it.each(['1.69.4', '1.86.0', '2.70.0', 'unknown', ''])(
    'states nothing about release "%s"',
    async (userAgentVersion) => {
      expect(await noticesOf(readKnownBug('grpc-go-1.85.0-fallback'), { userAgentVersion })).toEqual([]);
    },
  );
});

describe('a listener that C-core 1.66.2 deletes and adds again', () => {
  const history = readKnownBug('c-core-1.66.2-re-added');
  const expected = [['unusable-after-re-adding', 'LDS svc-a']];

  /** The newest observation that changed a resource of the type, again with other content. */
  function withOtherContent(service: string): Recorded {
    const found = history.findLast((each) => each.kind === 'ack-sent' && changes(each, service).length > 0);
    const last = history.at(-1);
    if (found?.kind !== 'ack-sent' || last === undefined) throw new Error('another recording');
    const changed = changes(found, service).map((row) => ({ ...row, hash: `${row.hash} of other content` }));
    return { ...found, at: last.at + 1, seq: last.seq + 1, changed };
  }

  function changes(observation: Recorded, service: string) {
    const changed = 'changed' in observation ? observation.changed : [];
    return changed.filter(({ typeUrl }) => formatResourceType(typeUrl) === service);
  }

  it('remains unused when its own content changes, then or later', async () => {
    expect(await noticesOf([...history, withOtherContent('LDS')])).toEqual(expected);
    expect(await noticesOf([...history.slice(0, -1), withOtherContent('LDS')])).toEqual(expected);
  });

  it('is used when the content of its route configuration changes', async () => {
    expect(await noticesOf([...history, withOtherContent('RDS')])).toEqual([]);
  });

  it('remains unused when another route configuration changes', async () => {
    const findRoutes = async () => ['routes-b'];
    expect(await noticesOf([...history, withOtherContent('RDS')], { findRoutes })).toEqual(expected);
  });

  it('is used if its routes are inline', async () => {
    expect(await noticesOf(history, { findRoutes: async () => [] })).toEqual([]);
  });
});

describe('a cluster to which an update only adds fields, with grpc-js-xds', () => {
  const node = {
    ...{ id: 'node-1', cluster: '', locality: null, metadata: {}, clientFeatures: [] },
    ...{ userAgentName: 'gRPC Node Pure JS', userAgentVersion: '1.14.1' },
  };
  const typeUrl = CDS.typeUrl;
  const stateOf = (version: number, at: number) => ({
    ...{ typeUrl, name: 'cluster-a', versionInfo: `v${version}`, clientStatus: 'ACKED' as const },
    ...{ configStatus: 'UNKNOWN' as const, lastUpdated: at, errorState: null, hash: `hash ${version}` },
    ...{ sizeBytes: 1, isStatic: false, changedAt: at },
  });
  const tap = { vantage: 'tap', sourceId: 'tap', clientId: 'client', streamId: 'stream' } as const;
  const respond = (version: number, at: number, { isRejected = false } = {}): Recorded[] => [
    {
      ...{
        ...tap,
        kind: 'response-received',
        seq: at,
        at,
        typeUrl,
        versionInfo: `v${version}`,
        nonce: `${at}`,
      },
      resources: [{ name: 'cluster-a', hash: `hash ${version}`, sizeBytes: 1 }],
      ...{ sizeBytes: 1, unchangedResources: 0, controlPlane: '' },
    },
    {
      ...{
        ...tap,
        seq: at + 1,
        at: at + 1,
        typeUrl,
        versionInfo: `v${version}`,
        nonce: `${at}`,
        removed: [],
      },
      ...(isRejected
        ? { kind: 'nack-sent', rejectedVersion: `v${version}`, errorDetail: 'no name', changed: [] }
        : { kind: 'ack-sent', changed: [stateOf(version, at)] }),
    },
  ];
  const reported = (version: number, at: number): Recorded => ({
    ...{ kind: 'client-config-changed', vantage: 'csds', sourceId: 'csds', clientId: 'client', at, seq: at },
    ...{ side: 'client', node, scope: '', changed: [stateOf(version, at)], removed: [] },
  });
  const opened: Recorded = {
    ...{ ...tap, kind: 'stream-opened', at: 1, seq: 1, server: '', method: '', node, scope: '' },
  };
  const history = [opened, ...respond(1, 10), reported(1, 20), ...respond(2, 10_000)];

  it('is not used while a later poll reports the earlier payload', async () => {
    const expected = [['ignores-added-fields', 'CDS cluster-a']];
    expect(await noticesOf(history, { polledAt: 13_000 })).toEqual(expected);
  });

  it('may be reported by the next poll', async () => {
    expect(await noticesOf(history, { polledAt: 10_500 })).toEqual([]);
    expect(await noticesOf(history)).toEqual([]);
  });

  it('is used if it was in a response that was rejected because of another resource', async () => {
    const partly = [
      ...history.slice(0, -2),
      ...respond(2, 10_000, { isRejected: true }),
      reported(2, 10_400),
    ];
    expect(await noticesOf(partly, { polledAt: 13_000 })).toEqual([]);
    const reverted = [...history, ...respond(1, 20_000, { isRejected: true })];
    expect(await noticesOf(reverted, { polledAt: 23_000 })).toEqual([]);
  });

  it('may be another payload than the tap has seen', async () => {
    expect(await noticesOf([...history, reported(3, 10_400)], { polledAt: 13_000 })).toEqual([]);
  });

  it('is used when a poll reports it', async () => {
    expect(await noticesOf([...history, reported(2, 10_400)], { polledAt: 13_000 })).toEqual([]);
  });
});

describe('knownBugs', () => {
  it('have an id of their own, whole sentences, and ranges in order', () => {
    expect(new Set(knownBugs.map(({ id }) => id)).size).toBe(knownBugs.length);
    for (const { statement, clients } of knownBugs) {
      expect(statement).toMatch(/\.$/);
      for (const { source, releases } of clients) {
        expect(source).toMatch(/^Measured with .*\.$/);
        expect(releases[0].minor).toBeLessThanOrEqual(releases[1].minor);
      }
    }
  });
});

describe('a listener of grpc-js-xds 1.14 that is updated without its routes', () => {
  const agent = { userAgentName: 'grpc-node-xds', userAgentVersion: '1.14.1' };
  type Change = readonly [typeUrl: string, name: string, hash: string | null];

  /** The names of the listeners that may not be used, after polls that reported these changes. */
  async function unusedAfter(polls: readonly (readonly Change[])[], routes: readonly string[] = ['routes']) {
    const history = polls.map((changes, index) => ({
      ...{ kind: 'client-config-changed', seq: index + 1, at: index, sourceId: 'csds', removed: [] },
      changed: changes.map(([typeUrl, name, hash]) => ({
        ...{ typeUrl, name, hash, clientStatus: hash === null ? 'DOES_NOT_EXIST' : 'ACKED' },
      })),
    })) as unknown as Recorded[];
    const evidence = {
      ...{ rows: [], history, findRoutes: async () => routes, findReached, ...noConfigUse },
      findLastSeen: () => null,
    };
    const found = await findUnused(agent, evidence);
    return found.map(({ name, mayUseEarlier }) => [name, mayUseEarlier]);
  }

  const shop = (hash: string | null): Change => [LDS.typeUrl, 'shop', hash];
  const ofShop = (hash: string): Change => [RDS.typeUrl, 'routes', hash];
  const first = [shop('a'), ofShop('r')];

  it('may not be used until its routes, clusters or endpoints change', async () => {
    expect(await unusedAfter([first])).toEqual([]);
    expect(await unusedAfter([first, [shop('b')]])).toEqual([['shop', true]]);
    expect(await unusedAfter([first, [shop('b')], [ofShop('s')]])).toEqual([]);
    expect(await unusedAfter([first, [shop('b')], [[EDS.typeUrl, 'cart', 'e']]])).toEqual([]);
    expect(await unusedAfter([first, [[EDS.typeUrl, 'cart', 'e']], [shop('b')]])).toEqual([['shop', true]]);
  });

  it('is not used because clusters or endpoints of another target change', async () => {
    const other: Change = [CDS.typeUrl, 'of another target', 'c'];
    expect(await unusedAfter([first, [shop('b')], [other]])).toEqual([['shop', true]]);
  });

  it('is used if it is the one in use again, or was deleted, or has its routes inline', async () => {
    expect(await unusedAfter([first, [shop('b')], [shop('a')]])).toEqual([]);
    expect(await unusedAfter([first, [shop(null)], [shop('b')]])).toEqual([]);
    expect(await unusedAfter([first, [shop('b')]], [])).toEqual([]);
  });
});
