import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseResource } from '@/lib/model/parse-resource';
import { Resolver } from '@/lib/resolve/resolver';
import type { ResolveResource } from '@/lib/resolve/resource-store';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { capturesDir, readCapture } from '../../support/builders/codec-corpus';
import { resourceRow } from '../../support/builders/resource-row';

interface Response {
  readonly versionInfo: string;
  readonly typeUrl: string;
  readonly resources?: readonly ({ readonly '@type': string } & Record<string, unknown>)[];
}

/** The contents of the last response of each type on one stream. */
function readNewest(prefix: string): ResolveResource[] {
  const dir = path.join(capturesDir, 'go-control-plane');
  const files = readdirSync(dir).filter(
    (file) => file.startsWith(prefix) && file.endsWith('.protojson.json'),
  );
  const newest = new Map<string, Response>();
  for (const file of files.sort()) {
    const text = readCapture('go-control-plane', file).toString('utf8');
    const response: Response = JSON.parse(text);
    if (response.resources !== undefined) newest.set(response.typeUrl, response);
  }
  return [...newest.values()].flatMap(({ typeUrl, versionInfo, resources = [] }) =>
    resources.map((json) => {
      const model = parseResource(typeUrl, json);
      return { row: resourceRow({ typeUrl, name: model.name, versionInfo }), model };
    }),
  );
}

describe('captures of go-control-plane', () => {
  it('resolve completely for Envoy from each listener', () => {
    const resources = readNewest('sotw');
    const listeners = resources.filter(({ row }) => row.typeUrl === LDS.typeUrl);
    const clusters = new Set(resources.flatMap(({ row }) => (row.typeUrl === CDS.typeUrl ? [row.name] : [])));
    expect(listeners.length).toBeGreaterThan(1);
    const reached = new Set<string>();
    let usable = 0;
    for (const { row } of listeners) {
      const start = { listener: row.name };
      const resolver = new Resolver({ start, profile: 'envoy-1.40' });
      resolver.apply({ changed: resources, removed: [] });
      expect([row.name, resolver.status, [...resolver.missing()]]).toEqual([row.name, 'resolved', []]);
      expect(resolver.listener.kind).toBe('server');
      for (const { entry } of resolver.clusters()) {
        reached.add(entry.name);
        const children = entry.config?.ok === true ? entry.config.value.children : undefined;
        if (children?.kind === 'endpoints') usable += children.use.usable;
      }
    }
    // The bootstrap defines the cluster of the access log.
    expect([...reached].filter((name) => !clusters.has(name))).toEqual(['als_cluster']);
    expect(reached.size).toBeGreaterThan(0);
    expect(usable).toBeGreaterThan(0);
  });

  it('do not resolve for gRPC, which requires an API listener', () => {
    const resources = readNewest('sotw');
    const name = resources.find(({ row }) => row.typeUrl === LDS.typeUrl)?.row.name ?? '';
    const start = { listener: name, authority: name };
    const resolver = new Resolver({ start, profile: 'go-1.73' });
    resolver.apply({ changed: resources, removed: [] });
    expect(resolver.listener.error).toBe(`listener "${name}" is a socket listener, not an API listener`);
  });
});
