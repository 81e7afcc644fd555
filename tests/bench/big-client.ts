import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { resourcesQuery } from '@/lib/api/resource-pages';
import { noSettings } from '@/server/answers/findings/known-settings';
import { GraphBuilder } from '@/server/answers/graph/graph-builder';
import { ClientRows } from '@/server/answers/resources/client-rows';
import { ResourcePages } from '@/server/answers/resources/resource-pages-api';
import { createCodec } from '@/server/codec/codec';
import { messageType } from '@/server/codec/root';
import { AnswerReader } from '@/server/csds/answer-reader';
import { createCsdsThread } from '@/server/csds/csds-thread';
import { LiveState } from '@/server/live/live-state';
import { type Emission, systemClock } from '@/server/observe';
import { openRecorder } from '@/server/recorder/open-recorder';
import { ClientSubjects } from '@/server/subjects/client-subjects';
import { ClientAtCache } from '@/server/subjects/past/client-at-cache';
import { startCsdsServer } from '../support/csds-server';
import { childTask } from './in-own-process';
import { watchLoop } from './watch-loop';

const clusters = 30_000;
const rounds = 3;
const everything = Number.POSITIVE_INFINITY;
const redactionKey = Buffer.from('bench');
const names = process.argv.slice(2).filter((name) => !name.startsWith('--'));
for (const name of names) {
  if (name !== 'graph' && name !== 'csds') throw new Error(`bench: expected graph or csds, got "${name}"`);
}
const isWanted = (name: string): boolean => names.length === 0 || names.includes(name);

/** A CSDS answer of one client; `version` is of one endpoint resource alone. */
function answerOf(version: number): Buffer {
  const any = (type: string, message: object) => ({
    type_url: `type.googleapis.com/${type}`,
    value: messageType(type).encode(messageType(type).fromObject(message)).finish(),
  });
  const resource = (type: string, name: string, versionInfo: string, message: object) => ({
    typeUrl: `type.googleapis.com/${type}`,
    name,
    versionInfo,
    clientStatus: 3,
    xdsConfig: any(type, message),
  });
  const genericXdsConfigs = Array.from({ length: clusters }, (_, index) => {
    const name = `c${index}`;
    const isChanged = index === clusters / 2;
    const socketAddress = { address: '10.0.0.1', portValue: isChanged ? 8_000 + version : 80 };
    return [
      resource('envoy.config.cluster.v3.Cluster', name, '1', {
        name,
        type: 3,
        edsClusterConfig: { edsConfig: { ads: {} } },
      }),
      resource('envoy.config.endpoint.v3.ClusterLoadAssignment', name, isChanged ? `${version}` : '1', {
        clusterName: name,
        endpoints: [{ lbEndpoints: [{ endpoint: { address: { socketAddress } } }] }],
      }),
    ];
  }).flat();
  const type = messageType('envoy.service.status.v3.ClientStatusResponse');
  const config = [{ node: { id: 'big' }, genericXdsConfigs }];
  return Buffer.from(type.encode(type.fromObject({ config })).finish());
}

/** A peer in a process of its own; each message that it is sent is the number of the answer from now on. */
async function servePeer(): Promise<void> {
  let answer = answerOf(1);
  const { target } = await startCsdsServer(() => answer);
  process.on('message', (version: number) => {
    answer = answerOf(version);
    process.send?.(version);
  });
  process.send?.(target.text);
}

interface Peer {
  readonly child: ChildProcess;
  readonly target: string;
}

async function startPeer(): Promise<Peer> {
  const child = fork(process.argv[1] ?? '', ['--child=peer']);
  return { child, target: String(await nextMessage(child)) };
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once('message', resolve));
}

/** Hands out what a source reports, as soon as so many rows have been reported. */
class RowsReported {
  #rows = 0;
  #wanted = 0;
  #resolve: (() => void) | undefined;

  constructor(private readonly tell: (emission: Emission) => void) {}

