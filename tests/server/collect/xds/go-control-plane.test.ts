import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CDS, ECDS, EDS, LDS, RDS, RTDS, SRDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { decodeEnvelope } from '@/server/collect/xds/response/decode-response';
import { readEntries } from '@/server/collect/xds/response/read-entries';
import type { NamedResource, ResponseEnvelope } from '@/server/collect/xds/response/response-envelope';
import { capturesDir, readCapture } from '../../../support/builders/codec-corpus';

const folder = 'go-control-plane';
const codec = createCodec({ redactionKey: new Uint8Array(32) });

interface Capture {
  readonly file: string;
  readonly envelope: ResponseEnvelope;
  readonly resources: readonly NamedResource[];
  readonly json: { resources?: Record<string, unknown>[]; removedResources?: string[] };
}

function capturesOf(variant: 'sotw' | 'delta'): Capture[] {
  const isDelta = variant === 'delta';
  return readdirSync(path.join(capturesDir, folder))
    .filter((file) => file.startsWith(variant) && file.endsWith('.bin'))
    .sort()
    .map((file) => {
      const result = decodeEnvelope(readCapture(folder, file), {
        isDelta,
        typeUrl: null,
        apiVersion: 'v3',
      });
      if (result.kind !== 'envelope') throw new Error(`${file}: ${result.reason}`);
      const entries = [...readEntries(result.envelope, codec.nameOf)];
      const resources = entries.filter((entry) => entry.kind === 'resource');
      expect(resources, file).toHaveLength(entries.length);
      const json = JSON.parse(readCapture(folder, file.replace(/bin$/, 'protojson.json')).toString('utf8'));
      return { file, envelope: result.envelope, resources, json };
    });
}

const typesOf = (captures: readonly Capture[]): string[] => [
  ...new Set(captures.map(({ envelope }) => envelope.typeUrl)),
];
const nameIn = (json: Record<string, unknown>): unknown => json.clusterName ?? json.name;
const allTypes = [LDS, RDS, SRDS, CDS, EDS, RTDS, ECDS].map(({ typeUrl }) => typeUrl);

describe('responses of go-control-plane', () => {
  test('delta: each resource has its name, version and content', () => {
    const captures = capturesOf('delta');
    expect(typesOf(captures).sort()).toEqual([...allTypes].sort());
    for (const { file, envelope, resources, json } of captures) {
      const sent = json.resources ?? [];
      expect(
        resources.map(({ name, version }) => [name, version]),
        file,
      ).toEqual(sent.map(({ name, version }) => [name, version]));
      expect(
        resources.every(({ version }) => version.length > 0),
        file,
      ).toBe(true);
      expect(envelope.removedResources, file).toEqual(json.removedResources ?? []);
      for (const [index, { bytes }] of resources.entries()) {
        const body = { ...codec.decode(envelope.typeUrl, bytes) };
        const { '@type': typeUrl, ...expected } = Object(sent[index]?.resource);
        expect([typeUrl, body.json, body.opaque], file).toEqual([envelope.typeUrl, expected, []]);
      }
    }
  });

  test('state of the world: each resource has its name and content', () => {
    const captures = capturesOf('sotw');
    expect(typesOf(captures).sort()).toEqual([...allTypes].sort());
    for (const { file, envelope, resources, json } of captures) {
      const sent = json.resources ?? [];
      expect(
        resources.map(({ name }) => name),
        file,
      ).toEqual(sent.map(nameIn));
      for (const [index, { bytes }] of resources.entries()) {
        const { '@type': typeUrl, ...expected } = Object(sent[index]);
        expect([typeUrl, codec.decode(envelope.typeUrl, bytes).json], file).toEqual([
          envelope.typeUrl,
          expected,
        ]);
      }
    }
  });

  test('a snapshot has the same bytes in both variants', () => {
    const snapshot = (variant: 'sotw' | 'delta', typeUrl: string): Map<string, string> => {
      const found = capturesOf(variant).filter(
        ({ envelope }) => envelope.versionInfo === 'v3' && envelope.typeUrl === typeUrl,
      );
      expect(found).toHaveLength(1);
      const resources = found.flatMap((each) => each.resources);
      return new Map(resources.map(({ name, bytes }) => [name, Buffer.from(bytes).toString('hex')]));
    };
    for (const typeUrl of [LDS, RDS, SRDS, CDS, EDS].map((type) => type.typeUrl)) {
      const [sotw, delta] = [snapshot('sotw', typeUrl), snapshot('delta', typeUrl)];
      expect(sotw.size).toBeGreaterThan(0);
      expect(new Map([...delta].sort())).toEqual(new Map([...sotw].sort()));
    }
  });
});
