import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { buildTwin } from '@/lib/twin/build-twin';
import { loopback, type TwinResource } from '@/lib/twin/twin';
import { SDS } from '@/lib/xds/resource-type';
import { decodeBody } from '@/server/codec/decode-body';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readResources } from '@/server/codec/dump-parser/read-resources';
import { encodeBody } from '@/server/codec/encode-body';
import { CertificateAuthority } from '@/server/lab/certificates/certificate-authority';
import { corpusDir, hasCorpus } from '../../support/builders/codec-corpus';

const authority = new CertificateAuthority('twin', () => Date.now());
const throwAway = authority.issue({});

function listDumps(): string[] {
  if (!existsSync(corpusDir)) return [];
  const files = readdirSync(corpusDir, { recursive: true, encoding: 'utf8' });
  return files.filter((name) => /config_dump[^/]*\.json(\.gz)?$/.test(name)).sort();
}

function readDump(file: string): TwinResource[] {
  const bytes = readFileSync(path.join(corpusDir, file));
  const { resources } = readResources(planReport(file.endsWith('.gz') ? gunzipSync(bytes) : bytes, {}));
  return resources.map((found) => ({
    typeUrl: found.typeUrl,
    name: found.name,
    json: decodeBody(found.typeUrl, found.bytes).json,
  }));
}

function twinOf(resources: readonly TwinResource[]) {
  let port = 20_000;
  return buildTwin(resources, {
    client: 'envoy',
    nextPort: () => port++,
    issue: () => throwAway,
    authority: authority.certificate,
    keySet: '{"keys":[]}',
    mostEndpoints: 2_000,
  });
}

interface Leaf {
  readonly path: string;
  readonly key: string;
  readonly value: unknown;
}

/** Every member of the config except the contents of metadata, which no code of Envoy opens or dials. */
function* leavesOf(json: unknown, at = '', key = ''): Iterable<Leaf> {
  if (Array.isArray(json))
    for (const [index, item] of json.entries()) yield* leavesOf(item, `${at}[${index}]`, key);
  else if (typeof json === 'object' && json !== null) {
    for (const [name, member] of Object.entries(json)) {
      if (name !== 'filterMetadata') yield* leavesOf(member, `${at}.${name}`, name);
    }
  } else yield { path: at, key, value: json };
}

describe.skipIf(!hasCorpus)('twins of real config dumps (skipped without ../shared/corpus)', () => {
  const dumps = listDumps();

  it.each(dumps)('%s: no address beyond loopback, no file and no secret remains', (file) => {
    const { resources } = twinOf(readDump(file));
    const found = resources.flatMap(({ name, json }) => {
      return [...leavesOf(json)].flatMap(({ path: place, key, value }) => {
        const isAddress = /socketAddress\.address$/.test(place) && value !== loopback;
        const isFile =
          ['filename', 'environmentVariable'].includes(key) || /\.(?:pipe|watchedDirectory)\b/.test(place);
        const isKey = typeof value === 'string' && value.includes('PRIVATE KEY') && value !== throwAway.key;
        const isSource = /[cC]onfigSource$|sdsConfig$/.test(key);
        return isAddress || isFile || isKey || isSource ? [`${name}${place} = ${String(value)}`] : [];
      });
    });
    expect(found).toEqual([]);
    expect(resources.filter(({ typeUrl }) => typeUrl === SDS.typeUrl)).toEqual([]);
  });

  it.each(dumps)('%s: each resource is encoded, and its twin is the same config', (file) => {
    const { resources, listeners, backends } = twinOf(readDump(file));
    for (const { typeUrl, json } of resources) expect(encodeBody(typeUrl, json).length).toBeGreaterThan(0);
    const ports = [...listeners, ...backends].map(({ port }) => port);
    expect(new Set(ports).size).toBe(ports.length);
    const again = twinOf(resources);
    expect(again.resources.length).toBe(resources.length);
  });

  it.each(dumps)('%s: each part that is not kept is a change', (file) => {
    const before = readDump(file);
    const { resources, changes } = twinOf(before);
    for (const { typeUrl, name, json } of before) {
      const noted = changes.filter((change) => change.typeUrl === typeUrl && change.name === name);
      const places = noted.map((change) => change.path);
      const twin = resources.find((each) => each.typeUrl === typeUrl && each.name === name);
      if (twin === undefined) {
        expect(noted, `${typeUrl} ${name}`).toContainEqual(
          expect.objectContaining({ path: '', what: 'removed' }),
        );
        continue;
      }
      const kept = new Set([...leavesOf(twin.json)].map((leaf) => leaf.key));
      for (const { path: place, key } of leavesOf(json)) {
        if (kept.has(key)) continue;
        const dotted = place.slice(1);
        const isNoted = places.some((each) => each === '' || dotted.startsWith(each));
        expect(isNoted, `${name}: ${dotted} is not among ${places.join(', ')}`).toBe(true);
      }
    }
  });
});
