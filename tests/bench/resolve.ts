import { performance } from 'node:perf_hooks';
import { parseResource } from '@/lib/model/parse-resource';
import { Resolver } from '@/lib/resolve/resolver';
import type { ResolveResource } from '@/lib/resolve/resource-store';
import { decodeBody } from '@/server/codec/decode-body';
import { endpointsOf, type MeshBody, meshOf } from './resolve-mesh';

const rounds = 200;
function read({ typeUrl, name, bytes }: MeshBody): ResolveResource {
  const model = parseResource(typeUrl, decodeBody(typeUrl, bytes).json);
  const row = {
    typeUrl,
    name,
    versionInfo: '1',
    clientStatus: 'ACKED',
    errorState: null,
    hash: name,
    changedAt: '2026-01-01T00:00:00.000Z',
  } as const;
  return { row, model };
}

function timed<T>(work: () => T): { readonly result: T; readonly tookMs: number } {
  const startedAt = performance.now();
  const result = work();
  return { result, tookMs: performance.now() - startedAt };
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

function measure(size: number) {
  const bodies = meshOf(size);
  const start = { listener: 'shop', authority: 'shop' };
  const decode = timed(() => bodies.map(read));
  const first = timed(() => {
    const resolver = new Resolver({ start, profile: 'core', errorModel: 'a88' });
    resolver.apply({ changed: decode.result, removed: [] });
    return resolver;
  });
  const resolver = first.result;
  if (resolver.status !== 'resolved' || resolver.clusterCount !== size) {
    throw new Error(
      `bench: expected ${size} clusters resolved, got ${resolver.clusterCount} ${resolver.status}`,
    );
  }
  const updates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = `cluster-${(round * 7_919) % size}`;
    const body = endpointsOf(name, 1_000 + round);
    const { result, tookMs } = timed(() => resolver.apply({ changed: [read(body)], removed: [] }));
    if (result.clusters.size !== 1)
      throw new Error(`bench: expected one cluster, got ${result.clusters.size}`);
    updates.push(tookMs);
  }
  return { size, decodeMs: decode.tookMs, firstMs: first.tookMs, updateMs: median(updates) };
}

// The first one warms up.
measure(1_000);
process.stdout.write(
  'resolved config: decode and read, first resolve, one changed EDS resource (read and applied)\n',
);
for (const { size, decodeMs, firstMs, updateMs } of [measure(1_000), measure(10_000), measure(30_000)]) {
  const ratio = ((decodeMs + firstMs) / updateMs).toFixed(0);
  process.stdout.write(
    `${String(size).padStart(6)} clusters   read ${decodeMs.toFixed(0).padStart(6)} ms   first ${firstMs.toFixed(1).padStart(6)} ms   update ${updateMs.toFixed(3)} ms   ${ratio} x\n`,
  );
}
