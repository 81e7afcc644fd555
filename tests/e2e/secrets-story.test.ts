import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { operations } from '@/server/answers/openapi/openapi';
import { sha256 } from '@/server/codec/sha256';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { type HostileConfig, hostileConfig, partCount, plantPart } from '../support/builders/hostile-config';
import { plantCauses } from '../support/builders/secret-causes';
import { type PlantedSecret, plantSecrets, randomCanary } from '../support/builders/secret-kinds';
import { encodeMessage } from '../support/builders/xds-wire';
import { fileOf, recordsOf } from '../support/builders/xdscope-files';
import { type CsdsServer, csdsAnswer, startCsdsServer } from '../support/csds-server';
import { type RunningServer, startServer } from '../support/e2e-server';
import { type EnvoyAdmin, startEnvoyAdmin } from '../support/envoy-admin';
import { readDataDirectory, SecretSearch } from '../support/find-secrets';
import { freePort } from '../support/free-port';
import { LabGrpcClient } from '../support/lab-ads-client';
import { lrsClient } from '../support/lrs-client';
import { waitUntil } from '../support/wait-until';

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-secrets-'));
const planted: PlantedSecret[] = [];
/** Secrets of plantCauses(), by their way in. */
const causes = new Map<string, PlantedSecret[]>();
/** Texts that are no secret, by their way in. They come out again, or the texts that they are part of tested nothing. */
const plainTexts = new Map<string, PlantedSecret[]>();
const waysIn = new Set<string>();
const ends: (() => unknown)[] = [];
let server: RunningServer;
let management: ManagementServer;
let csds: CsdsServer;
let envoy: EnvoyAdmin;
let tapClient: LabGrpcClient;
let lrsTarget: string;

/** Everything that the server has written or sent. */
const outputs: { readonly where: string; readonly content: string | Uint8Array }[] = [];

function keep(where: string, content: string | Uint8Array): void {
  outputs.push({ where, content });
}

function addCauses(way: string, made: readonly PlantedSecret[]): void {
  waysIn.add(way);
  const named = made.map((each) => ({ ...each, kind: `${each.kind}, ${way}` }));
  causes.set(way, [...(causes.get(way) ?? []), ...named]);
}

function plainText(way: string): string {
  const word = randomCanary();
  const made = plainTexts.get(way) ?? [];
  plainTexts.set(way, [...made, { kind: `plain text ${made.length}, ${way}`, text: word, secret: word }]);
  return `see ${word}`;
}

/**
 * Texts with secrets of every kind, or of the kinds of one part; `way` names their way in. The causes, of which there are
 * many more, share texts.
 */
function texts(way: string, part?: number, causesPerText = 16): string[] {
  waysIn.add(way);
  const secrets = (part === undefined ? plantSecrets() : plantPart(part)).map((each) => ({
    ...each,
    kind: `${each.kind}, ${way}`,
  }));
  planted.push(...secrets);
  const made = plantCauses();
  addCauses(way, made);
  const lines = made.map(({ text }) => text);
  const shared = Array.from({ length: Math.ceil(lines.length / causesPerText) }, (_, index) =>
    [...lines.slice(index * causesPerText, (index + 1) * causesPerText), plainText(way)].join('\n'),
  );
  return [...secrets.map(({ text }) => text), ...shared];
}

let configs = 0;

function config(way: string, name: string): HostileConfig {
  const made = hostileConfig(name, configs++);
  addCauses(`resources, ${way}`, made.causes);
  planted.push(...made.planted.map((each) => ({ ...each, kind: `${each.kind}, ${way}` })));
  return made;
}

const metadataOf = (way: string, part?: number): object => ({
  notes: texts(`node metadata, ${way}`, part),
  nested: { a: { b: texts(`nested metadata, ${way}`, part) } },
});

/** A ClientConfig with resources and errors. Four of them have all kinds in every place. */
function clientConfig(way: string, name: string): object {
  const part = configs;
  const { resources } = config(way, name);
  const errors = texts(`errors, ${way}`, part).map((details, index) => ({
    typeUrl: CDS.typeUrl,
    name: `${name}-rejected-${index}`,
    versionInfo: '1',
    clientStatus: 'NACKED',
    errorState: { details, versionInfo: '2', lastUpdateAttempt: '2026-01-01T00:00:00Z' },
  }));
  const versions = texts(`versions, ${way}`, part).map((versionInfo, index) => ({
    typeUrl: LDS.typeUrl,
    name: `${name}-version-${index}`,
    versionInfo,
    clientStatus: 'ACKED',
  }));
  return {
    node: { id: name, cluster: 'c', metadata: metadataOf(way, part), userAgentName: 'test' },
    genericXdsConfigs: [
      ...resources.map(({ typeUrl, name: resource, json }) => ({
        ...{ typeUrl, name: resource, versionInfo: '1', clientStatus: 'ACKED' },
        xdsConfig: { '@type': typeUrl, ...json },
      })),
      ...errors,
      ...versions,
    ],
  };
}

