import { describe, expect, it } from 'vitest';
import { ControlPlaneFold } from '@/lib/control-planes/control-plane-fold';
import type { Observation } from '@/lib/observation/observation';
import { CDS, LDS, RDS, type ResourceType } from '@/lib/xds/resource-type';

/** A route configuration of the hash "r:a,b" references the clusters a and b. */
const clustersOf = (hash: string) => (hash.startsWith('r:') ? hash.slice(2).split(',') : []);

function story() {
  const fold = new ControlPlaneFold(clustersOf);
  let at = 0;
  const of = (streamId: string) => ({ vantage: 'tap', sourceId: 'tap:1', clientId: 'c1', streamId }) as const;
  const add = (observation: Observation) => fold.add(observation);
  return {
    fold,
    wait(ms: number) {
      at += ms;
    },
    open(streamId = 's1', server = 'a:1', nodeId = 'edge') {
      const node = { id: nodeId, cluster: '', locality: null, metadata: {}, userAgent: '' };
      add({
        ...{
          ...of(streamId),
          kind: 'stream-opened',
          at,
          server,
          method: 'StreamAggregatedResources',
          scope: '',
        },
        node: node as never,
      });
    },
    request({ typeUrl }: ResourceType, resourceNames: readonly string[] = [], streamId = 's1') {
      add({
        ...{ ...of(streamId), kind: 'request-sent', at, typeUrl, resourceNames, versionInfo: '' },
        ...{ responseNonce: '', changed: [], removed: [] },
      });
    },
    respond(
      { typeUrl }: ResourceType,
      sent: Readonly<Record<string, string>>,
      {
        streamId = 's1',
        repeats,
        version = '1',
        unchanged,
        names,
      }: {
        streamId?: string;
        repeats?: number;
        version?: string;
        unchanged?: number;
        names?: string[];
      } = {},
    ) {
      const resources = Object.entries(sent).map(([name, hash]) => ({ name, hash, sizeBytes: 1 }));
      add({
        ...{
          ...of(streamId),
          kind: 'response-received',
          at,
          typeUrl,
          versionInfo: version,
          nonce: 'n',
          sizeBytes: 1,
        },
        ...{ resources, controlPlane: 'plane-1', ...(repeats !== undefined && { repeats }) },
        ...{ ...(unchanged !== undefined && { unchangedResources: unchanged }), ...(names && { names }) },
      });
    },
    answer(
      { typeUrl }: ResourceType,
      kind: 'ack-sent' | 'nack-sent',
      removed: readonly string[] = [],
      streamId = 's1',
      held: Readonly<Record<string, string>> = {},
    ) {
      const keys = removed.map((name) => ({ typeUrl, name }));
      const common = {
        ...of(streamId),
        at,
        typeUrl,
        versionInfo: '1',
        nonce: 'n',
        changed: Object.entries(held).map(([name, hash]) => ({ typeUrl, name, hash })) as never[],
        removed: keys,
      };
      add(
        kind === 'ack-sent'
          ? { ...common, kind }
          : { ...common, kind, rejectedVersion: '1', errorDetail: 'no' },
      );
    },
    close(code: string, streamId = 's1') {
      add({ ...of(streamId), kind: 'stream-closed', at, code, details: '', hadResponse: true });
    },
    report: () => fold.report()[0],
    differences: () => fold.differences(at),
  };
}

