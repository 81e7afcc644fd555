import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import type { ResourceKey, ResourceState } from '@/lib/observation/resource-state';
import { findFirstMismatch } from '@/lib/sync/find-first-mismatch';
import { bodyOf } from '@/lib/sync/propagation-state';

type DivergenceKind = 'content' | 'missing' | 'extra';

/** A resource whose content the two variants deliver differently, by its hashes. */
export interface VariantDifference {
  readonly key: ResourceKey;
  readonly kind: DivergenceKind;
  readonly sotwHash?: string | undefined;
  readonly deltaHash?: string | undefined;
}

type Resources = ReadonlyMap<string, ResourceState>;

/** The key is resourceKey(). */
export function* compareVariants(
  sotw: Resources,
  delta: Resources,
): Steps<{ differences: Map<string, VariantDifference>; compared: number }> {
  const differences = new Map<string, VariantDifference>();
  let compared = 0;
  const compare = (key: string): boolean => {
    const difference = differenceOf(sotw.get(key), delta.get(key));
    if (difference !== undefined) differences.set(key, difference);
    compared += 1;
    return compared % itemsPerStep === 0;
  };
  for (const key of sotw.keys()) if (compare(key)) yield;
  for (const key of delta.keys()) if (!sotw.has(key) && compare(key)) yield;
  return { differences, compared };
}

function differenceOf(
  left: ResourceState | undefined,
  right: ResourceState | undefined,
): VariantDifference | undefined {
  const states = {
    sotw: left ?? 'unnamed',
    delta: right ?? 'unnamed',
    controlPlane: null,
    client: null,
  } as const;
  const { hop } = findFirstMismatch(states, () => false);
  const state = left ?? right;
  if (hop === null || state === undefined) return undefined;
  if (hop.kind !== 'content' && hop.kind !== 'missing' && hop.kind !== 'extra') return undefined;
  return {
    key: { typeUrl: state.typeUrl, name: state.name },
    kind: hop.kind,
    sotwHash: left && bodyOf('sotw', left),
    deltaHash: right && bodyOf('delta', right),
  };
}
