import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS, LDS, RDS, VHDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { everythingOffered, type ProbeSettings } from '@/server/collect/xds/probe/probe-settings';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import type { Resource } from '@/server/lab/management-server/snapshot-store';
import { systemClock } from '@/server/observe';
import { clusterOf, endpointsOf, listenerOf, responseOf, routeOf } from '../../../support/builders/xds-wire';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { type ProbeStory, probeStory, resourceOf, until } from '../../../support/xds-probe-story';

const shop = [
  resourceOf('shop', listenerOf('shop', 'shop-routes')),
  resourceOf('shop-routes', routeOf('shop-routes', 'cart', 'books')),
  resourceOf('cart', clusterOf('cart', 'cart-endpoints')),
  resourceOf('books', clusterOf('books')),
  resourceOf('cart-endpoints', endpointsOf('cart-endpoints')),
  resourceOf('books', endpointsOf('books', 3)),
];
const typeUrls = [LDS, RDS, CDS, EDS].map(({ typeUrl }) => typeUrl);

describe('a probe by any transport', () => {
  let dir: string;
  let stories: ProbeStory[];
  let server: ManagementServer;
  let closers: (() => Promise<void>)[];

  beforeEach(() => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'probe-transports-'));
    stories = [];
    closers = [];
    server = new ManagementServer({ clock: systemClock });
  });

  afterEach(async () => {
    await Promise.all(stories.map(({ probe }) => probe.close()));
    await Promise.all(closers.map((close) => close()));
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  });

  function start(target: string, settings: Partial<ProbeSettings>): ProbeStory {
    const story = probeStory({ target, clock: systemClock, settings: { refreshDelayMs: 20, ...settings } });
    stories.push(story);
    story.probe.start();
    return story;
  }

  async function restTarget(protoNames: boolean): Promise<string> {
    const front = server.restFront({ protoNames });
    closers.push(() => front.close());
    return front.listen();
  }

  /** Moves one file for each type to its path. */
  function writeFiles(
    resources: readonly Resource[],
    format: 'pb' | 'json',
    version: string,
  ): ProbeSettings['files'] {
    const codec = createCodec({ redactionKey: new Uint8Array(32) });
    return new Map(
      typeUrls.map((typeUrl) => {
        const ours = resources.filter((each) => each.typeUrl === typeUrl);
        const file = path.join(dir, `${typeUrl.split('.').at(-1)}.${format}`);
        const anys = ours.map(({ bytes }) => ({ type_url: typeUrl, value: bytes }));
        const json = {
          version_info: version,
          resources: ours.map(({ bytes }) => ({
            '@type': typeUrl,
            ...Object(codec.decode(typeUrl, bytes).json),
          })),
        };
        const content =
          format === 'pb'
            ? responseOf({ typeUrl, versionInfo: version, nonce: '', resources: anys })
            : JSON.stringify(json);
        writeFileSync(`${file}.next`, content);
        renameSync(`${file}.next`, file);
        return [typeUrl, { path: file, watchedDirectory: null }];
      }),
    );
  }

  /** The type, name, version, status and hash of each row. */
  function rows(story: ProbeStory): string[] {
    const held = new Map<string, string>();
    for (const each of story.reported) {
      if (!('changed' in each)) continue;
      for (const { typeUrl, name } of each.removed) held.delete(`${typeUrl} ${name}`);
      for (const { typeUrl, name, versionInfo, clientStatus, hash } of each.changed) {
        held.set(`${typeUrl} ${name}`, `${versionInfo} ${clientStatus} ${hash}`);
      }
    }
    return [...held].map(([key, value]) => `${key}: ${value}`).sort();
  }

  test('has the same rows over ADS, REST and files, before and after a change', async () => {
    server.setResources('*', shop, 'v1');
    const ads = await server.listen();
    const probes = [
      start(ads, { transport: 'ads' }),
      start(ads, { transport: 'sotw' }),
      start(await restTarget(false), { transport: 'rest' }),
      start(await restTarget(true), { transport: 'rest' }),
      start('binary:1', { transport: 'file', files: writeFiles(shop, 'pb', 'v1') }),
      start('text:1', { transport: 'file', files: writeFiles(shop, 'json', 'v1') }),
    ];
    const expectSame = (count: number): Promise<void> =>
      until(() => {
        const [first = [], ...others] = probes.map(rows);
        expect(first).toHaveLength(count);
        expect(first.every((row) => row.includes(' ACKED '))).toBe(true);
        for (const other of others) expect(other).toEqual(first);
      });
    await expectSame(shop.length);

    const changed = shop
      .filter(({ typeUrl, name }) => !(typeUrl === CDS.typeUrl && name === 'books'))
      .map((each) =>
        each.name === 'shop-routes' ? resourceOf('shop-routes', routeOf('shop-routes', 'cart')) : each,
      );
    server.setResources('*', changed, 'v2');
    writeFiles(changed, 'pb', 'v2');
    writeFiles(changed, 'json', 'v2');
    // The cluster is deleted, and its endpoints are unsubscribed.
    await until(() => expect(rows(probes[0] as ProbeStory)).toHaveLength(4));
    await expectSame(4);
    // Without clusters, no endpoints are wanted.
    const bare = changed.filter(({ typeUrl }) => typeUrl !== CDS.typeUrl);
    server.setResources('*', bare, 'v3');
    writeFiles(bare, 'pb', 'v3');
    writeFiles(bare, 'json', 'v3');
    await expectSame(2);
    for (const { probe } of probes) expect(probe.status).toMatchObject({ state: 'up', problem: null });
  });

  test('rejects an invalid file with the reason, and keeps all rows', async () => {
    const files = writeFiles(shop, 'json', 'v1');
    const story = start('files:1', { transport: 'file', files });
    await until(() => expect(rows(story)).toHaveLength(shop.length));
    await until(() => expect(rows(story).every((row) => row.includes(' ACKED '))).toBe(true));
    const before = rows(story);
    const { path: file } = files.get(CDS.typeUrl) ?? { path: '' };
    writeFileSync(`${file}.next`, '{"resources": [');
    renameSync(`${file}.next`, file);
    const nack = await story.nth('nack-sent', 1);
    expect(nack).toMatchObject({ typeUrl: CDS.typeUrl, versionInfo: 'v1', changed: [], removed: [] });
    expect(nack.errorDetail).toContain(`${file}: expected a DiscoveryResponse as JSON`);
    expect(rows(story)).toEqual(before);
  });

  test('notes a rejection until a valid response', async () => {
    const file = path.join(dir, 'Cluster.json');
    mkdirSync(file);
    const files = new Map([[CDS.typeUrl, { path: file, watchedDirectory: null }]]);
    const interest = { ...everythingOffered, wildcard: false, resources: new Map([[CDS.typeUrl, ['*']]]) };
    const story = start('files:1', { transport: 'file', files, interest });
    await until(() =>
      expect(story.probe.status.notes).toEqual([`CDS: NACKed: ${file}: expected a file, got a directory`]),
    );
    rmSync(file, { recursive: true });
    writeFiles([resourceOf('cart', clusterOf('cart'))], 'json', 'v1');
    await until(() => expect(story.statuses()).toMatchObject({ 'Cluster cart': 'ACKED' }));
    expect(story.probe.status.notes.join()).not.toContain('CDS');
  });

  test('reports a missing file until it exists', async () => {
    const files = new Map([[CDS.typeUrl, { path: path.join(dir, 'Cluster.json'), watchedDirectory: null }]]);
    const interest = { ...everythingOffered, wildcard: false, resources: new Map([[CDS.typeUrl, ['*']]]) };
    const story = start('files:1', { transport: 'file', files, interest });
    await until(() => expect(story.probe.status.state).toBe('down'));
    expect(story.probe.status.problem?.message).toContain(
      'expected a file with a DiscoveryResponse, got none',
    );
    writeFiles([resourceOf('cart', clusterOf('cart'))], 'json', 'v1');
    await until(() => expect(story.probe.status).toMatchObject({ state: 'up', problem: null }));
    // The status is reported with the response, the row with the ACK.
    await until(() => expect(story.statuses()).toMatchObject({ 'Cluster cart': 'ACKED' }));
    // The cluster references endpoints, for which there is no file.
    await until(() =>
      expect(story.probe.status.notes.join()).toContain(
        'EDS: expected a file for this type, got none in the settings',
      ),
    );
  });

  test('is up again when a REST server restarts with the same resources', async () => {
    const clock = new ManualClock();
    server.setResources('*', shop, 'v1');
    const front = server.restFront();
    const target = await front.listen();
    const story = probeStory({ target, clock, settings: { transport: 'rest' } });
    stories.push(story);
    story.probe.start();
    await until(() => expect(rows(story).filter((row) => row.includes(' ACKED '))).toHaveLength(shop.length));
    expect(story.of('stream-opened').map(({ method }) => method)).toContain(
      `POST http://${target}/v3/discovery:listeners`,
    );
    await front.close();
    await until(() => {
      clock.advance(1_500);
      expect(story.probe.status.state).toBe('down');
    });
    expect(story.probe.status.problem?.message).toBe(`${target}: connection refused, nothing listens there`);
    expect(story.of('source-down')).toHaveLength(1);
    const again = server.restFront();
    closers.push(() => again.close());
    await again.listen(Number(target.split(':')[1]));
    await until(() => {
      clock.advance(1_000);
      expect(story.probe.status).toMatchObject({ state: 'up', problem: null });
    });
  });

  test('notes a type that the transport cannot request', async () => {
    const front = server.restFront();
    closers.push(() => front.close());
    const resources = new Map([
      [VHDS.typeUrl, ['routes/host']],
      [CDS.typeUrl, ['cart']],
    ]);
    const interest = { ...everythingOffered, wildcard: false, resources };
    const story = start(await front.listen(), { transport: 'rest', interest });
    server.setResources('*', [resourceOf('cart', clusterOf('cart'))], 'v1');
    await until(() => expect(story.statuses()).toMatchObject({ 'Cluster cart': 'ACKED' }));
    expect(story.probe.status).toMatchObject({ state: 'up' });
    expect(story.probe.status.notes.join()).toContain('VHDS: expected a type that can be polled');
  });

  test('notes unknown members of JSON, and does not reject them', async () => {
    const front = server.restFront({
      script: ({ typeUrl }) => ({
        status: 200,
        body: JSON.stringify({
          versionInfo: 'v1',
          resources: typeUrl === CDS.typeUrl ? [{ '@type': typeUrl, name: 'cart', fromTheFuture: 1 }] : [],
        }),
      }),
    });
    closers.push(() => front.close());
    const story = start(await front.listen(), { transport: 'rest' });
    await until(() => expect(story.statuses()).toEqual({ 'Cluster cart': 'ACKED' }));
    expect(story.probe.status.notes).toContain(
      'CDS: resources[0] "cart": fromTheFuture: Cluster has no field "fromTheFuture"; left out',
    );
    expect(story.of('nack-sent')).toEqual([]);
  });
});
