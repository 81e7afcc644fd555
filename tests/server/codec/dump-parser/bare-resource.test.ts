import { describe, expect, it } from 'vitest';
import { NestingError } from '@/server/codec/document-nesting';
import { isBareResource } from '@/server/codec/dump-parser/bare-resource';
import { JsonView } from '@/server/codec/dump-parser/json-view';
import { yamlDocuments } from '@/server/codec/dump-parser/yaml-view';

const isBareJson = (text: string) => isBareResource(new JsonView(Buffer.from(text), 0), 'JSON');

describe('isBareResource()', () => {
  it.each([
    ['a cluster', '{"name": "c", "edsClusterConfig": {}, "lbPolicy": "ROUND_ROBIN"}', true],
    ['endpoints', '{"cluster_name": "c", "endpoints": []}', true],
    ['another object', '{"name": "c", "replicas": 3}', false],
    ['an empty object', '{}', false],
    ['a malformed object, whose error its parts report', '{"name": "c", "endpoints": [nil]}', false],
  ])('%s', (_, text, isOne) => {
    expect(isBareJson(text)).toBe(isOne);
  });

  it('reads YAML only if its keys are those of a resource', () => {
    const isBareYaml = (text: string) =>
      yamlDocuments(Buffer.from(text), 0).map((view) => isBareResource(view, 'YAML'));
    expect(isBareYaml('cluster_name: c\nendpoints: []\n')).toEqual([true]);
    expect(isBareYaml('name: c\nreplicas: 3\n')).toEqual([false]);
  });

  it('returns the limit that the object exceeds', () => {
    const deep = `${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`;
    expect(isBareJson(`{"name": "c", "endpoints": [${deep}]}`)).toBeInstanceOf(NestingError);
  });
});
