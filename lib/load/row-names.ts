import type { Locality } from '../observation/observation';

/** Of names that a report may have: a number for each, from 0 on, the same one for the same, as long as this lives. */
export class RowNames {
  /** Cluster name -> EDS service name -> number. */
  readonly #clusters = new Map<string, Map<string, number>>();
  /** Region -> zone -> sub-zone -> priority -> number. */
  readonly #places = new Map<string, Map<string, Map<string, Map<number, number>>>>();
  readonly #categories = new Map<string, number>();
  /** Cluster and place or category -> number. */
  readonly #rows = new Map<number, number>();
  #count = 0;

  findCluster(clusterName: string, clusterServiceName: string): number | undefined {
    return this.#clusters.get(clusterName)?.get(clusterServiceName);
  }

  clusterOf(clusterName: string, clusterServiceName: string): number {
    const services = inner(this.#clusters, clusterName);
    return known(services, clusterServiceName, () => this.#count++);
  }

  findLocality(cluster: number, { region, zone, subZone }: Locality, priority: number): number | undefined {
    const place = this.#places.get(region)?.get(zone)?.get(subZone)?.get(priority);
    return place === undefined ? undefined : this.#rows.get(pairOf(cluster, place));
  }

  /** Of a locality of a cluster. */
  localityOf(cluster: number, { region, zone, subZone }: Locality, priority: number): number {
    const priorities = inner(inner(inner(this.#places, region), zone), subZone);
    const place = known(priorities, priority, () => this.#count++);
    return known(this.#rows, pairOf(cluster, place), () => this.#count++);
  }

  findCategory(cluster: number, category: string): number | undefined {
    const drop = this.#categories.get(category);
    return drop === undefined ? undefined : this.#rows.get(pairOf(cluster, drop));
  }

  /** Of a drop category of a cluster. */
  categoryOf(cluster: number, category: string): number {
    const drop = known(this.#categories, category, () => this.#count++);
    return known(this.#rows, pairOf(cluster, drop), () => this.#count++);
  }
}

/** Exact: numbers stay far below 2^26, as names are bounded by who lets reports in. */
function pairOf(cluster: number, other: number): number {
  return cluster * 2 ** 26 + other;
}

function known<Key>(numbers: Map<Key, number>, key: Key, next: () => number): number {
  let number = numbers.get(key);
  if (number === undefined) {
    number = next();
    numbers.set(key, number);
  }
  return number;
}

function inner<Key, InnerKey, Value>(maps: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  let map = maps.get(key);
  if (map === undefined) {
    map = new Map();
    maps.set(key, map);
  }
  return map;
}
