import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { checkBootstrap } from '@/server/transport/bootstrap/read-bootstrap';
import type { ServerConfig } from '@/server/transport/bootstrap/server-config';
import { clusterOf } from '../../../support/builders/xds-wire';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { TestAuthority } from '../../../support/test-certificates';
import { type ProbeStory, probeStory, resourceOf, targetOf, until } from '../../../support/xds-probe-story';

describe('a probe with mTLS', () => {
  const authority = new TestAuthority();
  const { certificate, key } = authority.issue({ ip: [127, 0, 0, 1] });
  let dir: string;
  let clock: ManualClock;
  let server: ManagementServer;
  let story: ProbeStory;

  const write = (name: string, content: string): string => {
    const file = path.join(dir, name);
    writeFileSync(file, content);
    return file;
  };

  beforeEach(async () => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'probe-tls-'));
    clock = new ManualClock();
    server = new ManagementServer({ clock });
    server.setResources('*', [resourceOf('cart', clusterOf('cart'))]);
  });

  afterEach(async () => {
    await story.probe.close();
    await server.close();
    rmSync(dir, { recursive: true });
  });

  async function listen(): Promise<string> {
    const serverPair = { cert_chain: Buffer.from(certificate), private_key: Buffer.from(key) };
    const credentials = ServerCredentials.createSsl(Buffer.from(authority.certificate), [serverPair], true);
    return server.listen(0, credentials);
  }

  async function start(ca: string): Promise<void> {
    const target = await listen();
    const client = authority.issue({ name: 'probe' });
    const config: ServerConfig = {
      target: targetOf(target),
      credentials: {
        kind: 'tls',
        caCertificateFile: write('ca.pem', ca),
        certificateFile: write('cert.pem', client.certificate),
        privateKeyFile: write('key.pem', client.key),
        refreshIntervalMs: 600_000,
      },
      callCredentials: [],
      features: new Set(),
    };
    story = probeStory({ target, clock, settings: { servers: [config] } });
    story.probe.start();
  }

  test('sends its certificate, and receives all resources', async () => {
    await start(authority.certificate);
    await until(() => expect(story.statuses()).toMatchObject({ 'Cluster cart': 'ACKED' }));
    expect(story.probe.status).toMatchObject({ state: 'up', problem: null, notes: [] });
  });

  test("uses the certificates that stand in an Envoy's bootstrap", async () => {
    const target = await listen();
    const client = authority.issue({ name: 'probe' });
    const inline = (text: string) => ({ inline_string: text });
    const sslCredentials = {
      root_certs: inline(authority.certificate),
      cert_chain: inline(client.certificate),
      private_key: inline(client.key),
    };
    const service = { target_uri: target, channel_credentials: { ssl_credentials: sslCredentials } };
    const adsConfig = { api_type: 'GRPC', grpc_services: [{ google_grpc: service }] };
    const { servers } = checkBootstrap({ dynamic_resources: { ads_config: adsConfig } }, { cwd: dir });
    story = probeStory({ target, clock, settings: { servers } });
    story.probe.start();
    await until(() => expect(story.statuses()).toMatchObject({ 'Cluster cart': 'ACKED' }));
  });

  test('reports an invalid file as a note, and stays up', async () => {
    await start(authority.certificate);
    await until(() => expect(story.probe.status.state).toBe('up'));
    write('key.pem', 'half a key');
    clock.advance(600_000);
    await until(() =>
      expect(story.probe.status.notes).toContainEqual(expect.stringMatching(/^TLS: .* stays in use$/)),
    );
    expect(story.probe.status.state).toBe('up');
  });

  test('explains a certificate of an unknown authority', async () => {
    await start(new TestAuthority('another').certificate);
    await until(() =>
      expect(story.probe.status.problem).toMatchObject({
        code: 'TLS_UNKNOWN_CA',
        message: expect.stringContaining('its certificate is from an authority that is not trusted'),
      }),
    );
  });
});