let alerts = 0;

/** Starts a receiver of alerts and resolves with its URL. */
async function receiveAlerts(): Promise<string> {
  const receiver = createServer(async (request, response) => {
    for await (const chunk of request) keep('alerts', chunk as Buffer);
    alerts += 1;
    response.end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  ends.push(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
}

beforeAll(async () => {
  management = new ManagementServer({ clock: systemClock });
  const upstream = await management.listen();
  ends.push(() => management.close());
  const served = config('probe, tap and istiod', 'served');
  management.setResources(
    '*',
    served.resources.map(({ typeUrl, name, bytes }) => ({ typeUrl, name, bytes })),
  );
  const answer = csdsAnswer({ config: [clientConfig('CSDS', 'csds-client')] });
  csds = await startCsdsServer(() => answer);
  ends.push(() => csds.close());
  envoy = await startEnvoyAdmin({
    nodeId: 'envoy-client',
    version: '1.36.0',
    clusters: Object.fromEntries(
      texts('Envoy admin').map((filler, index) => [`c${index}`, { version: '1', filler }]),
    ),
    listeners: Object.fromEntries(
      texts('errors, Envoy admin').map((details, index) => [
        `l${index}`,
        { version: '1', error: { details, version: '2' } },
      ]),
    ),
    hosts: {},
    certificates: [],
  });
  ends.push(() => envoy.close());
  const alertTarget = await receiveAlerts();
  lrsTarget = `127.0.0.1:${await freePort()}`;
  server = await startServer([
    ...['--data-dir', dataDir, '--csds', csds.target.text, '--csds-interval', '1s'],
    ...['--envoy-admin', envoy.target, '--istiod', upstream, '--istiod-interval', '1s'],
    ...['--ads', upstream, '--ads-cross-check', '--lrs-listen', lrsTarget],
    ...['--tap', `127.0.0.1:0=${upstream}`, '--alert-webhook', alertTarget],
  ]);
  ends.push(() => server.stop());
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
  rmSync(dataDir, { recursive: true, force: true });
});

const api = (name: string): string => `${server.url}/api/v1/${name}`;

/** Compressing and unpacking the answers would take a tenth of the time. */
const plain = { 'accept-encoding': 'identity' };

async function get(name: string): Promise<string> {
  const response = await fetch(api(name), { headers: plain });
  const text = await response.text();
  keep(`GET ${name}`, text);
  return text;
}

/** Runs six at a time. */
async function eachOf<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: 6 }, worker));
}

/** Each `partCount`th item, beginning with another one for another `index`; all items in `npm run test:long`. */
const ofPart = <T>(items: readonly T[], index = 0): T[] =>
  items.filter((_, at) => (at + index) % partCount === 0);

async function getJson<T>(name: string): Promise<T> {
  return JSON.parse(await get(name)) as T;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | null;
  readonly nextCursor?: string | null;
  readonly older?: string | null;
}

/** Reads all pages. */
async function getAll<T>(name: string): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page<T> = await getJson(`${name}${at}`);
    all.push(...page.items);
    cursor = page.nextCursor ?? page.next ?? page.older ?? null;
  }
  return all;
}

interface SourceItem {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly clients: number;
  readonly tap?: { readonly address: string | null };
}

async function post(name: string, type: string, body: string | Uint8Array): Promise<string> {
  const response = await fetch(api(name), {
    method: 'POST',
    headers: { 'content-type': type, ...plain },
    body: body as BodyInit,
  });
  const text = await response.text();
  keep(`POST ${name}`, text);
  return text;
}

/** Everything that was received over SSE. */
let streamed = '';

/** Reads the stream until the server ends it. */
async function listen(): Promise<void> {
  const response = await fetch(api('stream?topics=fleet,sources,nacks,history,load'));
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const read = await reader?.read().catch(() => undefined);
    if (read?.value === undefined) return;
    streamed += decoder.decode(read.value, { stream: true });
  }
}