  readonly observe = (emission: Emission): void => {
    this.tell(emission);
    const { observation } = emission;
    if (observation.kind === 'client-config-changed') this.#rows += observation.changed.length;
    if (this.#rows >= this.#wanted) this.#resolve?.();
  };

  reached(rows: number): Promise<void> {
    this.#wanted = rows;
    if (this.#rows >= rows) return Promise.resolve();
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }
}

interface Measured {
  readonly [step: string]: { blockMs: number; tookMs: number };
}

/** `peer`: it is asked as the product does it; undefined: everything in this thread. */
async function measure(answers: readonly Buffer[], peer: Peer | undefined): Promise<Measured> {
  const isInWorker = peer !== undefined;
  const dataDir = mkdtempSync(path.join(tmpdir(), 'xdscope-bench-'));
  const clock = systemClock;
  const freshnessOf = () => ({ freshness: 'live', reason: '', lastSeenAt: 1 }) as const;
  const retention = { maxAgeMs: 1e12, maxBytes: 1e12 };
  const recorder = await openRecorder({ dataDir, clock, retention });
  const inPlaceBytes = isInWorker ? undefined : everything;
  const codec = createCodec({ redactionKey, inPlaceBytes });
  const reader = new AnswerReader({ codec, redactionKey, inPlaceBytes });
  const graphs = new GraphBuilder({
    recorder,
    clock,
    inPlaceBytes,
    inPlaceRows: isInWorker ? undefined : everything,
  });
  const append = recorder.append.bind(recorder);
  const live = new LiveState(
    // Nobody listens: the summary of a client that changed is measured by itself.
    {
      clock: { ...clock, setTimeout: () => ({ cancel: () => undefined }) },
      append,
      publish: () => undefined,
      freshnessOf,
    },
    { world: new Map(), newestSeq: 0 },
  );
  const rows = new ClientRows({ live, freshnessOf });
  const past = new ClientAtCache({ clock, recorder, findToday: (id) => live.world.get(id) });
  const subjects = new ClientSubjects({
    clock,
    live,
    rows,
    past,
    freshnessOf,
    findSettings: () => noSettings,
  });
  const pages = new ResourcePages();
  const source = reader.open();
  const keepPace = (): Promise<void> => recorder.keepPace();
  const pollers = createCsdsThread({ redactionKey, clock, keepPace });
  const reported = new RowsReported((emission) => live.observe(emission));
  const askPeer = async ({ child, target }: Peer, round: number): Promise<void> => {
    const all = reported.reached(2 * clusters + round);
    if (round > 0) child.send(round + 1);
    else {
      const setup = { target, intervalMs: 500 };
      const { observe } = reported;
      const source = { sourceId: 'bench', setup, vantage: 'csds', observe, clock } as const;
      pollers.open({ ...source, onStatus: () => undefined }).start();
    }
    await all;
  };
  const poll = async (round: number): Promise<void> => {
    if (peer !== undefined) return askPeer(peer, round);
    const answer = answers[round];
    if (answer === undefined) throw new Error('an answer for each round');
    const compare = { sourceId: 'bench', at: clock.now(), side: 'auto' } as const;
    const { news, accept } = await source.read(answer, { excludesContents: false, compare });
    accept();
    if (news.kind === 'complete') for (const emission of news.emissions) live.observe(emission);
  };
  const draw = async (): Promise<void> => {
    const [clientId = ''] = live.world.keys();
    await graphs.build(
      clientId,
      { list: clientId, rows: async () => (await rows.find(clientId))?.rows ?? [] },
      {},
    );
  };
  const measured: Record<string, { blockMs: number; tookMs: number }> = {};
  const ask = async (query: object): Promise<void> => {
    const [clientId = ''] = live.world.keys();
    const subject = await subjects.find(clientId, undefined);
    const page = await pages.find(subject?.rows ?? [], resourcesQuery.parse({ limit: 200, ...query }));
    if (page.total !== 2 * clusters) throw new Error(`bench: expected all rows, got ${page.total}`);
  };
  const note = async (step: string, work: () => Promise<unknown>): Promise<void> => {
    const now = await watchLoop(work);
    const before = measured[step];
    measured[step] = before === undefined || now.blockMs > before.blockMs ? now : before;
  };
  try {
    await note('csds: first answer', () => poll(0));
    await recorder.flushed();
    await note('live: what the first answer reports', async () => live.flush());
    await note('rows: first page', () => ask({}));
    await note('rows: filtered by words', () => ask({ q: 'c1 1' }));
    await note('rows: sorted by size', () => ask({ sort: '-size' }));
    await note('checkpoint: saved', () => recorder.saveCheckpoint(live.seq, live.world.values()));
    if (isWanted('graph')) await note('graph: first', draw);
    for (let round = 1; round <= rounds; round++) {
      await note('csds: one of 60,000 changed', () => poll(round));
      if (isWanted('graph')) await note('graph: after one change', draw);
      await note('live: what the change reports', async () => live.flush());
      await note('rows: after one change', () => ask({ sort: '-size' }));
    }
  } finally {
    await pollers.close();
    await reader.close();
    await graphs.close();
    await codec.close();
    await recorder.close();
    rmSync(dataDir, { recursive: true });
  }
  return measured;
}

async function compare(): Promise<void> {
  const answers = Array.from({ length: rounds + 1 }, (_, version) => answerOf(version + 1));
  const megabytes = ((answers[0]?.length ?? 0) / 1e6).toFixed(1);
  process.stdout.write(
    `one client, ${2 * clusters} resources, ${megabytes} MB: longest block of the event loop\n`,
  );
  const inPlace = await measure(answers, undefined);
  const peer = await startPeer();
  const inWorker = await measure(answers, peer).finally(() => peer.child.kill());
  for (const [step, place] of Object.entries(inPlace)) {
    const worker = inWorker[step];
    if (worker === undefined || (step.startsWith('csds') && !isWanted('csds'))) continue;
    const ratio = (place.blockMs / worker.blockMs).toFixed(1);
    process.stdout.write(
      `${step.padEnd(34)} in place ${place.blockMs.toFixed(0).padStart(6)} ms   threads ${worker.blockMs.toFixed(0).padStart(5)} ms (took ${worker.tookMs.toFixed(0)} ms)   ${ratio} x\n`,
    );
  }
}

if (childTask() === 'peer') await servePeer();
else await compare();
