import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { hostileText } from '../support/builders/hostile-pieces';
import { type CsdsServer, csdsAnswer, startCsdsServer } from '../support/csds-server';
import { type RunningServer, startServer } from '../support/e2e-server';
import { freePort } from '../support/free-port';
import { LabGrpcClient } from '../support/lab-ads-client';
import { lrsClient } from '../support/lrs-client';
import { waitUntil } from '../support/wait-until';

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-long-texts-'));
const ends: (() => unknown)[] = [];
const megabyte = 1024 * 1024;
let server: RunningServer;
let csds: CsdsServer;
let csdsConfig: object = { node: { id: 'csds-start' } };
let tapAddress = '';
let lrsTarget = '';

beforeAll(async () => {
  const management = new ManagementServer({ clock: systemClock });
  const upstream = await management.listen();
  ends.push(() => management.close());
  csds = await startCsdsServer(() => csdsAnswer({ config: [csdsConfig] }));
  ends.push(() => csds.close());
  lrsTarget = `127.0.0.1:${await freePort()}`;
  server = await startServer([
    ...['--data-dir', dataDir, '--csds', csds.target.text, '--csds-interval', '1s'],
    ...['--lrs-listen', lrsTarget, '--tap', `127.0.0.1:0=${upstream}`],
  ]);
  ends.push(() => server.stop());
  tapAddress = await waitUntil('the tap listens', async () => {
    const { items } = await getJson<{ items: { tap?: { address: string | null } }[] }>('sources?limit=100');
    return items.find(({ tap }) => tap?.address)?.tap?.address ?? undefined;
  });
}, 120_000);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
  rmSync(dataDir, { recursive: true, force: true });
});

async function getJson<T>(name: string): Promise<T> {
  return (await (await fetch(`${server.url}/api/v1/${name}`)).json()) as T;
}

/**
 * Processor time of the main thread in milliseconds. Unlike the latency of an answer, it does not depend on other load
 * of the machine.
 */
function mainThreadMs(): number {
  const stat = readFileSync(`/proc/${server.process.pid}/task/${server.process.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function importDump(name: string, dump: object): Promise<void> {
  const response = await fetch(`${server.url}/api/v1/imports?name=${name}.json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(dump),
  });
  expect(await response.json()).toMatchObject({ kind: 'file' });
}

async function seen(id: string): Promise<void> {
  await waitUntil(
    `${id} is a client`,
    async () => {
      const { items } = await getJson<{ items: unknown[] }>('clients?limit=200');
      return JSON.stringify(items).includes(`"${id}"`) ? true : undefined;
    },
    240_000,
  );
}

const typed = (type: string, members: object): object => ({
  '@type': `type.googleapis.com/${type}`,
  ...members,
});
const clustersDump = (item: object): object => ({
  configs: [typed('envoy.admin.v3.ClustersConfigDump', { dynamic_active_clusters: [item] })],
});
const struct = (text: string): object => ({ fields: { note: { stringValue: text } } });

interface Place {
  readonly name: string;
  readonly bytes: number;
  /** Resolves when the text has been recorded. `id` is new for each text. */
  readonly send: (id: string, text: string) => Promise<void>;
}

const places: readonly Place[] = [
  {
    name: 'error_state.details of a file',
    bytes: 16 * megabyte,
    send: (id, details) =>
      importDump(
        id,
        clustersDump({
          cluster: typed('envoy.config.cluster.v3.Cluster', { name: 'c' }),
          error_state: { details },
        }),
      ),
  },
  {
    name: 'a field of a cluster of a file',
    bytes: 16 * megabyte,
    send: (id, altStatName) =>
      importDump(
        id,
        clustersDump({
          cluster: typed('envoy.config.cluster.v3.Cluster', { name: 'c', alt_stat_name: altStatName }),
        }),
      ),
  },
  {
    name: 'the metadata of the node of a file',
    bytes: 16 * megabyte,
    send: (id, note) => importDump(id, { config: [{ node: { id, metadata: { note } } }] }),
  },
  {
    name: 'the user agent of a file',
    bytes: 16 * megabyte,
    send: (id, userAgentName) => importDump(id, { config: [{ node: { id, userAgentName } }] }),
  },
  {
    name: 'an answer of CSDS',
    bytes: 3 * megabyte,
    send: async (id, text) => {
      csdsConfig = {
        node: { id, metadata: { text }, userAgentName: text.slice(0, megabyte) },
        genericXdsConfigs: [
          { typeUrl: CDS.typeUrl, name: 'c', clientStatus: 'NACKED', errorState: { details: text } },
        ],
      };
      await seen(id);
    },
  },
  {
    name: 'the node and the NACK of a client behind a tap',
    bytes: 3 * megabyte,
    send: async (id, text) => {
      const client = new LabGrpcClient(tapAddress);
      ends.push(() => client.close());
      const stream = client.sotw();
      stream.send({ node: { id, metadata: struct(text), userAgentName: 'x' }, typeUrl: CDS.typeUrl });
      const { nonce = '' } = await stream.next();
      stream.send({
        typeUrl: CDS.typeUrl,
        responseNonce: nonce,
        errorDetail: { code: 3, message: `${id}: ${text}` },
      });
      await waitUntil(
        'the NACK is recorded',
        async () => (JSON.stringify(await getJson('nacks?limit=200')).includes(`${id}:`) ? true : undefined),
        240_000,
      );
    },
  },
  {
    name: 'the node of a client that reports load',
    bytes: 3 * megabyte,
    send: async (id, text) => {
      const reporter = lrsClient(lrsTarget);
      ends.push(() => reporter.vanish());
      reporter.send({ node: { id, metadata: struct(text), userAgentName: 'x' } });
      await seen(id);
    },
  },
];

/** The rules took 10 s of the main thread for 16 MB. A harmless text of the same length costs as much as to receive it. */
const mostMs = 600;

describe.skipIf(process.platform !== 'linux')('a long text made of beginnings of secrets', () => {
  it.each(places.map((place, index) => [place.name, place, index] as const))(
    'takes hardly more time of the main thread than a harmless one: %s',
    async (_, { bytes, send }, index) => {
      const took = async (id: string, text: string): Promise<number> => {
        const before = mainThreadMs();
        await send(id, text);
        return mainThreadMs() - before;
      };
      const harmless = await took(`harmless-${index}`, 'ab '.repeat(bytes / 3));
      const hostile = await took(`hostile-${index}`, `password=x1y2z3 ${hostileText(bytes)}`);
      process.stdout.write(`main thread: ${harmless} ms harmless, ${hostile} ms hostile\n`);
      expect(hostile).toBeLessThan(harmless * 2 + mostMs);
    },
    300_000,
  );
});