/** A client behind the tap NACKs with every kind of text. */
async function rejectBehindTap(address: string): Promise<void> {
  tapClient = new LabGrpcClient(address);
  ends.push(() => tapClient.close());
  const stream = tapClient.sotw();
  const metadata = metadataOf('tap');
  const struct = encodeStruct(metadata);
  stream.send({ node: { id: 'tap-client', userAgentName: 'envoy', metadata: struct }, typeUrl: CDS.typeUrl });
  const { nonce = '', versionInfo } = await stream.next();
  expect(versionInfo).toBeTruthy();
  for (const message of texts('NACKs, tap')) {
    stream.send({ typeUrl: CDS.typeUrl, responseNonce: nonce, errorDetail: { code: 3, message } });
  }
}

function encodeStruct(json: unknown): object {
  const value = (one: unknown): object => {
    if (typeof one === 'string') return { stringValue: one };
    if (Array.isArray(one)) return { listValue: { values: one.map(value) } };
    return { structValue: encodeStruct(one) };
  };
  return { fields: Object.fromEntries(Object.entries(Object(json)).map(([key, one]) => [key, value(one)])) };
}

const lrsClients = 8;

async function reportLoad(target: string): Promise<void> {
  const nested = texts('nested metadata, LRS');
  const notes = texts('node metadata, LRS');
  // The metadata of all of them together is more than a node may have.
  const clients = Array.from({ length: lrsClients }, (_, index) => {
    const ofClient = (all: readonly string[]) => all.filter((_, at) => at % lrsClients === index);
    const metadata = encodeStruct({ notes: ofClient(notes), nested: { a: { b: ofClient(nested) } } });
    const client = lrsClient(target);
    ends.push(() => client.vanish());
    client.send({ node: { id: `lrs-client-${index}`, userAgentName: 'envoy', metadata } });
    return client;
  });
  const localities = [{ locality: { region: 'r' }, totalSuccessfulRequests: 1 }];
  const clusterStats = texts('names of clusters, LRS', undefined, 4).map((clusterName) => ({
    ...{ clusterName, upstreamLocalityStats: localities, loadReportInterval: { seconds: 1 } },
  }));
  await waitUntil('load reports are requested', () => clients.every(({ responses }) => responses.length > 0));
  clients[0]?.send({ clusterStats });
}

/** A recording without redaction, which xdscope never writes. */
async function hostileRecording(): Promise<Buffer> {
  const { resources } = config('.xdscope', 'recorded');
  const bodies = resources.map(({ typeUrl, bytes }) => ({ typeUrl, bytes, hash: sha256(bytes) }));
  const row = {
    clientStatus: 'NACKED',
    configStatus: 'UNKNOWN',
    lastUpdated: null,
    isStatic: false,
    changedAt: 1_000,
  } as const;
  const node = {
    id: 'recorded-client',
    cluster: '',
    locality: null,
    userAgentName: '',
    userAgentVersion: '',
    clientFeatures: [],
    metadata: { notes: texts('metadata, .xdscope') },
  };
  const header = {
    madeBy: 'a test',
    madeAt: 5,
    from: null,
    to: null,
    clients: [],
    clientsLeftOut: 0,
    redaction: '',
    // Only the first 20 are kept: all causes, and some of the other kinds.
    notes: texts('notes, .xdscope', undefined, 64).reverse(),
  };
  const errors = texts('errors, .xdscope');
  return fileOf([
    { kind: 'header', header },
    { kind: 'bodies', bodies },
    {
      kind: 'observations',
      observations: [
        {
          ...{
            seq: 1,
            at: 1_000,
            vantage: 'csds',
            sourceId: 'csds:x',
            kind: 'client-config-changed',
            side: 'client',
          },
          ...{ clientId: '0123456789abcdef', node, scope: '', removed: [] },
          changed: [
            ...resources.map(({ typeUrl, name }, index) => ({
              ...row,
              ...{ typeUrl, name, versionInfo: '1', hash: bodies[index]?.hash ?? null, sizeBytes: 1 },
              errorState: null,
            })),
            ...errors.map((details, index) => ({
              ...row,
              ...{
                typeUrl: CDS.typeUrl,
                name: `rejected-${index}`,
                versionInfo: '1',
                hash: null,
                sizeBytes: null,
              },
              errorState: { details, versionInfo: '2', lastUpdateAttempt: null, failedHash: null },
            })),
          ],
        },
      ],
    },
  ]);
}

