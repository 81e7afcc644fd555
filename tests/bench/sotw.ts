import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EDS } from '@/lib/xds/resource-type';
import { LiveState } from '@/server/live/live-state';
import { type ObserveRouted, systemClock } from '@/server/observe';
import { openRecorder } from '@/server/recorder/open-recorder';
import { createStreamHub } from '@/server/streaming/stream-hub';
import { collectOften, keepHeapsSmall } from '@/server/threads/keep-heaps-small';
import { defaultProbeSettings } from '@/server/xds/probe/probe-settings';
import { createProbeThread } from '@/server/xds/probe/probe-thread';
import { plainServer } from '@/server/xds/stream/server-config';
import { childTask, peakMb } from './in-own-process';
import { type Measured, measure, median, pause, print, verdict } from './measure';
import { endpointsResponse } from './mesh-responses';
import { nowMs, RawAdsServer } from './raw-ads-server';

const size = { clusters: 100_000, endpoints: { min: 11, max: 11 } };
const rounds = 5;
/** What was aimed at. */
const aims = { changeMs: 150, memoryMb: 400, blockMs: 50 };

type ServerNews = { readonly port: number; readonly megabytes: number } | { readonly sentAt: number };

/** The management server, in a process of its own. Instructed to, it sends everything again with one resource changed. */
async function serve(): Promise<void> {
  const post = (news: ServerNews): void => {
    process.send?.(news);
  };
  const first = endpointsResponse(size);
  const changed = [endpointsResponse(size, 2), endpointsResponse(size, 3)];
  const server = new RawAdsServer(first, (sentAt) => post({ sentAt }));
  let sent = 0;
  process.on('message', async () => {
    const message = changed[sent++ % changed.length];
    if (message !== undefined) post({ sentAt: await server.send(message) });
  });
  post({ port: await server.listen(), megabytes: first.length / 1e6 });
}

const rssMb = (): number => process.memoryUsage.rss() / 2 ** 20;

async function measureProbe(): Promise<void> {
  keepHeapsSmall();
  collectOften();
  const server = fork(process.argv[1] ?? '', ['--child=server'], {
    execArgv: ['--max-old-space-size=4096'],
  });
  const heard: ServerNews[] = [];
  let onHeard = (): void => undefined;
  server.on('message', (news: ServerNews) => {
    heard.push(news);
    onHeard();
  });
  const next = async (): Promise<ServerNews> => {
    for (;;) {
      const news = heard.shift();
      if (news !== undefined) return news;
      await new Promise<void>((resolve) => {
        onHeard = resolve;
      });
    }
  };
  const begun = await next();
  if (!('port' in begun)) throw new Error('bench: expected a port');
  const dataDir = mkdtempSync(path.join(tmpdir(), 'xdscope-bench-'));
  const clock = systemClock;
  const recorder = await openRecorder({ dataDir, clock, retention: { maxAgeMs: 1e12, maxBytes: 1e12 } });
  const hub = createStreamHub({ clock });
  const live = new LiveState(
    {
      clock,
      append: recorder.append.bind(recorder),
      publish: (change) => hub.publish(change),
      freshnessOf: () => ({ freshness: 'live', reason: '', lastSeenAt: 1 }),
    },
    { world: new Map(), newestSeq: 0 },
  );
  const keepPace = (): Promise<void> => recorder.keepPace();
  const probes = createProbeThread({
    ...{ redactionKey: Buffer.from('bench'), clock, keepPace },
    openBodyChannel: () => recorder.openBodyChannel(),
  });
  let rows = 0;
  let onRow = (_total: number): void => undefined;
  const observe: ObserveRouted = (emission) => {
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
      probes.open({ ...common, sourceId: 'bench', onStatus: () => undefined }).start();
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
    await probes.close();
    hub.close();
    await recorder.close();
    server.kill();
    rmSync(dataDir, { recursive: true });
  }
}

await (childTask() === 'server' ? serve() : measureProbe());
