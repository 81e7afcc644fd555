import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { CDS } from '@/lib/xds/resource-type';
import { checkDescriptorSet } from '@/server/codec/descriptor-sets/check-descriptor-set';
import { Collector, type CollectorOptions } from '@/server/collect/collector/collector';
import { defaultProbeSettings, type ProbeSettings } from '@/server/collect/xds/probe/probe-settings';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { type Body, systemClock } from '@/server/observe';
import { builtProgram } from '@/server/project-root';
import type { RunningSource, SourceStatus } from '@/server/source-status';
import type { CollectorSetups } from '@/server/sources/collector-program';
import { plainServer } from '@/server/transport/bootstrap/server-config';
import { acmeFilterSet } from '../../../../support/builders/descriptor-set';
import { clusterOf } from '../../../../support/builders/xds-wire';
import { ManualClock } from '../../../../support/recorder-manual-clock';
import { probeNodeId, resourceOf, targetOf, until } from '../../../../support/xds-probe-story';

/** A worker program that runs the collector and exits when the file exists. */
function programThatEndsAt(file: string): string {
  return [
    `import ${JSON.stringify(builtProgram('collector'))};`,
    `import { watchFile, existsSync } from 'node:fs';`,
    `watchFile(${JSON.stringify(file)}, { interval: 5 }, () => existsSync(${JSON.stringify(file)}) && process.exit(3));`,
  ].join('\n');
}