describe('make before break', () => {
  it('is broken by routes that precede their cluster, which a client that accepts them feels', () => {
    const { open, request, respond, answer, wait, report } = story();
    open();
    for (const type of [CDS, RDS]) request(type);
    respond(CDS, { a: 'h1' });
    answer(CDS, 'ack-sent');
    respond(RDS, { web: 'r:a' });
    answer(RDS, 'ack-sent');
    expect(report()?.breaks).toEqual([]);
    respond(RDS, { web: 'r:b' }, { version: '2' });
    answer(RDS, 'ack-sent');
    wait(300);
    respond(CDS, { b: 'h2' }, { version: '2' });
    expect(report()?.breaks).toEqual([
      {
        ...{ kind: 'sent-before-cluster', typeUrl: RDS.typeUrl, name: 'web', cluster: 'b' },
        ...{ at: 0, clientId: 'c1', nodeId: 'edge', lastedMs: 300, isFelt: true, isOfProbe: false },
      },
    ]);
  });

  it('is not felt if the client rejects the routes', () => {
    const { open, request, respond, answer, report } = story();
    open();
    for (const type of [CDS, RDS]) request(type);
    respond(CDS, { a: 'h1' });
    respond(RDS, { web: 'r:b' });
    answer(RDS, 'nack-sent');
    expect(report()?.breaks.map(({ isFelt, lastedMs }) => [isFelt, lastedMs])).toEqual([[false, undefined]]);
  });

  it('is broken by the removal of a cluster before its routes change', () => {
    const { open, request, respond, answer, wait, report } = story();
    open();
    for (const type of [CDS, RDS]) request(type);
    respond(CDS, { a: 'h1', b: 'h2' });
    respond(RDS, { web: 'r:a' });
    answer(RDS, 'ack-sent');
    respond(CDS, {}, { version: '2' });
    answer(CDS, 'ack-sent', ['a']);
    wait(40);
    respond(RDS, { web: 'r:b' }, { version: '2' });
    expect(report()?.breaks).toMatchObject([
      { kind: 'cluster-removed-first', name: 'web', cluster: 'a', lastedMs: 40, isFelt: true },
    ]);
  });

  it('does not apply to a client that subscribes to clusters by name', () => {
    const { open, request, respond, answer, report } = story();
    open();
    request(LDS, ['web']);
    request(CDS, ['a']);
    respond(CDS, { a: 'h1' });
    respond(RDS, { web: 'r:b' });
    answer(RDS, 'ack-sent');
    expect(report()?.breaks).toEqual([]);
  });
});

describe('repeated responses', () => {
  it('are those without a change that nobody requested, and many of them are a spin', () => {
    const { open, request, respond, answer, wait, report } = story();
    open();
    request(CDS);
    respond(CDS, { a: 'h1' });
    answer(CDS, 'nack-sent');
    respond(CDS, { a: 'h1' });
    answer(CDS, 'nack-sent');
    wait(1_000);
    respond(CDS, { a: 'h1' }, { repeats: 886 });
    answer(CDS, 'nack-sent');
    wait(60_000);
    request(CDS);
    respond(CDS, { a: 'h1' });
    expect(report()).toMatchObject({
      responses: 889,
      repeated: 887,
      spins: 1,
      fastestSpin: 887,
      lastSpinAt: 1_000,
    });
  });
});

it('counts the ends of streams by the message before', () => {
  const { open, request, respond, answer, close, report } = story();
  for (const id of ['s1', 's2']) {
    open(id);
    request(CDS, [], id);
    respond(CDS, { a: 'h1' }, { streamId: id });
    answer(CDS, 'nack-sent', [], id);
    close('CANCELLED', id);
  }
  open('s3');
  close('UNAVAILABLE', 's3');
  expect(report()).toMatchObject({
    ...{ server: 'a:1', identifiers: ['plane-1'], clients: 1, openStreams: 0 },
    ends: [
      { code: 'CANCELLED', after: 'NACK of CDS', count: 2 },
      { code: 'UNAVAILABLE', after: 'no message', count: 1 },
    ],
  });
});

