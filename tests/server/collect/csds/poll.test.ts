import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientConfigChanged, Observation } from '@/lib/observation/observation';
import { clientIdOf } from '@/server/client-id';
import { type Codec, createCodec } from '@/server/codec/codec';
import { CsdsPoller, type CsdsPollerOptions } from '@/server/collect/csds/poll';
import { type Emission, systemClock } from '@/server/observe';
import type { SourceStatus } from '@/server/source-status';
import {
  type CsdsServer,
  clientWithClusters,
  csdsAnswer,
  startCsdsServer,
} from '@/tests/support/csds-server';
import { listenHttp1, listenRaw } from '@/tests/support/grpc-peers';
import { patienceMs } from '@/tests/support/patience';

let codec: Codec;
let emissions: Emission[];
let statuses: SourceStatus[];
const cleanUps: (() => unknown)[] = [];

beforeEach(() => {
  const redactionKey = Buffer.from('tests');
  codec = createCodec({ redactionKey });
  emissions = [];
  statuses = [];
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  await codec.close();
});

async function serve(...parameters: Parameters<typeof startCsdsServer>): Promise<CsdsServer> {
  const server = await startCsdsServer(...parameters);
  cleanUps.push(() => server.close());
  return server;
}

function poll(target: string, options: Partial<CsdsPollerOptions> = {}): CsdsPoller {
  const poller = new CsdsPoller({
    sourceId: `csds:${target}`,
    target,
    intervalMs: 10,
    observe: (emission) => emissions.push(emission),
    clock: systemClock,
    codec,
    random: () => 0.5,
    onStatus: (reported) => statuses.push(reported),
    ...options,
  });
  cleanUps.push(() => poller.close());
  poller.start();
  return poller;
}

function observed(): Observation[] {
  return emissions.map(({ observation }) => observation);
}

function kinds(): string[] {
  return observed().map(({ kind }) => kind);
}

function changes(): ClientConfigChanged[] {
  return observed().filter((observation) => observation.kind === 'client-config-changed');
}

async function until(condition: () => unknown): Promise<void> {
  await vi.waitUntil(condition, { timeout: patienceMs(60_000), interval: 5 });
}

const oneClient = () => csdsAnswer({ config: [clientWithClusters('a', { c: '1' })] });

