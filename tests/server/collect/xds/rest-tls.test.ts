import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerOptions as TlsOptions } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { RestChannel } from '@/server/collect/xds/rest/rest-channel';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import type { RestFront } from '@/server/lab/management-server/rest-front';
import { plainServer, type ServerConfig } from '@/server/transport/bootstrap/server-config';
import { defaultTls } from '@/server/transport/grpc/credentials-config';
import { everything } from '../../../support/builders/subscriptions';
import { clusterOf } from '../../../support/builders/xds-wire';
import { type ChannelStory, channelStory } from '../../../support/channel-story';
import { channelNode } from '../../../support/grpc-channel-story';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { TestAuthority } from '../../../support/test-certificates';
import { resourceOf, targetOf, until } from '../../../support/xds-probe-story';

describe('a REST channel over TLS', () => {
  const authority = new TestAuthority();
  const serverPair = authority.issue({ ip: [127, 0, 0, 1] });
  let dir: string;
  let clock: ManualClock;
  let server: ManagementServer;
  let front: RestFront;
  let target: string;
  let story: ChannelStory;
  let problems: readonly string[];

  const write = (name: string, content: string): string => {
    const file = path.join(dir, name);
    writeFileSync(file, content);
    return file;
  };

  beforeEach(() => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'rest-tls-'));
    clock = new ManualClock(Date.now());
    server = new ManagementServer({ clock });
    server.setResources('*', [resourceOf('cart', clusterOf('cart'))]);
    problems = [];
  });

  afterEach(async () => {
    await story.channel.stop();
    await front.close();
    await server.close();
    rmSync(dir, { recursive: true });
    expect(clock.waiting).toBe(0);
  });

  async function listen(tls?: TlsOptions): Promise<void> {
    front = server.restFront(tls === undefined ? {} : { tls });
    target = await front.listen();
  }

  function start(config: Partial<ServerConfig>): void {
    story = channelStory(
      (handler, codec) =>
        new RestChannel(
          {
            server: {
              ...plainServer(targetOf(target)),
              credentials: { ...defaultTls, caCertificateFile: path.join(dir, 'ca.pem') },
              ...config,
            },
            apiVersion: 'v3',
            node: channelNode,
            codec,
            clock,
            random: () => 0.5,
            nextStreamId: () => 'stream',
            connectTimeoutMs: 10_000,
            refreshDelayMs: 1_000,
            maxMessageBytes: 1_000_000,
            onCredentialProblems: (now) => {
              problems = now;
            },
          },
          handler,
        ),
    );
    story.channel.start();
    story.channel.subscribe(CDS.typeUrl, everything);
  }

  const plainTls = { cert: serverPair.certificate, key: serverPair.key };

  test('verifies the server with the configured authority, and sends a token that it reads for each poll', async () => {
    await listen(plainTls);
    write('ca.pem', authority.certificate);
    const expiresAtS = Math.floor(clock.now() / 1_000) + 3_600;
    const token = (subject: string): string =>
      ['{}', JSON.stringify({ sub: subject, exp: expiresAtS }), 'signature']
        .map((part) => Buffer.from(part).toString('base64url'))
        .join('.');
    const file = write('token', token('first'));
    start({ callCredentials: [{ kind: 'jwt_token_file', file }] });
    expect((await story.nth(1)).names).toEqual(['cart']);
    expect(story.opened[0]?.method).toBe(`POST https://${target}/v3/discovery:clusters`);
    write('token', token('second'));
    story.channel.subscribe(LDS.typeUrl, everything);
    await until(() => expect(front.polls).toHaveLength(2));
    expect(front.polls.map(({ authorization }) => authorization)).toEqual([
      `Bearer ${token('first')}`,
      `Bearer ${token('second')}`,
    ]);
  });

  test('sends no token in plain text', async () => {
    await listen();
    const file = write('token', 'hunter2');
    start({ credentials: { kind: 'insecure' }, callCredentials: [{ kind: 'jwt_token_file', file }] });
    await story.nth(1);
    expect(front.polls[0]?.authorization).toBeUndefined();
  });

  test('sends its certificate to a server that requires one', async () => {
    await listen({ ...plainTls, ca: authority.certificate, requestCert: true, rejectUnauthorized: true });
    const client = authority.issue({ name: 'probe' });
    start({
      credentials: {
        ...defaultTls,
        caCertificateFile: write('ca.pem', authority.certificate),
        certificateFile: write('cert.pem', client.certificate),
        privateKeyFile: write('key.pem', client.key),
      },
    });
    expect((await story.nth(1)).names).toEqual(['cart']);
  });

  test('explains an untrusted certificate, and polls again with the corrected file', async () => {
    await listen(plainTls);
    write('ca.pem', new TestAuthority('another one').certificate);
    start({});
    const end = await story.nthClosed(1);
    expect(await end.explain()).toMatchObject({ code: 'TLS_UNKNOWN_CA' });
    write('ca.pem', authority.certificate);
    // The file is read again every ten minutes.
    clock.advance(600_000);
    await until(() => {
      clock.advance(1_000);
      expect(story.responses.length).toBeGreaterThan(0);
    });
  });

  test('explains a missing file', async () => {
    await listen(plainTls);
    start({});
    const end = await story.nthClosed(1);
    const problem = await end.explain();
    expect({ code: end.code, problem: problem?.code }).toEqual({
      code: 'UNAUTHENTICATED',
      problem: 'CREDENTIALS',
    });
    expect(problem?.message).toContain('expected a readable CA certificate file of at most 4 MiB, got none');
    expect(problems).toHaveLength(1);
  });

  test('explains a server without TLS', async () => {
    await listen();
    write('ca.pem', authority.certificate);
    start({});
    const end = await story.nthClosed(1);
    expect(await end.explain()).toMatchObject({ code: 'PLAIN_TEXT_EXPECTED' });
  });
});