describe('a probe in a collector', () => {
  let dir: string;
  let server: ManagementServer;
  let target: string;
  let collector: Collector<CollectorSetups>;
  let reported: Observation[];
  let bodies: Body[];
  let statuses: SourceStatus[];
  const clock = new ManualClock();

  beforeEach(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'xdscope-probe-thread-'));
    server = new ManagementServer({ clock: systemClock });
    target = await server.listen();
    reported = [];
    bodies = [];
    statuses = [];
  });

  afterEach(async () => {
    await collector.close();
    await server.close();
    rmSync(dir, { recursive: true });
  });

  function collectorOf(options: Partial<CollectorOptions> = {}): Collector<CollectorSetups> {
    collector = new Collector({
      redactionKey: new Uint8Array(32),
      clock,
      keepPace: async () => {},
      ...options,
    });
    return collector;
  }

  function open(settings: Partial<ProbeSettings> = {}): RunningSource {
    const probe = collector.open('ads', {
      sourceId: 'probe-1',
      vantage: 'probe',
      setup: {
        settings: { ...defaultProbeSettings(plainServer(targetOf(target))), ...settings },
        node: {
          id: probeNodeId,
          cluster: '',
          locality: null,
          metadata: {},
          userAgentName: 'xdscope',
          userAgentVersion: '',
        },
      },
      clock,
      observe: (emission) => {
        reported.push(emission.observation);
        bodies.push(...emission.bodies);
      },
      onStatus: (status) => statuses.push(status),
    });
    probe.start();
    return probe;
  }

  function offer(count: number): void {
    const resources = Array.from({ length: count }, (_, index) => clusterOf(`c${index}`)).map((any, index) =>
      resourceOf(`c${index}`, any),
    );
    server.setResources('*', resources);
  }

  const clustersAcked = (): string[] =>
    reported
      .flatMap((each) => (each.kind === 'ack-sent' ? each.changed : []))
      .flatMap(({ typeUrl, name }) => (typeUrl === CDS.typeUrl ? [name] : []));

  const kinds = (): string[] => reported.map(({ kind }) => kind);

  test('reports a large response in order and in parts, with each body complete', async () => {
    offer(1_700);
    collectorOf();
    const probe = open();
    await until(() => expect(clustersAcked()).toHaveLength(1_700));
    expect(kinds().slice(0, 1)).toEqual(['stream-opened']);
    const parts = reported.filter(
      (each) => each.kind === 'response-received' && each.typeUrl === CDS.typeUrl,
    );
    expect(parts.map(({ part }) => part?.number)).toEqual([1, 2, 3, 4]);
    const firstAck = reported.findIndex((each) => each.kind === 'ack-sent' && each.typeUrl === CDS.typeUrl);
    expect(reported.lastIndexOf(parts.at(-1) ?? expect.fail('no response'))).toBeLessThan(firstAck);
    expect(clustersAcked()).toEqual(Array.from({ length: 1_700 }, (_, index) => `c${index}`));
    expect(new Set(bodies.map(({ hash }) => hash)).size).toBe(1_700);
    for (const { hash, bytes } of bodies) {
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
      expect(bytes.buffer.byteLength).toBeLessThan(1024 * 1024);
    }
    expect(probe.status).toMatchObject({ state: 'up', problem: null });
  });

  test('reports nothing more until the previous reports are stored', async () => {
    offer(1);
    let isWaiting = false;
    let store = (): void => undefined;
    const isStored = new Promise<void>((resolve) => {
      store = resolve;
    });
    const keepPace = (): Promise<void> => {
      isWaiting = true;
      return isStored;
    };
    collectorOf({ keepPace });
    open();
    await until(() => expect(isWaiting).toBe(true));
    expect(clustersAcked()).toEqual([]);
    store();
    await until(() => expect(clustersAcked()).toEqual(['c0']));
  });

  test('pause sets the status at once and ends the stream, and resume opens another', async () => {
    offer(1);
    collectorOf();
    const probe = open();
    await until(() => expect(probe.status.state).toBe('up'));
    probe.pause();
    expect(probe.status).toMatchObject({ state: 'paused', clients: new Map() });
    await until(() => expect(kinds()).toContain('stream-closed'));
    expect(probe.status.state).toBe('paused');
    probe.resume();
    await until(() => expect(probe.status.state).toBe('up'));
    expect(kinds().filter((kind) => kind === 'stream-opened')).toHaveLength(2);
  });

  test('a probe that is paused before start opens no stream', async () => {
    offer(1);
    collectorOf();
    const other = open();
    const probe = open();
    probe.pause();
    probe.start();
    await until(() => expect(other.status.state).toBe('up'));
    expect(probe.status.state).toBe('paused');
  });

  test('a running thread decodes types that users add', async () => {
    const typeUrl = 'type.googleapis.com/acme.v1.Filter';
    const filterOf = (name: string) =>
      resourceOf('f', { type_url: typeUrl, value: Buffer.from([10, 1, name.charCodeAt(0)]) });
    const statuses = (): string[] =>
      reported
        .flatMap((each) => ('changed' in each ? each.changed : []))
        .flatMap((row) => (row.typeUrl === typeUrl ? [row.clientStatus] : []));
    server.setResources('*', [filterOf('a')]);
    collectorOf();
    const resources = new Map([[typeUrl, ['f', 'a', 'b']]]);
    const probe = open({ interest: { wildcard: false, listeners: [], resources } });
    // The name of a resource whose type is not known cannot be read.
    await until(() => expect(probe.status.notes.join()).toContain('"": 3 bytes do not decode'));
    expect(new Set(statuses())).toEqual(new Set(['REQUESTED']));
    const checked = checkDescriptorSet(acmeFilterSet);
    if (!checked.ok) throw new Error(checked.reason);
    collector.setUserTypes(checked.types);
    server.setResources('*', [filterOf('b')]);
    await until(() => expect(statuses()).toContain('ACKED'));
  });

  test('when the thread ends, each probe reports it and continues in a new thread', async () => {
    offer(2);
    const end = path.join(dir, 'end');
    const workerProgram = path.join(dir, 'collector.mjs');
    writeFileSync(workerProgram, programThatEndsAt(end));
    collectorOf({ workerProgram });
    const probe = open();
    await until(() => expect(kinds()).toContain('ack-sent'));
    writeFileSync(end, '');
    await until(() => expect(probe.status.state).toBe('down'));
    expect(probe.status.problem?.message).toBe('the collector failed: the worker ended with exit code 3');
    expect(reported.at(-2)).toMatchObject({ kind: 'stream-closed', code: 'INTERNAL', hadResponse: true });
    expect(reported.at(-1)).toMatchObject({ kind: 'source-down' });
    rmSync(end);
    const before = reported.length;
    clock.advance(1_000);
    await until(() => expect(probe.status.state).toBe('up'));
    await until(() => expect(kinds().slice(before)).toContain('ack-sent'));
    expect(reported.slice(before).find(({ kind }) => kind === 'stream-opened')).toMatchObject({
      cacheEmpty: true,
    });
  });

  test('a thread that exceeds its heap limit is reported with the limit', async () => {
    offer(8_000);
    collectorOf({ maxHeapMb: 24 });
    const probe = open();
    await until(() => expect(probe.status.state).toBe('down'));
    expect(probe.status.problem?.message).toContain('it needs more than 24 MB of heap');
  });

  test('a probe can be closed after its thread has ended', async () => {
    const workerProgram = path.join(dir, 'none.mjs');
    collectorOf({ workerProgram });
    const probe = open();
    await until(() => expect(probe.status.state).toBe('down'));
    await probe.close();
    await collector.close();
  });
});
