import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../support/e2e-server';
import { isLong } from '../support/runs';

/** The limit of what one document may add to the memory of the process, and what all of them may add together. */
const mostGrowthMb = 300;
const mostOfAllMb = 500;

const type = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const keys = Array.from({ length: 1_000_000 }, (_, index) => `"key${index}":${index}`);
const object = `{${keys.join(',')}}`;
const cluster = `{"@type":"${type}","name":"a","metadata":{"filterMetadata":{"x":${object}}}}`;
const unknown = `{"@type":"${type}","name":"a",${object.slice(1)}`;
const inDump = (resource: string): string =>
  `{"configs":[{"@type":"type.googleapis.com/envoy.admin.v3.ClustersConfigDump","dynamic_active_clusters":[{"cluster":${resource}}]}]}`;
const inCsds = `{"config":[{"node":{"id":"n","metadata":${object}},"genericXdsConfigs":[{"typeUrl":"${type}","name":"a","xdsConfig":${cluster}}]}]}`;
/** The largest number of keys within the limit of YAML, 8 MiB. */
const yaml = (indent: string): string =>
  keys
    .slice(0, 400_000)
    .map((_, index) => `${indent}key${index}: ${index}\n`)
    .join('');

/** Ten objects that are each within the limit of one. */
const divided = Array.from({ length: 10 }, (_, index) => `"x${index}":{${keys.slice(0, 99_999).join(',')}}`);
const dividedObject = `{${divided.join(',')}}`;
const dividedCluster = `{"@type":"${type}","name":"a","metadata":{"filterMetadata":${dividedObject}}}`;
const dividedUnknown = `{"@type":"${type}","name":"a",${divided.join(',')}}`;
/** Four mappings of 99,999 keys. */
const dividedYaml = Array.from(
  { length: 4 },
  (_, at) =>
    `x${at}:\n${keys
      .slice(0, 99_999)
      .map((_key, index) => `  key${index}: ${index}\n`)
      .join('')}`,
).join('');
const oneObject = /expected at most 100000 members in an object, got (?:1000000|1000002|400000)/;
const oneDocument = /expected at most \d+ members in a document, got (?:1000\d\d\d|999999|4000\d\d)/;

let dataDir: string;
let server: RunningServer;

/** Before the first document. */
let idleMb = 0;

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'xdscope-large-objects-'));
  server = await startServer(['--data-dir', dataDir, '--lrs-listen', '127.0.0.1:0']);
  idleMb = memoryMb('VmRSS');
});

