import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HistoryEvent } from '@/lib/views/history/schema';
import type { SourcePage } from '@/lib/views/sources/schema';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { messageType } from '@/server/codec/root';
import { lostStreamDetails } from '@/server/compose/end-lost-streams';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { everyNode } from '@/server/lab/management-server/snapshot-store';
import { systemClock } from '@/server/observe';
import { memoryMb } from '@/tests/bench/process-figures';
import { bothClients, launchReal, type RealKind } from '../../support/both-clients';
import { type TwoClusters, twoClusterMesh } from '../../support/builders/two-cluster-mesh';
import { wholeHistory } from '../../support/builders/whole-history';
import { getJson, type RunningServer, startServer } from '../../support/e2e-server';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';

const patienceMs = 120_000;

/** A management server, the tap before it, and the one client behind that tap. */
interface Line {
  readonly kind: RealKind;
  readonly origin: 'flag' | 'config';
  readonly listen: string;
  readonly upstream: string;
  readonly server: ManagementServer;
  client: ChildProcess;
}

const lines: Line[] = [];
const dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-taps-'));
let xdscope: RunningServer;
let startAgain: () => Promise<RunningServer>;

beforeAll(async () => {
  const kinds = bothClients.filter(({ isAbsent }) => !isAbsent);
  for (const origin of ['flag', 'config'] as const) {
    // Two by either way, with or without C-core.
    for (const [index, kind] of [kinds[0], kinds.at(-1)].entries()) {
      if (kind === undefined) throw new Error('expected a real client, got none');
      const server = new ManagementServer({ clock: systemClock });
      server.setResources(everyNode, twoClusterMesh());
      const upstream = await server.listen();
      const listen = `127.0.0.1:${await freePort()}`;
      const named = { ...kind, name: `${kind.name}-${origin}-${index}` };
      lines.push({ kind: named, origin, listen, upstream, server, client: launchReal(named, listen) });
    }
  }
  const by = (wanted: string) => lines.filter(({ origin }) => origin === wanted);
  const file = path.join(dir, 'mesh.yaml');
  const taps = by('config').map(({ listen, upstream }) => ({ listen, upstream, label: `to ${upstream}` }));
  writeFileSync(file, JSON.stringify({ taps }));
  const flags = by('flag').flatMap(({ listen, upstream }) => ['--tap', `${listen}=${upstream}`]);
  startAgain = () =>
    startServer(['--no-lab', '--config', file, ...flags, '--data-dir', path.join(dir, 'data')]);
  xdscope = await startAgain();
});