describe('two instances', () => {
  it('differ for one node if a difference lasts longer than 5 seconds', () => {
    const { open, request, respond, wait, differences } = story();
    open('s1', 'a:1');
    open('s2', 'b:1');
    for (const id of ['s1', 's2']) request(CDS, [], id);
    respond(CDS, { x: 'h1', y: 'h1' }, { streamId: 's1' });
    wait(2_000);
    respond(CDS, { x: 'h2', z: 'h1' }, { streamId: 's2', version: '7' });
    wait(5_000);
    expect(differences()).toEqual([]);
    wait(1);
    expect(differences()).toEqual([
      {
        ...{
          kind: 'resources',
          nodeId: 'edge',
          typeUrl: CDS.typeUrl,
          servers: ['a:1', 'b:1'],
          versions: ['1', '7'],
          since: 2_000,
        },
        ...{ onlyFirst: ['y'], onlySecond: ['z'], differing: ['x'] },
      },
    ]);
    respond(CDS, { x: 'h2', z: 'h1' }, { streamId: 's1', version: '2' });
    expect(differences()).toMatchObject([{ onlyFirst: ['y'], onlySecond: [], differing: [] }]);
    respond(CDS, { y: 'h1' }, { streamId: 's2', version: '8' });
    expect(differences()).toMatchObject([{ since: 2_000, until: 7_001 }]);
  });

  /** Both send x and y; the client at b:1 holds them when its stream is opened again. */
  function reconnected() {
    const all = story();
    all.open('s1', 'a:1');
    all.open('s2', 'b:1');
    for (const id of ['s1', 's2']) {
      all.request(CDS, [], id);
      all.respond(CDS, { x: 'h1', y: 'h1' }, { streamId: id });
    }
    all.answer(CDS, 'ack-sent', [], 's2', { x: 'h1', y: 'h1' });
    all.close('UNAVAILABLE', 's2');
    all.open('s3', 'b:1');
    all.request(CDS, [], 's3');
    return all;
  }

  it('do not differ in what a client holds, which a response of its next stream does not name', () => {
    const { respond, wait, differences } = reconnected();
    respond(CDS, {}, { streamId: 's3', unchanged: 2 });
    wait(10_000);
    expect(differences()).toEqual([]);
    respond(CDS, { z: 'h1' }, { streamId: 's3', unchanged: 1, names: ['x', 'z'] });
    wait(10_000);
    expect(differences()).toMatchObject([{ onlyFirst: [], onlySecond: ['z'], differing: [] }]);
  });

  it('are not compared by absent names where more was sent than is known', () => {
    const { respond, request, wait, answer, report, differences } = reconnected();
    respond(CDS, { z: 'h2' }, { streamId: 's3', unchanged: 7 });
    // The routes may lead to one of the clusters that are not known.
    request(RDS, [], 's3');
    respond(RDS, { web: 'r:other' }, { streamId: 's3' });
    answer(RDS, 'ack-sent', [], 's3');
    wait(10_000);
    expect(differences()).toEqual([]);
    expect(report()?.breaks).toEqual([]);
  });

  it('differ in their versions alone if names and contents are equal', () => {
    const { open, request, respond, wait, differences } = story();
    open('s1', 'a:1');
    open('s2', 'b:1');
    for (const id of ['s1', 's2']) request(CDS, [], id);
    respond(CDS, { x: 'h1' }, { streamId: 's1', version: '3' });
    respond(CDS, { x: 'h1' }, { streamId: 's2', version: '7' });
    expect(differences()).toEqual([]);
    wait(5_001);
    expect(differences()).toMatchObject([
      { kind: 'versions', versions: ['3', '7'], since: 0, onlyFirst: [], differing: [] },
    ]);
    respond(CDS, { x: 'h2' }, { streamId: 's2', version: '8' });
    wait(6_000);
    expect(differences()).toMatchObject([
      { kind: 'resources', differing: ['x'], since: 5_001 },
      { kind: 'versions', since: 0, until: 5_001 },
    ]);
    respond(CDS, { x: 'h2' }, { streamId: 's1', version: '8' });
    wait(6_000);
    expect(differences().filter(({ until }) => until === undefined)).toEqual([]);
  });

  it('are compared in what both send if clients subscribe by name, and not for different nodes', () => {
    const { open, request, respond, wait, differences } = story();
    open('s1', 'a:1');
    open('s2', 'b:1');
    open('s3', 'b:1', 'other');
    for (const id of ['s1', 's2', 's3']) request(CDS, ['x'], id);
    respond(CDS, { x: 'h1', y: 'h1' }, { streamId: 's1' });
    respond(CDS, { x: 'h1' }, { streamId: 's2' });
    respond(CDS, { x: 'h9' }, { streamId: 's3' });
    wait(60_000);
    expect(differences()).toEqual([]);
  });
});