describe('CsdsPoller, with a peer that answers', () => {
  it('1. reports a client once, 2. emits nothing while nothing changes, 3. reports the one row that changed', async () => {
    const server = await serve(() => csdsAnswer({ config: [clientWithClusters('a', { c: '1', d: '1' })] }));
    const poller = poll(server.target.text);
    await until(() => server.questions.length >= 5);
    expect(kinds()).toEqual(['source-up', 'client-config-changed']);
    const [first] = changes();
    expect(first?.clientId).toBe(clientIdOf('a', ''));
    expect(first?.changed.map(({ name, clientStatus, hash }) => [name, clientStatus, hash?.length])).toEqual([
      ['c', 'ACKED', 64],
      ['d', 'ACKED', 64],
    ]);
    expect(emissions[1]?.bodies.map(({ hash }) => hash)).toEqual(first?.changed.map(({ hash }) => hash));

    server.react = () => csdsAnswer({ config: [clientWithClusters('a', { c: '1', d: '2' })] });
    await until(() => changes().length === 2);
    expect(changes()[1]).toMatchObject({ changed: [{ name: 'd', versionInfo: '2' }], removed: [] });
    expect(emissions.at(-1)?.bodies).toHaveLength(1);
    expect(poller.status).toMatchObject({ state: 'up', problem: null, notes: [], failures: 0 });
    expect(poller.status.clients.has(clientIdOf('a', ''))).toBe(true);
  });

  it('reports clients without resources, removed resources, and clients that disappear and return', async () => {
    const server = await serve(() => csdsAnswer({ config: [clientWithClusters('a', {})] }));
    poll(server.target.text);
    await until(() => changes().length === 1);
    expect(changes()[0]).toMatchObject({ changed: [], removed: [] });

    server.react = () => csdsAnswer({ config: [clientWithClusters('a', { c: '1', d: '1' })] });
    await until(() => changes().length === 2);
    server.react = () => csdsAnswer({ config: [clientWithClusters('a', { d: '1' })] });
    await until(() => changes().length === 3);
    expect(changes()[2]).toMatchObject({ changed: [], removed: [{ name: 'c' }] });

    server.react = () => csdsAnswer({ config: [] });
    await until(() => kinds().includes('client-gone'));
    server.react = () => csdsAnswer({ config: [clientWithClusters('a', { d: '2' })] });
    await until(() => changes().length === 4);
    expect(changes()[3]).toMatchObject({ changed: [{ name: 'd', versionInfo: '2' }], removed: [] });
  });

  it('uses one stream, with one request at a time', async () => {
    const server = await serve(oneClient);
    poll(server.target.text, { intervalMs: 0 });
    await until(() => server.questions.length >= 50);
    expect(server.streamsOpened()).toBe(1);
    expect(server.mostAtOnce()).toBe(1);
  });

  it('opens another stream if the server ends it after each answer', async () => {
    const server = await serve(() => ({ thenEnd: oneClient() }));
    const poller = poll(server.target.text);
    await until(() => server.questions.length >= 5);
    expect(kinds()).toEqual(['source-up', 'client-config-changed']);
    expect(poller.status.failures).toBe(0);
  });

  it('falls back to FetchClientStatus, with a note', async () => {
    const server = await serve(oneClient, { only: 'fetch' });
    const poller = poll(server.target.text);
    await until(() => server.questions.length >= 3);
    expect(kinds()).toEqual(['source-up', 'client-config-changed']);
    await until(() => poller.status.notes.length > 0);
    expect(poller.status.notes).toEqual([
      'StreamClientStatus is not implemented: polling with FetchClientStatus.',
    ]);
  });

  it('ignores answers without a request, with a note', async () => {
    const server = await serve(oneClient);
    const poller = poll(server.target.text, { intervalMs: 50 });
    await until(() => kinds().includes('client-config-changed'));
    server.react = () => {
      setImmediate(() => server.push(csdsAnswer({ config: [clientWithClusters('intruder', {})] })));
      return oneClient();
    };
    await until(() =>
      statuses.some(({ notes }) => notes.some((note) => note.includes('answers without requests'))),
    );
    expect(changes().map(({ node }) => node.id)).toEqual(['a']);
    expect(poller.status.state).toBe('up');
  });

  it('reads 16 MB, with a note about the default limit of gRPC clients', async () => {
    const names = Object.fromEntries(Array.from({ length: 160 }, (_, index) => [`c${index}`, '1']));
    const answer = csdsAnswer({ config: [clientWithClusters('big', names, { fill: 100_000 })] });
    const server = await serve(() => answer);
    const poller = poll(server.target.text);
    await until(() => kinds().includes('client-config-changed'));
    expect(changes()[0]?.changed).toHaveLength(160);
    expect(poller.status.answerBytes).toBe(answer.length);
    expect(poller.status.notes[0]).toBe(
      'The answer has 15.3 MiB: a gRPC client with the default limit of 4 MiB could not read it.',
    );
  });
});

describe('CsdsPoller and exclude_resource_contents', () => {
  const names = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`c${index}`, '1']));
  const answerTo = (clusters: Record<string, string>, understands: boolean, fill = 10_000) => {
    const full = csdsAnswer({ config: [clientWithClusters('a', clusters, { fill })] });
    const bare = csdsAnswer({ config: [clientWithClusters('a', clusters, { withContents: false })] });
    return ({ excludesContents }: { excludesContents: boolean }) =>
      excludesContents && understands ? bare : full;
  };

  it('excludes the contents if the peer supports it, and requests them after a change', async () => {
    const server = await serve(answerTo(names, true));
    const poller = poll(server.target.text);
    await until(() => server.questions.filter(({ excludesContents }) => excludesContents).length >= 3);
    expect(server.questions[0]?.excludesContents).toBe(false);
    expect(changes()).toHaveLength(1);
    await until(() => poller.status.notes.some((note) => note.includes('exclude_resource_contents')));

    server.react = answerTo({ ...names, c7: '2' }, true);
    await until(() => changes().length === 2);
    expect(changes()[1]?.changed).toMatchObject([{ name: 'c7', versionInfo: '2', hash: expect.any(String) }]);
    expect(emissions.at(-1)?.bodies).toHaveLength(1);
  });

  it('finds a body that changed under the same version within some polls', async () => {
    const server = await serve(answerTo(names, true));
    poll(server.target.text);
    await until(() => server.questions.some(({ excludesContents }) => excludesContents));
    server.react = answerTo(names, true, 10_001);
    await until(() => changes().length === 2);
    expect(changes()[1]?.changed).toHaveLength(40);
  });

  it('stops excluding the contents if the peer sends them nevertheless', async () => {
    const server = await serve(answerTo(names, false));
    const poller = poll(server.target.text);
    await until(() => server.questions.length >= 6);
    expect(server.questions.filter(({ excludesContents }) => excludesContents)).toHaveLength(1);
    expect(changes()).toHaveLength(1);
    // All but the first are the same bytes.
    expect(poller.status.undecoded).toBe(poller.status.answers - 1);
  });
});

