import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { FileChannel, type FileChannelOptions } from '@/server/collect/xds/file/file-channel';
import { type Clock, systemClock } from '@/server/observe';
import { everything, only } from '@/tests/support/builders/subscriptions';
import { clusterOf, endpointsOf, responseOf } from '../../../../support/builders/xds-wire';
import { type ChannelStory, channelStory } from '../../../../support/channel-story';
import { ManualClock } from '../../../../support/recorder-manual-clock';
import { until } from '../../../../support/xds-probe-story';

const never = 1e9;

describe('a file channel', () => {
  let dir: string;
  let stories: ChannelStory[];

  beforeEach(() => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'file-channel-'));
    stories = [];
  });

  afterEach(async () => {
    await Promise.all(stories.map(({ channel }) => channel.stop()));
    rmSync(dir, { recursive: true, force: true });
  });

  /** Writes clusters as YAML to a file of the directory. */
  function clusters(name: string, names: readonly string[], version?: string): string {
    const file = path.join(dir, name);
    const lines = names.flatMap((each) => [`- "@type": ${CDS.typeUrl}`, `  name: ${each}`]);
    const head = version === undefined ? [] : [`version_info: "${version}"`];
    writeFileSync(file, `${[...head, 'resources:', ...lines].join('\n')}\n`);
    return file;
  }

  /** Writes clusters to another file and moves it to `file`. */
  function move(file: string, names: readonly string[], version?: string): void {
    renameSync(clusters('next', names, version), file);
  }

  function start(
    file: string,
    options: Partial<FileChannelOptions> & {
      watchedDirectory?: string;
      clock?: Clock;
      typeUrl?: string;
    } = {},
  ): ChannelStory {
    const { watchedDirectory = null, typeUrl = CDS.typeUrl, ...more } = options;
    let streams = 0;
    const story = channelStory(
      (handler, codec) =>
        new FileChannel(
          {
            files: new Map([[typeUrl, { path: file, watchedDirectory }]]),
            apiVersion: 'v3',
            codec,
            clock: systemClock,
            nextStreamId: () => `stream-${++streams}`,
            maxMessageBytes: 1_000_000,
            debounceMs: 10,
            pollIntervalMs: never,
            ...more,
          },
          handler,
        ),
    );
    stories.push(story);
    story.channel.start();
    story.channel.subscribe(typeUrl, everything);
    return story;
  }

  test('reads the file, and another file that is moved to its path', async () => {
    // 1. The file exists at the start.
    const file = clusters('cds.yaml', ['cart'], 'v1');
    const story = start(file);
    const first = await story.nth(1);
    expect({ names: first.names, version: first.envelope.versionInfo }).toEqual({
      names: ['cart'],
      version: 'v1',
    });
    expect(story.opened).toEqual([{ streamId: 'stream-1', method: `watch ${file}`, typeUrl: CDS.typeUrl }]);
    expect(story.sent).toMatchObject([{ reason: 'subscription', resourceNames: [] }]);
    expect(story.answered).toMatchObject([{ reason: 'ack', versionInfo: 'v1' }]);
    // 2. Another file is moved to its path.
    move(file, ['cart', 'books'], 'v2');
    const second = await story.nth(2);
    expect({ names: second.names, version: second.envelope.versionInfo }).toEqual({
      names: ['cart', 'books'],
      version: 'v2',
    });
    expect(story.opened).toHaveLength(1);
    expect(story.closed).toEqual([]);
  });

  test('ignores writes to the file until another is moved to its path', async () => {
    const clock = new ManualClock();
    const file = clusters('cds.yaml', ['cart'], 'v1');
    // The other file of the channel shows that events have been handled.
    const other = path.join(dir, 'eds.pb');
    const moveOther = (version: string): void => {
      const content = responseOf({ typeUrl: EDS.typeUrl, versionInfo: version, nonce: '', resources: [] });
      writeFileSync(path.join(dir, 'next'), content);
      renameSync(path.join(dir, 'next'), other);
    };
    moveOther('e1');
    const files = new Map([
      [CDS.typeUrl, { path: file, watchedDirectory: null }],
      [EDS.typeUrl, { path: other, watchedDirectory: null }],
    ]);
    const story = start(file, { clock, pollIntervalMs: 5_000, files });
    story.channel.subscribe(EDS.typeUrl, everything);
    const versions = (): string[] => story.responses.map(({ envelope }) => envelope.versionInfo);
    await until(() => expect(versions().sort()).toEqual(['e1', 'v1']));
    // 1. The file is written to, and checked twice.
    clusters('cds.yaml', ['half-written'], 'v2');
    utimesSync(file, 1, 1);
    for (const version of ['e2', 'e3']) {
      moveOther(version);
      clock.advance(5_000);
      await until(() => {
        clock.advance(10);
        expect(versions()).toContain(version);
      });
    }
    expect(versions().sort()).toEqual(['e1', 'e2', 'e3', 'v1']);
    // 2. Only a moved file is read.
    move(file, ['books'], 'v3');
    await until(() => {
      clock.advance(10);
      expect(versions().sort()).toEqual(['e1', 'e2', 'e3', 'v1', 'v3']);
    });
  });

  test('checks the file periodically without events', async () => {
    const clock = new ManualClock();
    const file = clusters('cds.yaml', ['cart'], 'v1');
    // Only another directory is watched, in which nothing changes.
    const quiet = path.join(dir, 'quiet');
    mkdirSync(quiet);
    const story = start(file, { clock, pollIntervalMs: 5_000, watchedDirectory: quiet });
    await story.nth(1);
    clusters('cds.yaml', ['written in place'], 'v2');
    clock.advance(5_000);
    move(file, ['books'], 'v3');
    await until(() => {
      clock.advance(5_000);
      clock.advance(10);
      expect(story.responses.length).toBeGreaterThan(1);
    });
    expect(story.responses.map(({ envelope }) => envelope.versionInfo)).toEqual(['v1', 'v3']);
  });

  test('follows the links of Kubernetes if their directory is watched', async () => {
    // file -> ..data/cds.yaml, ..data -> ..1
    const mount = path.join(dir, 'mount');
    const write = (data: string, names: string[]): void => {
      mkdirSync(path.join(mount, data), { recursive: true });
      renameSync(clusters('next', names, data), path.join(mount, data, 'cds.yaml'));
    };
    const swap = (data: string): void => {
      symlinkSync(data, path.join(mount, '..data_tmp'));
      renameSync(path.join(mount, '..data_tmp'), path.join(mount, '..data'));
    };
    const file = path.join(mount, 'cds.yaml');
    write('..1', ['cart']);
    swap('..1');
    symlinkSync(path.join('..data', 'cds.yaml'), file);
    const story = start(file, { watchedDirectory: mount });
    expect((await story.nth(1)).names).toEqual(['cart']);
    write('..2', ['books']);
    swap('..2');
    rmSync(path.join(mount, '..1'), { recursive: true });
    expect((await story.nth(2)).names).toEqual(['books']);
    write('..3', ['books', 'cart']);
    swap('..3');
    expect((await story.nth(3)).names).toEqual(['books', 'cart']);
    expect(story.closed).toEqual([]);
  });

  test('a link is not followed without a watched directory, but may be replaced', async () => {
    const clock = new ManualClock();
    const data = path.join(dir, 'data');
    symlinkSync(path.basename(clusters('1.yaml', ['cart'], 'v1')), data);
    const file = path.join(dir, 'cds.yaml');
    symlinkSync('data', file);
    const story = start(file, { clock, pollIntervalMs: 5_000 });
    await story.nth(1);
    // As in Envoy, a change of its destination is ignored.
    clusters('2.yaml', ['books'], 'v2');
    symlinkSync('2.yaml', path.join(dir, 'data-tmp'));
    renameSync(path.join(dir, 'data-tmp'), data);
    clock.advance(5_000);
    // Another link at its path is a move.
    clusters('3.yaml', ['shelf'], 'v3');
    symlinkSync('3.yaml', path.join(dir, 'file-tmp'));
    renameSync(path.join(dir, 'file-tmp'), file);
    await until(() => {
      clock.advance(10);
      expect(story.responses).toHaveLength(2);
    });
    expect((await story.nth(2)).envelope.versionInfo).toBe('v3');
  });

  test.each([
    ['invalid YAML', 'resources: [', 'expected a DiscoveryResponse as YAML'],
    ['another message', 'name: x\nresources: 5', 'resources: expected a list'],
    ['an empty file', '', 'nothing: it is empty'],
  ])('%s is rejected with the reason, and the next valid file is accepted', async (_, content, reason) => {
    const file = clusters('cds.yaml', ['cart'], 'v1');
    const story = start(file);
    await story.nth(1);
    writeFileSync(path.join(dir, 'bad'), content);
    renameSync(path.join(dir, 'bad'), file);
    const { entries } = await story.nth(2);
    expect(entries).toMatchObject([{ kind: 'problem', name: null, reason: expect.stringContaining(reason) }]);
    expect(story.answered[1]).toMatchObject({
      reason: 'nack',
      versionInfo: 'v1',
      errorDetail: expect.stringContaining(`${file}: `),
    });
    move(file, ['books'], 'v3');
    expect((await story.nth(3)).names).toEqual(['books']);
    await story.channel.stop();
    expect(story.closed).toMatchObject([
      { isFailure: false, details: 'the probe was stopped (3 updates, 1 rejected)' },
    ]);
  });

  test('an invalid resource is rejected, and the others are accepted', async () => {
    const file = path.join(dir, 'cds.json');
    const resources = [
      { '@type': CDS.typeUrl, name: 'cart', connect_timeout: true },
      { '@type': CDS.typeUrl, name: 'books' },
    ];
    writeFileSync(file, JSON.stringify({ resources }));
    const story = start(file);
    expect((await story.nth(1)).entries).toMatchObject([
      { kind: 'problem', name: 'cart' },
      { kind: 'resource', name: 'books' },
    ]);
  });

  test('a missing file is a problem that is reported once, until the file exists', async () => {
    const clock = new ManualClock();
    const file = path.join(dir, 'sub', 'cds.yaml');
    const story = start(file, { clock, pollIntervalMs: 5_000 });
    // 1. Its directory is missing as well.
    const end = await story.nthClosed(1);
    expect(end).toMatchObject({ wasOpened: false, hadResponse: false, isFailure: true, retryInMs: 5_000 });
    expect(await end.explain()).toEqual({
      code: 'NOT_FOUND',
      message: `${file}: expected a file with a DiscoveryResponse, got none`,
      hint: 'It is read as soon as it exists.',
    });
    clock.advance(15_000);
    // 2. The directory and the file are created.
    mkdirSync(path.dirname(file));
    move(file, ['cart'], 'v1');
    await until(() => {
      clock.advance(5_000);
      clock.advance(10);
      expect(story.responses).toHaveLength(1);
    });
    expect(story.closed).toHaveLength(1);
    // 3. The directory is deleted and created again.
    rmSync(path.dirname(file), { recursive: true });
    await until(() => {
      clock.advance(5_000);
      expect(story.closed).toHaveLength(2);
    });
    expect(story.closed[1]).toMatchObject({
      wasOpened: true,
      hadResponse: true,
      isFailure: true,
      code: 'NOT_FOUND',
    });
    mkdirSync(path.dirname(file));
    move(file, ['books'], 'v2');
    await until(() => {
      clock.advance(5_000);
      clock.advance(10);
      expect(story.responses).toHaveLength(2);
    });
    expect(story.opened.map(({ streamId }) => streamId)).toHaveLength(2);
    await story.channel.stop();
    expect(clock.waiting).toBe(0);
  });

  test('a deleted file is reported, and read again when it is restored', async () => {
    const file = clusters('cds.yaml', ['cart'], 'v1');
    const story = start(file);
    await story.nth(1);
    unlinkSync(file);
    const end = await story.nthClosed(1);
    expect(end).toMatchObject({ code: 'NOT_FOUND', wasOpened: true, isFailure: true });
    expect(end.details).toContain('(1 updates, 0 rejected)');
    move(file, ['cart'], 'v1');
    expect((await story.nth(2)).names).toEqual(['cart']);
  });

  test('binary, text, JSON and YAML give the same bytes', async () => {
    const resources = [clusterOf('cart', 'endpoints')];
    const binary = responseOf({ typeUrl: CDS.typeUrl, versionInfo: 'v1', nonce: '', resources });
    const edsClusterConfig = { eds_config: { ads: {} }, service_name: 'endpoints' };
    const json = {
      version_info: 'v1',
      type_url: CDS.typeUrl,
      resources: [{ '@type': CDS.typeUrl, name: 'cart', type: 'EDS', eds_cluster_config: edsClusterConfig }],
    };
    const text = `version_info: "v1" type_url: "${CDS.typeUrl}"
      resources { [${CDS.typeUrl}] {
        name: "cart" type: EDS eds_cluster_config { eds_config { ads { } } service_name: "endpoints" }
      } }`;
    const yaml = `version_info: "v1"
type_url: ${CDS.typeUrl}
resources:
- "@type": ${CDS.typeUrl}
  name: cart
  type: EDS
  eds_cluster_config: {eds_config: {ads: {}}, service_name: endpoints}
`;
    const contents = {
      'a.pb': binary,
      'b.pb_text': text,
      'c.json': JSON.stringify(json),
      'd.yaml': yaml,
      e: yaml,
    };
    const reported: unknown[] = [];
    for (const [name, content] of Object.entries(contents)) {
      const file = path.join(dir, name);
      writeFileSync(file, content);
      const { envelope, names } = await start(file).nth(1);
      const bytes = Buffer.from(envelope.resources.at(0)?.value ?? []).toString('hex');
      reported.push({ names, bytes, version: envelope.versionInfo, typeUrl: envelope.typeUrl });
    }
    const bytes = Buffer.from(resources[0]?.value ?? []).toString('hex');
    const expected = { names: ['cart'], bytes, version: 'v1', typeUrl: CDS.typeUrl };
    expect(reported).toEqual(Array.from({ length: 5 }, () => expected));
  });

  test('a file without a version has the digest of its content as its version', async () => {
    const file = clusters('cds.yaml', ['cart']);
    const story = start(file);
    const first = await story.nth(1);
    move(file, ['books']);
    const second = await story.nth(2);
    move(file, ['cart']);
    const third = await story.nth(3);
    const versions = [first, second, third].map(({ envelope }) => envelope.versionInfo);
    expect(versions[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(versions[2]).toBe(versions[0]);
    expect(versions[1]).not.toBe(versions[0]);
  });

  test('many moves at once are debounced', async () => {
    const file = clusters('cds.yaml', ['cart'], 'v0');
    const story = start(file);
    await story.nth(1);
    for (let n = 1; n <= 200; n++) move(file, [`c${n}`], `v${n}`);
    await until(() => expect(story.responses.at(-1)?.envelope.versionInfo).toBe('v200'));
    expect(story.responses.length).toBeLessThan(10);
  });

  test('a file above the limit and a directory are rejected', async () => {
    const file = path.join(dir, 'cds.yaml');
    writeFileSync(file, Buffer.alloc(1_000_001, ' '));
    const large = start(file);
    expect((await large.nth(1)).entries).toMatchObject([
      { kind: 'problem', reason: `${file}: expected at most 1000000 bytes, got 1000001` },
    ]);
    const folder = start(dir);
    expect((await folder.nth(1)).entries).toMatchObject([
      { kind: 'problem', reason: `${dir}: expected a file, got a directory` },
    ]);
  });

  test('the file is read again when more names are wanted', async () => {
    const file = path.join(dir, 'eds.pb');
    const resources = [endpointsOf('a'), endpointsOf('b')];
    writeFileSync(file, responseOf({ typeUrl: EDS.typeUrl, versionInfo: 'v1', nonce: '', resources }));
    const story = start(file, { typeUrl: EDS.typeUrl });
    await story.nth(1);
    story.channel.subscribe(EDS.typeUrl, only('a'));
    story.channel.subscribe(EDS.typeUrl, only('a', 'b'));
    await story.nth(2);
    expect(story.sent.length).toBe(3);
    // The same names do not change the subscription.
    story.channel.subscribe(EDS.typeUrl, only('b', 'a'));
    // The watch ends if there are no names.
    story.channel.subscribe(EDS.typeUrl, only());
    expect(story.closed).toMatchObject([{ isFailure: false, retryInMs: null }]);
    expect(story.responses).toHaveLength(2);
  });

  test('a type without a file is reported once', async () => {
    const story = start(clusters('cds.yaml', ['cart']));
    story.channel.subscribe(LDS.typeUrl, only('a'));
    story.channel.subscribe(LDS.typeUrl, only('a', 'b'));
    await story.nth(1);
    expect(story.closed).toMatchObject([
      { typeUrl: LDS.typeUrl, wasOpened: false, isFailure: true, retryInMs: null },
    ]);
    expect((await story.closed[0]?.explain())?.message).toBe(
      'LDS: expected a file for this type, got none in the settings',
    );
  });

  test('closes its watches', async () => {
    const watches = (): number =>
      process.getActiveResourcesInfo().filter((each) => each.startsWith('FSEvent')).length;
    const before = watches();
    const file = clusters('cds.yaml', ['cart']);
    for (let n = 0; n < 20; n++) {
      const story = start(file);
      await story.nth(1);
      copyFileSync(file, path.join(dir, 'next'));
      renameSync(path.join(dir, 'next'), file);
      await story.nth(2);
      await story.channel.stop();
    }
    await until(() => expect(watches()).toBe(before));
    expect(readFileSync(file, 'utf8')).toContain('cart');
  });
});