afterAll(async () => {
  await server.stop('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

function post(route: string, body: string, contentType = 'application/json'): Promise<Response> {
  const headers = { 'content-type': contentType };
  const signal = AbortSignal.timeout(240_000);
  return fetch(`${server.url}/api/v1/${route}`, { method: 'POST', headers, body, signal });
}

/** Resident memory now (VmRSS) or at most (VmHWM), MB. */
function memoryMb(name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
}

const documents: [
  what: string,
  route: string,
  body: string,
  status: number,
  contentType?: string,
  limit?: RegExp,
][] = [
  ['an object, validated', 'validate', object, 400],
  ['YAML in brackets, validated', 'validate', `a: {${keys.slice(0, 400_000).join(',')}}`, 400, 'text/yaml'],
  ['fields that no type has, imported', 'imports?name=a.json', inDump(unknown), 201],
  ['metadata of a node, imported', 'imports?name=a.json', inCsds, 201],
  ['a nested object, imported', 'imports?name=a.json', `{"a":{"b":${object}}}`, 400],
  ['nested YAML, imported', 'imports?name=a.yaml', `a:\n  b:\n${yaml('    ')}`, 400],
  ['ten maps of a resource, validated', 'validate', dividedCluster, 400, 'application/json', oneDocument],
  ['four YAML mappings, validated', 'validate', dividedYaml, 400, 'application/yaml', oneDocument],
  [
    'ten maps of a resource, imported',
    'imports?name=a.json',
    inDump(dividedCluster),
    201,
    'application/json',
    oneDocument,
  ],
];

/** The same shapes by the other reader or in an envelope, in `npm run test:long` alone. */
const otherDocuments: typeof documents = [
  ['a resource in an envelope, validated', 'validate', `{"typeUrl":"${type}","resource":${object}}`, 400],
  ['ten unknown fields, validated', 'validate', dividedUnknown, 400, 'application/json', oneDocument],
  ['ten objects, imported', 'imports?name=a.json', dividedObject, 400, 'application/json', oneDocument],
  ['a map of a resource, validated', 'validate', cluster, 400],
  ['fields that no type has, validated', 'validate', unknown, 400],
  ['YAML, validated', 'validate', yaml(''), 400, 'application/yaml'],
  ['an object, imported', 'imports?name=a.json', object, 400],
  ['a map of a resource, imported', 'imports?name=a.json', inDump(cluster), 201],
  ['YAML, imported', 'imports?name=a.yaml', yaml(''), 400],
  ['ten objects, validated', 'validate', dividedObject, 400, 'application/json', oneDocument],
  [
    'ten unknown fields, imported',
    'imports?name=a.json',
    inDump(dividedUnknown),
    201,
    'application/json',
    oneDocument,
  ],
];

describe('a document with an object of a million keys', () => {
  // Limits of one object and of one document for each reader: tests/server/codec/document-nesting.test.ts.
  it.each(isLong ? [...documents, ...otherDocuments] : documents)(
    'takes less than 300 MB: %s',
    async (what, route, body, status, contentType, limit = oneObject) => {
      const beforeMb = memoryMb('VmRSS');
      // This resets VmHWM (proc(5)).
      writeFileSync(`/proc/${server.process.pid}/clear_refs`, '5');
      const response = await post(route, body, contentType);
      const text = await response.text();
      const peakMb = memoryMb('VmHWM');
      const growth = peakMb - beforeMb;
      const size = (body.length / 1e6).toFixed(1);
      process.stdout.write(`${what}: ${size} MB of text grew the process by ${growth.toFixed(0)} MB\n`);
      expect(response.status).toBe(status);
      expect(text).toMatch(limit);
      expect(growth).toBeLessThan(mostGrowthMb);
      expect(peakMb - idleMb).toBeLessThan(mostOfAllMb);
    },
    90_000,
  );
});

describe('a document of many levels', () => {
  const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const json = nested(500_000);
  const lists = '['.repeat(500_000) + ']'.repeat(500_000);
  /** Within the limit of a JSON body, 256 KiB. */
  const shorter = nested(40_000);
  const atMost =
    /expected at most 500 levels of nesting, got (?:499999|500000|500001|40000|40001|at least 501)/;
  const inLists = /expected at most 20 levels of nesting, got at least 21/;

  it.each([
    ['validate', json, 400, atMost],
    ['validate', lists, 400, inLists],
    ['validate', `{"typeUrl":"${type}","resource":${json}}`, 400, atMost],
    ['validate', `${'- '.repeat(500_000)}a`, 400, atMost, 'application/yaml'],
    ['validate', lists, 400, inLists, 'application/yaml'],
    ['imports?name=a.json', json, 400, atMost],
    ['imports?name=a.json', lists, 400, inLists],
    ['sources', shorter, 400, atMost],
    ['permalinks', shorter, 400, atMost],
    ['failover/simulate', shorter, 400, atMost],
    ['sources', json, 413, /expected at most 262144 bytes, got 3000001/],
    ['permalinks', json, 413, /expected at most 262144 bytes, got 3000001/],
    ['failover/simulate', json, 413, /expected at most 262144 bytes, got 3000001/],
  ])('is rejected: POST %s', async (route, body, status, detail, contentType?: string) => {
    const response = await post(route, body, contentType);
    const problem: unknown = await response.json();
    expect({ status: response.status, problem }).toMatchObject({
      status,
      problem: { detail: expect.stringMatching(detail) },
    });
  });
});
