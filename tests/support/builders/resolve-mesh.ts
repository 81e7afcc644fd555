import { bodyInEffect } from '@/lib/facts/effect';
import type { ResolveStart } from '@/lib/resolve/resolve-listener';
import { Resolver } from '@/lib/resolve/resolver';
import type { ResolveResource } from '@/lib/resolve/resource-store';
import { profileOfWho, type Who } from '@/lib/xds/profile';
import { type MeshResource, topologyInput } from './topology-mesh';

/** Rows with their models, in the form of the resolver's input. */
export function resolveResources(resources: readonly MeshResource[]): ResolveResource[] {
  const { rows, modelOf } = topologyInput(resources);
  return rows.map((row) => {
    const hash = bodyInEffect(row);
    return { row, model: hash === undefined ? undefined : modelOf(hash, row.typeUrl) };
  });
}

export interface ResolveOptions {
  readonly start?: ResolveStart;
  readonly profile?: Who;
  readonly mayHoldWithdrawn?: boolean;
}

/** A client with the target xds:///shop by default. */
export function resolverOver(
  resources: readonly MeshResource[],
  {
    start = { listener: 'shop', authority: 'shop' },
    profile = 'core',
    mayHoldWithdrawn = false,
  }: ResolveOptions = {},
): Resolver {
  const resolver = new Resolver({ start, profile: profileOfWho(profile), mayHoldWithdrawn });
  resolver.apply({ changed: resolveResources(resources), removed: [] });
  return resolver;
}

/** All results of a resolver in its order. */
export function reportAll(resolver: Resolver): unknown {
  const { dependsOn, ...listener } = resolver.listener;
  return {
    status: resolver.status,
    listener,
    dependsOn: [...dependsOn].sort(),
    clusters: [...resolver.clusters()],
    counts: [resolver.clusterCount, resolver.incompleteCount, { ...resolver.tally }],
    missing: [...resolver.missing()],
  };
}