describe('CsdsPoller, with a failing peer', () => {
  it('reports a peer that does not answer, once as an observation', async () => {
    const http1 = await listenHttp1();
    cleanUps.push(() => http1.close());
    const poller = poll(http1.target.text);
    await until(() => poller.status.state === 'down');
    expect(poller.status.problem?.code).toBe('NOT_HTTP2');
    await until(() => poller.status.failures >= 2);
    expect(kinds()).toEqual(['source-down']);
  });

  it('ends a request to a silent peer at its deadline, and polls again', async () => {
    const silent = await listenRaw('');
    cleanUps.push(() => silent.close());
    const poller = poll(silent.target.text, { deadlineMs: 100 });
    await until(() => poller.status.state === 'down');
    expect(poller.status.problem?.code).toBe('SILENT');
  });

  it('ends a request that a CSDS server does not answer at its deadline, and sends the next one', async () => {
    const server = await serve(() => 'silence');
    const poller = poll(server.target.text, { deadlineMs: 150, maxBackoffMs: 20 });
    await until(() => poller.status.failures >= 2);
    expect(poller.status.problem).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(server.mostAtOnce()).toBe(1);
    server.react = oneClient;
    await until(() => poller.status.state === 'up');
    expect(kinds()).toEqual(['source-down', 'source-up', 'client-config-changed']);
  });

  it('reports invalid bytes, a rejection, and a server without CSDS', async () => {
    const server = await serve(() => Buffer.from([0x0a, 0xff, 0xff, 0xff]));
    const poller = poll(server.target.text, { maxBackoffMs: 20 });
    await until(() => poller.status.problem?.code === 'BAD_ANSWER');
    expect(poller.status.problem?.message).toContain(
      'expected a ClientStatusResponse, got 4 bytes that are none',
    );
    server.react = () => ({ code: status.UNAUTHENTICATED, details: 'no token' });
    await until(() => poller.status.problem?.code === 'UNAUTHENTICATED');
    server.react = () => ({ code: status.UNIMPLEMENTED, details: 'not here' });
    await until(() => poller.status.problem?.code === 'UNIMPLEMENTED');
    server.react = oneClient;
    await until(() => poller.status.state === 'up');
    expect(kinds()).toEqual(['source-down', 'source-up', 'client-config-changed']);
  });

  it('polls soon after its peer is back, and reports only differences', async () => {
    const first = await serve(oneClient);
    const poller = poll(first.target.text);
    await until(() => poller.status.state === 'up');
    first.close();
    await until(() => poller.status.state === 'down' && poller.status.failures >= 2);
    const { port } = first.target;
    await serve(() => csdsAnswer({ config: [clientWithClusters('a', { c: '2' })] }), { port });
    await until(() => poller.status.state === 'up');
    await until(() => changes().length === 2);
    expect(kinds()).toEqual([
      'source-up',
      'client-config-changed',
      'source-down',
      'source-up',
      'client-config-changed',
    ]);
  });

  it('rejects a target that is no host:port', () => {
    expect(() => poll('unix:/tmp/socket')).toThrow('csds:unix:/tmp/socket: expected host:port');
  });
});

describe('CsdsPoller can be stopped', () => {
  it('pauses, resumes, closes', async () => {
    const server = await serve(oneClient);
    const poller = poll(server.target.text);
    await until(() => poller.status.state === 'up');
    poller.pause();
    expect(poller.status.state).toBe('paused');
    const asked = server.questions.length;
    poller.resume();
    await until(() => server.questions.length > asked && poller.status.state === 'up');
    expect(kinds()).toEqual(['source-up', 'client-config-changed']);
    await poller.close();
    const reported = statuses.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(statuses).toHaveLength(reported);
  });

  it('sends no request after it was paused during one', async () => {
    const server = await serve(oneClient);
    const poller = poll(server.target.text);
    await until(() => poller.status.state === 'up');
    server.react = () => 'silence';
    const asked = server.questions.length;
    await until(() => server.questions.length > asked);
    const open = server.questions.length;
    poller.pause();
    await poller.close();
    expect(server.questions).toHaveLength(open);
    expect(kinds()).toEqual(['source-up', 'client-config-changed']);
  });

  it('closes while a request is under way', async () => {
    const server = await serve(() => 'silence');
    const poller = poll(server.target.text);
    await until(() => server.questions.length === 1);
    await poller.close();
    expect(kinds()).toEqual([]);
  });
});
