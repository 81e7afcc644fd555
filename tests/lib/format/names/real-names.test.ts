import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { formatName } from '@/lib/format/names/format-name';
import { parseName } from '@/lib/format/names/parse-name';
import { hasCorpus, readCapture, readCorpus } from '../../../support/builders/codec-corpus';
import { findResources, type RealResource, realResources } from '../../../support/builders/real-resources';

/** The names of resources by type. */
type NamesByType = Map<string, Set<string>>;

function collectNames(resources: Iterable<RealResource>): NamesByType {
  const names: NamesByType = new Map();
  for (const resource of resources) {
    const name = resource.name ?? resource.cluster_name ?? resource.clusterName;
    if (typeof name !== 'string') continue;
    const ofType = names.get(resource['@type']) ?? new Set();
    names.set(resource['@type'], ofType.add(name));
  }
  return names;
}

/** Pairs of names of one type whose short forms are equal. */
function findEqualForms(names: NamesByType): string[] {
  return [...names].flatMap(([typeUrl, ofType]) => {
    const byForm = new Map([...ofType].map((name) => [formatName(name, typeUrl), name]));
    return [...ofType].flatMap((name) => {
      const last = byForm.get(formatName(name, typeUrl));
      return last === name ? [] : [`${name} = ${last}`];
    });
  });
}

describe('short forms of real names', () => {
  it.each([
    ['istio', 'istio/cart-1.config_dump.json.gz'],
    ['envoy-gateway', 'envoy-gateway/config_dump.json.gz'],
  ])('are distinct in a dump of %s, and most names are parsed', (convention, file) => {
    const names = collectNames(findResources(JSON.parse(gunzipSync(readCapture(file)).toString())));
    expect(findEqualForms(names)).toEqual([]);
    const all = [...names].flatMap(([typeUrl, ofType]) =>
      [...ofType].map((name) => parseName(name, typeUrl)),
    );
    const parsed = all.filter((name) => name?.convention === convention);
    expect(all.length).toBeGreaterThan(10);
    expect(parsed.length / all.length).toBeGreaterThan(0.6);
  });

  it.skipIf(!hasCorpus)('are distinct in the files of public projects', () => {
    expect(findEqualForms(collectNames([...realResources()].map(({ resource }) => resource)))).toEqual([]);
  });

  it.skipIf(!hasCorpus)('are distinct in a dump of Kuma', () => {
    const dump = readCorpus('captures/kuma/cart-1.config_dump.include_eds.json').toString();
    expect(findEqualForms(collectNames(findResources(JSON.parse(dump))))).toEqual([]);
  });
});
