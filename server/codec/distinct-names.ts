import { by, inTurn } from '@/lib/collections/compare';
import { resourceKey } from '@/lib/observation/client-state';
import { duplicateName } from '@/lib/xds/duplicate-name';
import { RDS } from '@/lib/xds/resource-type';
import type { ReportedResource } from './resource-message';

/**
 * Names the resources of one report. Some types have no name, Envoy has listeners without one, and inline route configs
 * without a name or with equal names ("local_route"), and a CSDS answer may repeat any name. The first one keeps its name, and the others get
 * "(duplicate 2)" and so on.
 */
export class DistinctNames {
  readonly #hashes = new Map<string, (string | null)[]>();

  /** The name of a resource whose type and name were reported before. */
  repeat(resource: ReportedResource): ReportedResource {
    const { hash } = resource;
    const hashes = this.#hashesOf(resource);
    // The first one was not named here.
    if (hashes.length === 0) hashes.push(null);
    hashes.push(hash);
    return renamed(resource, hashes.length);
  }

  /**
   * Names a resource of a config dump. Returns undefined if the resource is known, or if its type is one whose resources
   * have different names.
   */
  next(resource: ReportedResource): ReportedResource | undefined {
    const { typeUrl, name, hash } = resource;
    if (hash === null || !(typeUrl === RDS.typeUrl || name === '')) return undefined;
    const hashes = this.#hashesOf(resource);
    // A static listener is in the bootstrap as well.
    if (typeUrl !== RDS.typeUrl && hashes.includes(hash)) return undefined;
    hashes.push(hash);
    return hashes.length === 1 ? resource : renamed(resource, hashes.length);
  }

  #hashesOf({ typeUrl, name }: ReportedResource): (string | null)[] {
    const key = `${typeUrl}\u0000${name}`;
    const hashes = this.#hashes.get(key) ?? [];
    this.#hashes.set(key, hashes);
    return hashes;
  }
}

/** The rows that have another name than their resource, with its name. A resource may really be called "x (duplicate 2)". */
const realNames = new WeakMap<ReportedResource, string>();

function renamed(resource: ReportedResource, number: number): ReportedResource {
  const named = { ...resource, name: duplicateName(resource.name, number) };
  realNames.set(named, resource.name);
  return named;
}

/** A later row of a resource counts instead of an earlier one, which it completes. */
export function onceEach(rows: readonly ReportedResource[]): ReportedResource[] {
  return [...new Map(rows.map((row) => [`${realNames.has(row)} ${resourceKey(row)}`, row])).values()];
}

/**
 * Dumps list route configs in any order. Each keeps its name if those of one name are in the order of their changes,
 * because most changes are additions.
 */
export function orderDuplicates(rows: readonly ReportedResource[]): readonly ReportedResource[] {
  const groups = new Map<string, ReportedResource[]>();
  const keyOf = (row: ReportedResource): string =>
    resourceKey({ typeUrl: row.typeUrl, name: realNames.get(row) ?? row.name });
  for (const row of rows) if (realNames.has(row)) groups.set(keyOf(row), []);
  if (groups.size === 0) return rows;
  for (const row of rows) groups.get(keyOf(row))?.push(row);
  for (const group of groups.values())
    group.sort(
      inTurn(
        by((each) => each.lastUpdated ?? 0),
        by((each) => each.hash ?? ''),
      ),
    );
  const taken = new Set(rows.flatMap((row) => (realNames.has(row) ? [] : [resourceKey(row)])));
  return rows.flatMap((row) => {
    const group = groups.get(keyOf(row));
    if (group === undefined) return [row];
    let number = 0;
    return group.splice(0).map((each) => {
      const real = realNames.get(each) ?? each.name;
      do number += 1;
      while (
        number > 1 &&
        taken.has(resourceKey({ typeUrl: each.typeUrl, name: duplicateName(real, number) }))
      );
      return number === 1 ? { ...each, name: real } : renamed({ ...each, name: real }, number);
    });
  });
}