async function importFile(name: string, content: string | Uint8Array): Promise<void> {
  const answer = JSON.parse(await post(`imports?name=${name}`, 'application/octet-stream', content));
  expect(answer, name).toMatchObject({ kind: 'file' });
}

/** Each is in the texts of many secrets. */
const searchedWords = ['password', 'token', 'Authorization', 'login', 'key', 'value', 'hosts', 'address%3Dh'];

const responseType = 'envoy.service.discovery.v3.DiscoveryResponse';

describe('secrets', { timeout: 600_000 }, () => {
  it('come in by every way', async () => {
    void listen();
    const sources = await waitUntil('the tap listens', async () => {
      const { items } = await getJson<{ items: SourceItem[] }>('sources?limit=100');
      return items.some(({ tap }) => tap?.address) ? items : undefined;
    });
    const kinds = new Map(sources.map((source) => [source.kind, source]));
    await rejectBehindTap(kinds.get('tap')?.tap?.address ?? '');
    await reportLoad(lrsTarget);

    const dump = (way: string): object => ({ config: [clientConfig(way, `client-${way.split(' ')[0]}`)] });
    await importFile('csds.json', JSON.stringify(dump('JSON import')));
    await importFile('csds.yaml', stringify(dump('YAML import')));
    await importFile(
      'csds.bin',
      csdsAnswer({ config: [clientConfig('protobuf import', 'client-protobuf')] }),
    );
    const response = (way: string): Record<string, unknown> => ({
      versionInfo: '1',
      resources: config(way, way).resources.map(({ typeUrl, bytes }) => ({
        type_url: typeUrl,
        value: bytes,
      })),
    });
    await importFile('response.bin', encodeMessage(responseType, response('response')));
    const anys = config('text import', 'text').resources.map(({ typeUrl, bytes }) => {
      const value = [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
      return `resources { type_url: "${typeUrl}" value: "${value}" }`;
    });
    await importFile('response.textproto', `version_info: "1"\n${anys.join('\n')}\n`);
    await importFile('recording.xdscope', await hostileRecording());
    // Documents that cannot be read name what is wrong.
    const broken = texts('broken documents');
    await importFile('broken.json', JSON.stringify(broken.map((text) => ({ '@type': text, a: text }))));
    await importFile(
      'broken-dump.json',
      JSON.stringify({ configs: broken.map((text) => ({ '@type': text, a: text })) }),
    );
    const requests: readonly ((text: string) => Promise<string>)[] = [
      (text) => {
        const resource = { name: 5, type: text, [text]: 1 };
        return post('validate', 'application/json', JSON.stringify({ typeUrl: CDS.typeUrl, resource }));
      },
      (text) => post('validate', 'application/yaml', `resources:\n- "@type": ${JSON.stringify(text)}\n`),
      (text) => get(`history?kind=${encodeURIComponent(text)}`),
      (text) => get(`clients/${encodeURIComponent(text)}`),
    ];
    for (const [index, request] of requests.entries()) await eachOf(ofPart(broken, index), request);
    for (const { typeUrl, json } of config('validate', 'validate').resources) {
      await post('validate', 'application/json', JSON.stringify({ typeUrl, resource: json }));
    }
    expect(configs).toBeGreaterThanOrEqual(partCount);
    await waitUntil(
      'all of it is there',
      async () => {
        const { items } = await getJson<{ items: SourceItem[] }>('sources?limit=100');
        return items.every(({ state, clients }) => state === 'up' && clients > 0) ? true : undefined;
      },
      60_000,
    );
  });

  it('and out by none', async () => {
    const clients = await getAll<{ id: string }>('clients?limit=200');
    const hashes = new Set<string>();
    const perItem = (start: string): string[] =>
      operations.flatMap(({ method, path: route }) =>
        method === 'get' && route.startsWith(start) ? [route.slice(1)] : [],
      );
    await eachOf(clients, async ({ id }) => {
      for (const { hash } of await getAll<{ hash: string | null }>(`clients/${id}/resources?limit=500`))
        if (hash !== null) hashes.add(hash);
      for (const route of perItem('/clients/{id}')) await get(route.replace('{id}', id));
      const text = await post('permalinks', 'application/json', JSON.stringify({ clientId: id }));
      const permalink = (JSON.parse(text) as { id: string }).id;
      expect(permalink).toBeTruthy();
      for (const route of perItem('/permalinks/{id}')) await get(route.replace('{id}', permalink));
    });
    expect(hashes.size).toBeGreaterThan(30);
    const forms = ['format=json', 'format=yaml', 'format=binary', 'meta=1'];
    const asked = [...hashes].flatMap((hash, index) => ofPart(forms, index).map((form) => `${hash}?${form}`));
    await eachOf(asked, (each) => get(`resources/${each}`));
    for (const { method, path: route } of operations) {
      if (method === 'get' && !/\{|^\/(?:export|stream)$/.test(route)) await get(route.slice(1));
    }
    const events = await getAll<{ seq: number }>('history?limit=200');
    expect(events.length).toBeGreaterThan(100);
    await eachOf(ofPart(events), ({ seq }) => get(`history/${seq}`));
    const groups = await getAll<{ id: string }>('nacks?limit=200');
    expect(groups.length).toBeGreaterThan(50);
    await eachOf(ofPart(groups), ({ id }) => get(`nacks/${id}`));
    const issues = await getAll<{ id: string }>('issues?limit=100');
    expect(issues.length).toBeGreaterThan(10);
    await eachOf(ofPart(issues), ({ id }) => get(`issues/${id}`));
    for (const word of searchedWords) await get(`search?limit=100&q=${word}`);
    for (const what of ['totals', 'series']) await get(`load/${what}?format=csv&limit=1000`);
    const [first, ...others] = clients;
    for (const { id } of others) await get(`diff?limit=500&left=client/${first?.id}&right=client/${id}`);
    await waitUntil('an alert is received', () => alerts > 0);
    const imports = await getJson<{ items: { id: string }[] }>('imports');
    for (const { id } of imports.items) await get(`imports/${id}/problems`);
    keep('GET /metrics', await (await fetch(`${server.url}/metrics`)).text());
    const page = await fetch(`${server.url}/clients/${clients[0]?.id ?? ''}`);
    keep('a page', await page.text());

    const file = Buffer.from(await (await fetch(api('export'))).arrayBuffer());
    for (const record of await recordsOf(file)) {
      if (record.kind !== 'bodies') keep(`export, ${record.kind}`, JSON.stringify(record));
      else for (const { bytes } of record.bodies) keep('export, bodies', bytes);
    }
    await server.stop();
    keep('stdout and stderr', server.output());
    expect(streamed).toContain('event: notices');
    keep('SSE', streamed);

    const search = new SecretSearch([
      ...planted,
      ...[...causes.values()].flat(),
      ...[...plainTexts.values()].flat(),
    ]);
    for (const { where, content } of outputs) search.look(where, content);
    const stored: string[] = [];
    for (const [where, bytes] of readDataDirectory(dataDir)) {
      stored.push(`data directory, ${where}`);
      search.look(`data directory, ${where}`, bytes);
    }
    // Places that differ only in ids count once: one for each operation, table and record.
    const waysOut = new Set(
      [...outputs.map(({ where }) => where), ...stored].map((where) =>
        where.replace(/\?.*|(?<=\w\/)[^/]+|[0-9a-f]{12,}/g, ''),
      ),
    );
    const leaksOf = (secrets: readonly PlantedSecret[]) =>
      secrets.flatMap(({ kind }) => [...(search.leaks.get(kind) ?? [])].map((where) => `${kind}: ${where}`));
    const leaks = leaksOf(planted);
    process.stdout.write(
      `secrets: ${plantSecrets().length} kinds, ${planted.length} secrets, ${waysIn.size} ways in, ${waysOut.size} ways out, ` +
        `${outputs.length} answers, ${Math.round(search.bytes / 1e6)} MB looked through, ${leaks.length} leaks\n`,
    );
    expect(leaks.slice(0, 60)).toEqual([]);

    // What is not recognised is named in docs/operation.md.
    for (const [way, secrets] of causes) {
      const leaked = secrets.filter(({ kind }) => search.leaks.has(kind));
      const percent = (100 * leaked.length) / secrets.length;
      const plain = plainTexts.get(way) ?? [];
      expect.soft(plain.filter(({ kind }) => !search.leaks.has(kind)).length, `${way}: lost texts`).toBe(0);
      process.stdout.write(`causes: ${secrets.length}, ${way}: ${percent.toFixed(1)} % leak\n`);
      if (process.env.SHOW_LEAKS) process.stdout.write(`${leaksOf(leaked).join('\n')}\n`);
      expect.soft(percent, `${way}:\n${leaksOf(leaked).slice(0, 40).join('\n')}`).toBeLessThan(5);
    }
  });
});
