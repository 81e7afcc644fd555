import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createCodec } from '@/server/codec/codec';
import { CodecError } from '@/server/codec/codec-error';
import { corpusDir, hasCorpus } from '@/tests/support/codec-corpus';

const codec = createCodec({ redactionKey: Buffer.from('tests') });

/** Messages that only hold others; what is in them is counted instead. */
const containers = /ConfigDump$|DiscoveryResponse$|^type\.googleapis\.com\/envoy\.admin\./;

/** Every outermost object with "@type" that is no container. */
function* findResources(json: unknown): Iterable<Record<string, unknown> & { '@type': string }> {
  if (Array.isArray(json)) {
    for (const item of json) yield* findResources(item);
  } else if (typeof json === 'object' && json !== null) {
    const entries = { ...json } as Record<string, unknown>;
    const type = entries['@type'];
    if (typeof type === 'string' && !containers.test(type)) yield { ...entries, '@type': type };
    else for (const value of Object.values(entries)) yield* findResources(value);
  }
}

/** Envoy Gateway's goldens are lists of one type, which the file's name tells. */
const untypedLists: Record<string, string> = {
  clusters: 'envoy.config.cluster.v3.Cluster',
  listeners: 'envoy.config.listener.v3.Listener',
  routes: 'envoy.config.route.v3.RouteConfiguration',
  endpoints: 'envoy.config.endpoint.v3.ClusterLoadAssignment',
  secrets: 'envoy.extensions.transport_sockets.tls.v3.Secret',
};

function readYaml(text: string): unknown[] {
  const documents = parseAllDocuments(text, { logLevel: 'silent' });
  return 'empty' in documents ? [] : documents.map((document) => document.toJS());
}

function readResources(file: string) {
  const text = readFileSync(file, 'utf8');
  const content = text.trimStart().startsWith('{') ? [JSON.parse(text)] : readYaml(text);
  const listed = untypedLists[/\.(\w+)\.yaml$/.exec(file)?.[1] ?? ''];
  if (!file.includes('envoy-gateway') || listed === undefined) return [...findResources(content)];
  return content
    .flat()
    .filter((item): item is Record<string, unknown> => typeof item === 'object' && item !== null)
    .map((item) => ({ ...item, '@type': `type.googleapis.com/${listed}` }));
}

describe.skipIf(!hasCorpus)('resources of real projects (skipped without ../shared/corpus)', () => {
  it('that are of known types decode to what they were', () => {
    const total = { all: 0, known: 0 };
    const reasons = new Map<string, number>();
    const dir = path.join(corpusDir, 'real');
    const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => /\.(json|yaml|golden)$/.test(name))) {
      for (const { '@type': typeUrl, ...resource } of readResources(path.join(dir, file))) {
        total.all++;
        let bytes: Uint8Array;
        try {
          bytes = codec.encode(typeUrl, resource);
        } catch (error) {
          if (!(error instanceof CodecError)) throw error;
          const reason = error.message.replace(/unknown field: .*/, 'unknown field');
          reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
          continue;
        }
        total.known++;
        const { json, opaque, redacted: redactedBefore } = codec.decode(typeUrl, bytes);
        expect(opaque, file).toEqual([]);
        // Envoy's own "[redacted]" is shown as text, which is no base64 any more.
        if (redactedBefore.length === 0) {
          expect(Buffer.from(codec.encode(typeUrl, json)).equals(bytes), file).toBe(true);
        }
        const { body, redacted } = codec.takeBody(typeUrl, bytes);
        expect(body.bytes === bytes, file).toBe(redacted.length === 0);
        if (redacted.length === 0) continue;
        expect(codec.decode(typeUrl, body.bytes).opaque, file).toEqual([]);
        expect(Buffer.from(body.bytes).includes('PRIVATE KEY-----\nM'), file).toBe(false);
      }
    }
    const share = (100 * total.known) / total.all;
    const worst = [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 8);
    process.stdout.write(
      `real resources: ${total.known} of ${total.all} decode (${share.toFixed(1)} %); the others:\n` +
        worst.map(([reason, count]) => `  ${count} x ${reason}\n`).join(''),
    );
    expect(total.all).toBeGreaterThan(400);
    expect(share).toBeGreaterThan(99);
  }, 60_000);
});
