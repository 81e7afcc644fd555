import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildTapBootstraps, type TapBootstrap } from '@/lib/views/sources/build-tap-bootstraps';
import { encodeBody } from '@/server/codec/encode-body';
import { messageType } from '@/server/codec/root';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { findPython } from '@/server/lab/python-client/find-python';
import { systemClock } from '@/server/observe';
import { projectRoot } from '@/server/project-root';
import { readBootstrap } from '@/server/transport/bootstrap/read-bootstrap';
import { waitUntil } from '@/tests/support/wait-until';

const python = await findPython();
const securities = ['plain', 'tls', 'mtls'] as const;
const addresses = ['127.0.0.1:18001', '0.0.0.0:18001', '[::]:18001', '[::1]:18001', 'tap.example:18001'];

function textsOf(client: string): TapBootstrap[] {
  return securities.flatMap((listenSecurity) =>
    addresses.flatMap((address) =>
      buildTapBootstraps({ address, listen: address, listenSecurity }, 'this.example').filter(
        (each) => each.client === client,
      ),
    ),
  );
}

interface Bootstrap {
  readonly staticResources: { readonly clusters: readonly { readonly name: string }[] };
  readonly dynamicResources: { readonly adsConfig: { readonly grpcServices: readonly object[] } };
}

describe('the bootstraps of a tap', () => {
  it('exist for each client of the README, with an address to which clients can connect', () => {
    const plain = { address: '0.0.0.0:1', listen: '0.0.0.0:1', listenSecurity: 'plain' } as const;
    const all = buildTapBootstraps(plain, 'this.example');
    expect(all.map(({ client }) => client)).toEqual([
      'C-core, Python, C++',
      'Go',
      'Java',
      'Node',
      'Envoy',
      'Istio',
    ]);
    for (const { text } of all) expect(text).not.toContain('0.0.0.0');
  });

  it.each(['C-core, Python, C++', 'Go', 'Java', 'Node'])(
    'for %s: are accepted by readBootstrap()',
    (client) => {
      const texts = textsOf(client);
      expect(texts).toHaveLength(securities.length * addresses.length);
      for (const { text } of texts) {
        const { servers, node } = readBootstrap({ json: text }, '/');
        expect(servers[0]?.target.port).toBe(18001);
        expect(node.id).toBe('my-client');
      }
      expect(() => readBootstrap({ json: '{"xds_servers":[{}]}' }, '/')).toThrow();
    },
  );

  it('for Envoy: are a valid envoy.config.bootstrap.v3.Bootstrap whose clusters exist', () => {
    const type = 'envoy.config.bootstrap.v3.Bootstrap';
    const typeUrl = `type.googleapis.com/${type}`;
    for (const { text } of textsOf('Envoy')) {
      const bytes = encodeBody(typeUrl, parse(text));
      const bootstrap = messageType(type).decode(bytes) as unknown as Bootstrap;
      expect(bootstrap.staticResources.clusters.map(({ name }) => name)).toEqual(['xds_tap']);
      expect(bootstrap.dynamicResources.adsConfig.grpcServices).toMatchObject([
        { envoyGrpc: { clusterName: 'xds_tap' } },
      ]);
    }
    expect(() => encodeBody(typeUrl, { node: { idd: 'x' } })).toThrow(/idd/);
  });

  it('for Istio: are an annotation whose value is a ProxyConfig', () => {
    // https://istio.io/latest/docs/reference/config/istio.mesh.v1alpha1/#ProxyConfig
    const policies = ['NONE', 'MUTUAL_TLS', 'INHERIT'];
    for (const { text } of textsOf('Istio')) {
      const { metadata } = parse(text) as { metadata: { annotations: Record<string, string> } };
      const {
        discoveryAddress,
        controlPlaneAuthPolicy = 'MUTUAL_TLS',
        ...others
      } = parse(metadata.annotations['proxy.istio.io/config'] ?? '');
      expect(discoveryAddress).toMatch(/^(\S+):18001$/);
      expect(policies).toContain(controlPlaneAuthPolicy);
      expect(others).toEqual({});
    }
  });
});

/** Clients that connect to one target. */
const programs = {
  node: `
    require('@grpc/grpc-js-xds').register();
    const { Client, credentials } = require('@grpc/grpc-js');
    new Client('xds:///shop.example', credentials.createInsecure()).waitForReady(Date.now() + 1e6, () => {});`,
  python: `
import grpc, time
with grpc.insecure_channel('xds:///shop.example') as channel:
    grpc.channel_ready_future(channel)
    time.sleep(1000)`,
};

describe('a real client with a bootstrap of a tap', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'xdscope-bootstrap-'));
  const server = new ManagementServer({ clock: systemClock });
  const children: ChildProcess[] = [];
  let address = '';

  beforeAll(async () => {
    address = await server.listen(0);
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await server.close();
    rmSync(dir, { recursive: true });
  });

  /** Waits until a client with this bootstrap has connected. */
  async function connects(client: string, command: string, args: readonly string[]): Promise<void> {
    const shown = { address, listen: address, listenSecurity: 'plain' } as const;
    const found = buildTapBootstraps(shown, 'localhost').find((each) => each.client === client);
    const file = path.join(dir, `${children.length}.json`);
    writeFileSync(file, (found?.text ?? '').replace('my-client', client));
    const { PATH, HOME } = process.env;
    const env = { NODE_ENV: 'test', PATH, HOME, GRPC_XDS_BOOTSTRAP: file } as const;
    children.push(spawn(command, args, { cwd: projectRoot, env, stdio: ['ignore', 'ignore', 'inherit'] }));
    await waitUntil('it has connected', () => server.connectedNodes().includes(client));
  }

  it('connects: grpc-js-xds', () => connects('Node', process.execPath, ['-e', programs.node]));

  it.skipIf(python.kind === 'absent')('connects: C-core', () =>
    connects('C-core, Python, C++', python.kind === 'absent' ? '' : python.command, ['-c', programs.python]),
  );
});
