import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientSummary } from '@/lib/views/client/schema';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';
import type { Source } from '@/lib/views/sources/schema';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { clusterOf, listenerOf } from '../../support/builders/xds-wire';
import { getJson, type RunningServer, sendJson, startServer } from '../../support/e2e-server';
import { freePort } from '../../support/free-port';
import { TestAuthority } from '../../support/test-certificates';
import { waitUntil } from '../../support/wait-until';
import { resourceOf } from '../../support/xds-probe-story';

const patienceMs = 120_000;
const dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-secured-'));
const authority = new TestAuthority('first');
const servers: ManagementServer[] = [];
let xdscope: RunningServer;
let secured: string;
let preferred: string;
/** An address at which nothing listens at first. */
let absent: string;
let fallback: string;

const listenerType = 'envoy.config.listener.v3.Listener';
const plain = (target: string) => ({ server_uri: target, channel_creds: [{ type: 'insecure' }] });
const portOf = (target: string): number => Number(target.split(':').at(-1));

function write(name: string, content: string | object): string {
  const file = path.join(dir, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

/** Wants a client certificate of the same authority. */
function mtlsOf(issuer: TestAuthority): ServerCredentials {
  const { certificate, key } = issuer.issue({ ip: [127, 0, 0, 1] });
  const pair = { cert_chain: Buffer.from(certificate), private_key: Buffer.from(key) };
  return ServerCredentials.createSsl(Buffer.from(issuer.certificate), [pair], true);
}

function writeIdentity(issuer: TestAuthority): void {
  const { certificate, key } = issuer.issue({ name: 'xdscope' });
  write('ca.pem', issuer.certificate);
  write('cert.pem', certificate);
  write('key.pem', key);
}

async function serve(name: string, port = 0, credentials?: ServerCredentials): Promise<string> {
  const server = new ManagementServer({ clock: systemClock });
  servers.push(server);
  const federated = `xdstp://mesh/${listenerType}/shop`;
  server.setResources('*', [
    resourceOf(name, clusterOf(name)),
    resourceOf('plain-shop', listenerOf('plain-shop')),
    resourceOf(federated, listenerOf(federated)),
  ]);
  return server.listen(port, credentials);
}

beforeAll(async () => {
  writeIdentity(authority);
  secured = await serve('secured', 0, mtlsOf(authority));
  preferred = await serve('preferred');
  fallback = await serve('fallback');
  absent = `127.0.0.1:${await freePort()}`;
  write('two.json', { xds_servers: [plain(absent), plain(fallback)], node: { id: 'two-servers' } });
  write('federation.json', {
    xds_servers: [plain(preferred)],
    authorities: { mesh: { xds_servers: [plain(fallback)] } },
    node: { id: 'federated' },
  });
  const file = (name: string): string => path.join(dir, name);
  const tls = {
    caCertificateFile: file('ca.pem'),
    certificateFile: file('cert.pem'),
    privateKeyFile: file('key.pem'),
    refreshIntervalSeconds: 1,
  };
  const wrong = write('wrong-ca.pem', new TestAuthority('wrong').certificate);
  const config = write('config.json', {
    credentials: {
      mesh: { tls },
      wrong: { tls: { ...tls, caCertificateFile: wrong }, targets: ['127.0.0.0/8:*'] },
    },
    csds: [{ target: secured, credentials: 'mesh' }],
    ads: [
      { target: secured, tls, nodeId: 'secured' },
      { bootstrap: file('two.json'), label: 'two' },
      {
        bootstrap: file('federation.json'),
        label: 'federation',
        transport: 'delta-ads',
        listeners: ['xds://mesh/shop', 'plain-shop'],
      },
    ],
  });
  xdscope = await startServer(['--no-lab', '--config', config, '--data-dir', path.join(dir, 'data')]);
});

afterAll(async () => {
  await xdscope?.stop();
  await Promise.all(servers.map((server) => server.close()));
  rmSync(dir, { recursive: true });
});

const api = (name: string): string => `${xdscope.url}/api/v1/${name}`;
const sources = async (): Promise<Source[]> => (await getJson<{ items: Source[] }>(api('sources'))).items;

async function sourceThat(what: string, isIt: (source: Source) => boolean): Promise<Source> {
  return waitUntil(what, async () => (await sources()).find(isIt), patienceMs);
}

async function namesOf(nodeId: string): Promise<string[]> {
  const { items } = await getJson<{ items: ClientSummary[] }>(api('clients'));
  // The server reports the node of the probe as well.
  const client = items.find((each) => each.nodeId === nodeId && each.isProbe);
  if (client === undefined) return [];
  const rows = await getJson<{ items: ResourceRowJson[] }>(api(`clients/${client.id}/resources`));
  return rows.items.filter(({ clientStatus }) => clientStatus === 'ACKED').map(({ name }) => name);
}

async function waitForNames(nodeId: string, ...names: readonly string[]): Promise<void> {
  await waitUntil(
    `${nodeId} holds ${names.join(', ')}`,
    async () => {
      const held = await namesOf(nodeId);
      return names.every((name) => held.includes(name));
    },
    patienceMs,
  );
}

describe('a mesh with TLS, fallback and authorities', () => {
  it('is reported everything over mTLS, by ADS and by CSDS', async () => {
    await waitForNames('secured', 'secured', 'plain-shop');
    const over = (await sources()).filter(({ target }) => target === secured);
    expect(over.map(({ kind, security }) => [kind, security])).toEqual([
      ['csds', 'mtls'],
      ['ads', 'mtls'],
    ]);
    await sourceThat('CSDS answers', ({ kind, state }) => kind === 'csds' && state === 'up');
  });

  it('uses rotated certificates when the server wants them', async () => {
    const next = new TestAuthority('next');
    await servers[0]?.close();
    await sourceThat('the secured server is gone', (s) => s.id === `ads:${secured}` && s.state !== 'up');
    writeIdentity(next);
    await serve('rotated', portOf(secured), mtlsOf(next));
    await waitForNames('secured', 'rotated');
  });

  it('lets callers choose credentials by name, for the targets that they are for, and shows no path', async () => {
    const listed = await getJson<{ items: object[] }>(api('credentials'));
    expect(listed.items).toEqual([
      { name: 'mesh', targets: [secured] },
      { name: 'wrong', targets: ['127.0.0.0/8:*'] },
    ]);
    const settings = { transport: 'sotw', credentials: 'mesh' };
    const added = await sendJson('POST', api('sources'), { kind: 'ads', target: secured, settings });
    expect(added.status).toBe(201);
    const id = `ads:${secured}?transport=sotw`;
    expect(await sourceThat('it is up', (s) => s.id === id && s.state === 'up')).toMatchObject({
      security: 'mtls',
    });
    const elsewhere = await sendJson('POST', api('sources'), { kind: 'ads', target: preferred, settings });
    expect([elsewhere.status, await elsewhere.json()]).toMatchObject([
      400,
      { field: 'settings.credentials', detail: expect.stringContaining(`may be used with ${secured}`) },
    ]);
    const file = { transport: 'sotw', tls: { certificateFile: path.join(dir, 'cert.pem') } };
    const withFile = await sendJson('POST', api('sources'), { kind: 'ads', target: secured, settings: file });
    expect([withFile.status, await withFile.json()]).toMatchObject([400, { field: 'settings.tls' }]);
    expect(await (await fetch(api('sources'))).text()).not.toContain(dir);
    expect((await fetch(api(`sources/${encodeURIComponent(id)}`), { method: 'DELETE' })).status).toBe(204);
  });

  it('says in words that it does not trust the server', async () => {
    const input = {
      kind: 'ads',
      target: secured,
      settings: { transport: 'delta-ads', credentials: 'wrong' },
    };
    const added = await sendJson('POST', api('sources'), input);
    expect(added.status).toBe(201);
    const id = `ads:${secured}?transport=delta-ads`;
    const { problem } = await sourceThat('it is down', (s) => s.id === id && s.state === 'down');
    expect(problem).toMatchObject({
      code: 'TLS_UNKNOWN_CA',
      message: expect.stringContaining('its certificate is from an authority that is not trusted'),
    });
    expect((await fetch(api(`sources/${encodeURIComponent(id)}`), { method: 'DELETE' })).status).toBe(204);
  });

  it('asks each authority’s own servers, by the names that the targets make', async () => {
    await waitForNames('federated', `xdstp://mesh/${listenerType}/shop`, 'plain-shop');
    const { settings } = await sourceThat('it is up', (s) => s.label === 'federation' && s.state === 'up');
    expect(settings?.authorities).toEqual([{ name: 'mesh', servers: [fallback] }]);
    expect(settings?.listeners).toEqual([`xdstp://mesh/${listenerType}/shop`, 'plain-shop']);
  });

  it('falls back to the second server of a bootstrap when the first is absent, and returns when it is there', async () => {
    await waitForNames('two-servers', 'fallback');
    const { notes } = await sourceThat('it says so', (s) => s.label === 'two' && s.notes.length > 0);
    expect(notes.join('\n')).toContain(`fallen back to ${fallback}`);
    await serve('preferred', portOf(absent));
    await waitForNames('two-servers', 'preferred');
  });
});
