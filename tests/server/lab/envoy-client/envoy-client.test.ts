import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import type { EnvoyFound } from '@/server/lab/envoy-binary/find-envoy';
import type { Lab } from '@/server/lab/lab';
import { everyNode, SnapshotStore } from '@/server/lab/management-server/snapshot-store';
import { startLab } from '@/server/lab/open-lab';
import { buildEdge, edgeNodeId, isOfEdge } from '@/server/lab/shop/shop-edge';
import { initialShopState } from '@/server/lab/shop/shop-state';
import { systemClock } from '@/server/observe';
import { patienceMs } from '@/tests/support/patience';

const soon = { timeout: patienceMs(60_000), interval: 50 };

/** A program in the place of Envoy, with its arguments in "$@". */
function program(script: string): string {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'envoy-client-')), 'envoy');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Answers every request to the admin interface that its bootstrap names. */
const admin = `exec ${process.execPath} -e '
  const config = JSON.parse(process.argv[process.argv.indexOf("--config-yaml") + 1]);
  const { port_value } = config.admin.address.socket_address;
  require("node:http").createServer((_, answer) => answer.end("LIVE")).listen(port_value, "127.0.0.1");
' -- "$@"`;

describe('an Envoy as a client of the lab', () => {
  let lab: Lab | undefined;
  const events: string[] = [];

  async function start(findEnvoy: () => Promise<EnvoyFound>): Promise<Lab> {
    lab = await startLab({
      ...{ clock: systemClock, backgroundFaults: false, findEnvoy },
      observe: ({ observation }) => {
        if (observation.kind === 'lab-event') events.push(`${observation.what} ${observation.subject}`);
      },
    });
    return lab;
  }
  const edge = () => lab?.status().processes.find(({ kind }) => kind === 'envoy');
  const found = (command: string) => async (): Promise<EnvoyFound> => ({
    ...{ kind: 'found', command, version: '1.40.0' },
  });

  afterEach(async () => {
    await lab?.close();
    lab = undefined;
    events.length = 0;
  });

  it('is polled at its admin interface as soon as this answers, and ends with the lab', async () => {
    await start(found(program(admin)));
    await expect.poll(edge, soon).toMatchObject({ name: edgeNodeId, state: 'running', restarts: 0 });
    expect(lab?.polledTargets).toContainEqual({
      ...{ kind: 'envoy-admin', target: edge()?.address, label: 'shop-edge (Envoy 1.40.0)' },
    });
    const address = `http://${edge()?.address}/ready`;
    expect(await (await fetch(address)).text()).toBe('LIVE');
    await lab?.close();
    await expect(fetch(address)).rejects.toThrow();
  });

  it('that does not start is reported with the reason, and the others run', async () => {
    await start(found(program('echo "[critical][main] error initializing config" >&2; exit 1')));
    await expect
      .poll(() => edge()?.text, soon)
      .toMatch(/exit code 1: \[critical\]\[main\] error initializing config$/);
    expect(events).toContain('client-crashed shop-edge');
    await expect
      .poll(() => lab?.status().processes.find(({ name }) => name === 'shop-web')?.state, soon)
      .toBe('running');
  });

  it('that is not found is listed as absent', async () => {
    await start(async () => ({ kind: 'absent', reason: 'there is none' }));
    await expect
      .poll(edge, soon)
      .toMatchObject({ state: 'absent', text: 'no Envoy (harmless): there is none' });
  });
});

describe('what the Envoy of the lab is served', () => {
  const resources = buildEdge(initialShopState, 10_000);
  const namesOf = (type: { readonly typeUrl: string }) =>
    resources.flatMap(({ typeUrl, name }) => (typeUrl === type.typeUrl ? [name] : []));

  it('has a listener with a socket, and the clusters that its routes and aggregates name', () => {
    expect(namesOf(LDS)).toEqual(['edge']);
    expect(namesOf(RDS)).toEqual(['edge-routes']);
    const text = JSON.stringify(resources);
    expect(text).toContain('"portValue":10000');
    const routed = [...text.matchAll(/"cluster":"([^"]+)"/g)].map(([, cluster]) => cluster);
    expect(routed).toEqual(['cart', 'search', 'recommendations']);
    expect(namesOf(CDS)).toEqual(
      expect.arrayContaining([...routed, 'catalog-stable', 'catalog-canary', 'search-eu', 'search-us']),
    );
    for (const { typeUrl, json } of resources) expect(encodeBody(typeUrl, json).length).toBeGreaterThan(0);
  });

  it('is all of LDS and CDS for the Envoy, and for no other client; endpoints are shared', () => {
    const store = new SnapshotStore(isOfEdge);
    const resource = ({ typeUrl }: { readonly typeUrl: string }, name: string) => {
      return { typeUrl, name, bytes: Buffer.from(name) };
    };
    store.setAll(everyNode, [resource(LDS, 'web'), resource(CDS, 'cart'), resource(EDS, 'cart')]);
    store.setAll(edgeNodeId, [resource(LDS, 'edge')]);
    const seen = (nodeId: string) =>
      [LDS, CDS, EDS].map(({ typeUrl }) => [...store.view(nodeId, typeUrl).resources.keys()]);
    expect(seen(edgeNodeId)).toEqual([['edge'], [], ['cart']]);
    expect(seen('shop-web')).toEqual([['web'], ['cart'], ['cart']]);
  });
});
