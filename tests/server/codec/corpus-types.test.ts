import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findMessageType } from '@/server/codec/root';
import { projectRoot } from '@/server/project-root';
import { corpusDir, hasCorpus } from '@/tests/support/builders/codec-corpus';

/** Each type URL of the corpus that is not decoded, and why. */
const notDecoded: Readonly<Record<string, string>> = {
  'acme.MyLb': 'a load balancing policy that a test of NACKs made up',
  'envoy.config': 'Envoy cut the NACK text in the middle of "envoy.config.route.v3.RouteConfiguration"',
  'envoy.config.listener.v3.Listen':
    'Envoy cut the NACK text in the middle of "envoy.config.listener.v3.Listener"',
};

const listFile = path.join(projectRoot, 'tests/fixtures/protos/corpus-types.txt');
const listed = readFileSync(listFile, 'utf8').trimEnd().split('\n');

const prefix = 'type.googleapis.com/';
const typeUrl = /type\.googleapis\.com\/([A-Za-z]\w*(?:\.\w+)+)/g;

/** The names of the types in a file. In a message, a type URL follows its length, unless it is part of a text. */
function namesIn(name: string, content: Buffer): string[] {
  const isMessage = name.endsWith('.bin') || name.endsWith('.binpb');
  return [...content.toString('latin1').matchAll(typeUrl)].map(({ 1: text = '', index }) => {
    const length = content[index - 1] ?? 0;
    return !isMessage || ' "'.includes(String.fromCharCode(length))
      ? text
      : text.slice(0, length - prefix.length);
  });
}

function typesOfCorpus(): string[] {
  const names = new Set<string>();
  for (const entry of readdirSync(corpusDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const raw = readFileSync(path.join(entry.parentPath, entry.name));
    const content = entry.name.endsWith('.gz') ? gunzipSync(raw) : raw;
    for (const each of namesIn(entry.name.replace(/\.gz$/, ''), content)) names.add(each);
  }
  return [...names].sort();
}

describe('the types of the corpus', () => {
  it.each(listed)('%s is decoded, or it is listed why not', (name) => {
    expect(findMessageType(name) !== undefined).toBe(!Object.hasOwn(notDecoded, name));
  });

  it.skipIf(!hasCorpus)('are those of the list', () => {
    expect(typesOfCorpus()).toEqual(listed);
  });
});
