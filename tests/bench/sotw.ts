import { fork } from 'node:child_process';
import { on } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { EDS } from '@/lib/xds/resource-type';
import { Collector } from '@/server/collect/collector/collector';
import { defaultProbeSettings } from '@/server/collect/xds/probe/probe-settings';
import { LiveState } from '@/server/live/live-state';
import { StreamHub } from '@/server/live/streaming/stream-hub';
import { type Observe, systemClock } from '@/server/observe';
import type { CollectorSetups } from '@/server/sources/collector-program';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import { plainServer } from '@/server/transport/bootstrap/server-config';
import { grpcFrame } from '../support/builders/grpc-frame';
import { childTask, peakMb } from './in-own-process';
import { type Measured, measure, median, pause, print, tempDir, verdict } from './measure';
import { endpointsResponse } from './mesh-responses';

const size = { clusters: 100_000, endpoints: { min: 11, max: 11 } };
const rounds = 5;
const aims = { changeMs: 150, memoryMb: 400, blockMs: 50 };

type ResponseUpdate = { readonly port: number; readonly megabytes: number } | { readonly sentAt: number };

/** Milliseconds since 1970, which can be compared between processes. */
const nowMs = (): number => performance.timeOrigin + performance.now();

/**
 * The program of the management server. It sends a response that was encoded before to the first request, and after
 * each message of the parent all resources again with one changed. It reports when all bytes were written.
 */
async function serve(): Promise<void> {
  const post = (news: ResponseUpdate): void => {
    process.send?.(news);
  };
  const first = endpointsResponse(size);
  const changed = [endpointsResponse(size, 2), endpointsResponse(size, 3)].map((each) => grpcFrame(each));
  let open: ServerHttp2Stream | undefined;
  const send = (frame: Buffer): void => {
    open?.write(frame, () => post({ sentAt: nowMs() }));
  };
  const server = createServer();
  server.on('stream', (stream) => {
    open = stream;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
    stream.on('error', () => undefined);
    stream.once('data', () => send(grpcFrame(first)));
    stream.resume();
  });
  let sent = 0;
  process.on('message', () => send(changed[sent++ % changed.length] ?? Buffer.alloc(0)));
  server.listen(0, '127.0.0.1', () => {
    post({ port: (server.address() as AddressInfo).port, megabytes: first.length / 1e6 });
  });
}

const rssMb = (): number => process.memoryUsage.rss() / 2 ** 20;

async function measureProbe(): Promise<void> {
  const server = fork(process.argv[1] ?? '', ['--child=server'], {
    execArgv: ['--max-old-space-size=4096'],
  });
  const news = on(server, 'message');
  const next = async (): Promise<ResponseUpdate> => (await news.next()).value[0];
  const begun = await next();
  if (!('port' in begun)) throw new Error('bench: expected a port');
  const clock = systemClock;
  const recorder = await openRecorder({
    dataDir: tempDir(),
    clock,
    retention: { maxAgeMs: 1e12, maxBytes: 1e12 },
  });
  const hub = new StreamHub({ clock });
  const live = new LiveState(
    {
      clock,
      append: recorder.append.bind(recorder),
      publish: (notice) => hub.publish(notice),
      freshnessOf: () => ({ freshness: 'live', reason: '', lastSeenAt: 1 }),
    },
    { world: new Map(), newestSeq: 0 },
  );
  const keepPace = (): Promise<void> => recorder.keepPace();
  const collector = new Collector<CollectorSetups>({
    redactionKey: Buffer.from('bench'),
    clock,
    keepPace,
  });
  let rows = 0;
  let onRow = (_total: number): void => undefined;
  const observe: Observe = (emission) => {
    live.observe(emission);
    const { observation } = emission;
    if (observation.kind !== 'ack-sent') return;
    rows += observation.changed.length;
    onRow(rows);
  };
  const reached = (total: number): Promise<number> =>
    new Promise((resolve) => {
      onRow = (now) => {
        if (now >= total) resolve(nowMs());
      };
    });
  const { port, megabytes } = begun;
  const target = { host: '127.0.0.1', port, text: `127.0.0.1:${port}` };
  const settings = {
    ...defaultProbeSettings(plainServer(target)),
    interest: { wildcard: false, listeners: [], resources: new Map([[EDS.typeUrl, ['*']]]) },
  };
  const idleMb = rssMb();
  print(
    `one state-of-the-world answer of ${size.clusters} resources, ${megabytes.toFixed(0)} MB, over loopback from another process`,
  );
  try {
    const node = { id: 'bench', cluster: '', locality: null, metadata: {} };
    const setup = { node: { ...node, userAgentName: '', userAgentVersion: '' }, settings };
    const common = { setup, vantage: 'probe', clock, observe } as const;
    const load = await measure(async () => {
      const all = reached(size.clusters);
      collector.open('ads', { ...common, sourceId: 'bench', onStatus: () => undefined }).start();
      await all;
      await recorder.flushed();
      await pause(500);
    });
    print(
      `  first load       took ${load.wallMs.toFixed(0)} ms (until stored), ${load.cpuMs.toFixed(0)} ms of the processor, the main thread busy for ${load.busyMs.toFixed(0)} ms   longest block of the main thread ${verdict(load.blockMs, aims.blockMs, 'ms')}   memory ${idleMb.toFixed(0)} MB before, peak ${verdict(peakMb(), aims.memoryMb, 'MB')}`,
    );
    await next();
    await pause(5_000);
    print(`  settled          memory ${rssMb().toFixed(0)} MB`);
    const tookMs: number[] = [];
    const blocks: Measured<void>[] = [];
    let mostMb = 0;
    for (let round = 0; round < rounds; round++) {
      const watched = await measure(async () => {
        const sampling = setInterval(() => {
          mostMb = Math.max(mostMb, rssMb());
        }, 2);
        const change = reached(rows + 1);
        server.send('change');
        const at = await change;
        const sent = await next();
        if ('sentAt' in sent) tookMs.push(at - sent.sentAt);
        await pause(500);
        clearInterval(sampling);
      });
      blocks.push(watched);
      await pause(1_000);
    }
    const [longest] = blocks.sort((a, b) => b.blockMs - a.blockMs);
    print(
      `  one changed      last byte written -> change event: median ${verdict(median(tookMs), aims.changeMs, 'ms')}, each ${tookMs.map((each) => each.toFixed(0)).join(', ')}   longest block ${verdict(longest?.blockMs ?? 0, aims.blockMs, 'ms')}   memory while it comes ${verdict(mostMb, aims.memoryMb, 'MB')}`,
    );
    await pause(5_000);
    print(
      `  settled          memory ${verdict(rssMb(), aims.memoryMb, 'MB')}, peak of all ${verdict(peakMb(), aims.memoryMb, 'MB')}`,
    );
  } finally {
    await collector.close();
    hub.close();
    await recorder.close();
    server.kill();
  }
}

await (childTask() === 'server' ? serve() : measureProbe());