afterAll(async () => {
  for (const { client, server } of lines) {
    client.kill('SIGKILL');
    await server.close();
  }
  await xdscope?.stop('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

/** Returns the events of one client's discovery; these servers end streams of load reports at once. */
async function discoveryOf({ kind }: Line): Promise<HistoryEvent[]> {
  const all = (await wholeHistory(xdscope.url)).filter(({ nodeId }) => nodeId === kind.name);
  const ofAds = new Set(
    all.filter(({ method }) => method === 'StreamAggregatedResources').map(({ streamId }) => streamId),
  );
  return all.filter(({ streamId }) => ofAds.has(streamId));
}

async function sources() {
  return (await getJson<SourcePage>(`${xdscope.url}/api/v1/sources`)).items;
}

const tapOf = async ({ listen }: Line) => (await sources()).find(({ tap }) => tap?.listen === listen)?.tap;
const acceptsEndpoints = (events: readonly HistoryEvent[]) =>
  events.some(({ kind, typeUrl }) => kind === 'ack-sent' && typeUrl === EDS.typeUrl);
const until = <T>(what: string, ask: () => Promise<T | undefined | false> | T | undefined | false) =>
  waitUntil(what, ask, patienceMs);

/** The clusters in a response of the server's own, whatever was answered before. */
function clusters(version: string, change: Partial<TwoClusters>): Buffer {
  const type = messageType('envoy.service.discovery.v3.DiscoveryResponse');
  const resources = twoClusterMesh(change)
    .filter(({ typeUrl }) => typeUrl === CDS.typeUrl)
    .map(({ typeUrl, bytes }) => ({ type_url: typeUrl, value: bytes }));
  const fields = { versionInfo: version, nonce: version, typeUrl: CDS.typeUrl, resources };
  return Buffer.from(type.encode(type.create(fields)).finish());
}

describe('taps of flags and of the config file in one process', () => {
  it('1. each listens for itself, and brings its clients to its own server', async () => {
    for (const line of lines) {
      await until(`${line.kind.name} has endpoints`, async () => acceptsEndpoints(await discoveryOf(line)));
      expect(line.server.connectedNodes()).toEqual([line.kind.name]);
    }
    const shown = await until('each source counts its client', async () => {
      const taps = (await sources()).filter(({ kind }) => kind === 'tap');
      return taps.every(({ clients }) => clients > 0) && taps;
    });
    expect(
      shown
        .map(({ id, origin, state, clients, tap }) => [
          id,
          origin,
          state,
          clients,
          tap?.address,
          tap?.upstream,
        ])
        .sort(),
    ).toEqual(
      lines
        .map(({ listen, upstream, origin }) => [
          `tap:${listen}=${upstream}`,
          origin,
          'up',
          1,
          listen,
          upstream,
        ])
        .sort(),
    );
    for (const line of lines) {
      const ids = new Set((await discoveryOf(line)).map(({ sourceId }) => sourceId));
      expect([...ids]).toEqual([`tap:${line.listen}=${line.upstream}`]);
    }
  });

  it('2. a client that reads nothing costs little, gets everything when it goes on, and its stream lives', async () => {
    const sent = 24;
    const paddingBytes = 3_900_000;
    const pid = xdscope.process.pid ?? 0;
    for (const line of lines.slice(0, 2)) {
      const { kind, client, server } = line;
      const answered = new Set<string>();
      const stop = server.onRequest(({ responseNonce }) => answered.add(responseNonce));
      const before = { bytesDown: (await tapOf(line))?.bytesDown ?? 0, memoryMb: memoryMb(pid, 'VmRSS') };

      // It stands still while its server sends almost 100 MB.
      client.kill('SIGSTOP');
      for (let index = 0; index < sent; index++) {
        server.pushRaw(everyNode, clusters(`large-${index}`, { maxRequests: 1_000 + index, paddingBytes }));
      }
      const taken = async () => ((await tapOf(line))?.bytesDown ?? 0) - before.bytesDown;
      await until('the tap has begun', async () => (await taken()) > 50_000);
      let last = -1;
      await until('the tap takes no more', async () => {
        const now = await taken();
        const isStill = now === last;
        last = now;
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        return isStill;
      });
      const grownMb = memoryMb(pid, 'VmRSS') - before.memoryMb;
      expect(last).toBeLessThan(8_000_000);
      expect(grownMb).toBeLessThan(64);
      expect(answered.size).toBe(0);

      // It goes on.
      client.kill('SIGCONT');
      // C-core sends only the newest ACK of a type while its connection is busy.
      await until(`${kind.title} has answered the last one`, () => answered.has(`large-${sent - 1}`));
      expect(server.connectedNodes()).toEqual([kind.name]);
      stop();
      // Recording may leave out copies of such a burst, and continues once it has caught up.
      let pushed = 0;
      await until('a later response and its ACK are recorded', async () => {
        pushed += 1;
        server.pushRaw(everyNode, clusters(`after-all-${pushed}`, { maxRequests: 2_000 + pushed }));
        const acks = (await discoveryOf(line)).filter((each) => each.kind === 'ack-sent');
        return acks.some(({ nonce }) => nonce?.startsWith('after-all-') === true);
      });
      expect((await discoveryOf(line)).filter((each) => each.kind === 'stream-closed')).toEqual([]);
    }
  });

  it('3. after kill -9 and a start every client is back by itself, and every stream has its end on record', async () => {
    const before = new Map<Line, HistoryEvent[]>();
    for (const line of lines) before.set(line, await discoveryOf(line));
    await xdscope.stop('SIGKILL');
    for (const { server } of lines)
      await until('its stream is broken', () => server.connectedNodes().length === 0);
    for (const { server } of lines) server.setResources(everyNode, twoClusterMesh({ maxRequests: 7 }));

    xdscope = await startAgain();
    for (const line of lines) {
      const { kind, server } = line;
      const old = before.get(line) ?? [];
      const opened = new Set(old.map(({ streamId }) => streamId));
      // The last answers of the old streams may be recorded after `before` was read.
      const isNew = ({ streamId }: HistoryEvent) => !opened.has(streamId);
      const after = await until(`${kind.name} takes what is new`, async () => {
        const events = await discoveryOf(line);
        const takes = events
          .filter(isNew)
          .some((each) => each.kind === 'ack-sent' && each.typeUrl === CDS.typeUrl && each.changed > 0);
        return takes && events;
      });
      expect(server.connectedNodes()).toEqual([kind.name]);
      expect(after.slice(0, old.length).map(({ seq, text }) => [seq, text])).toEqual(
        old.map(({ seq, text }) => [seq, text]),
      );
      const lost = after.filter(({ text }) => text.includes(lostStreamDetails));
      expect(lost.map(({ streamId }) => streamId).sort()).toEqual([...opened].sort());
      const fresh = after.filter((each) => isNew(each) && each.kind === 'stream-opened');
      expect(fresh.length).toBeGreaterThan(0);
      const again = after.filter(({ kind }) => kind === 'stream-opened');
      expect(new Set(again.map(({ streamId }) => streamId)).size).toBe(again.length);
    }
    expect(xdscope.output()).not.toMatch(/Rejection|uncaught|ReferenceError/);
  });
});
