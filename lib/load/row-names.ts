import type { Locality } from '../observation/observation';

/**
 * Assigns numbers from 0 on to the names of load reports. The number of a name is the same until the name is removed. Numbers
 * of removed names are used again, so that they stay below the largest number of names at one time.
 */
export class RowNames {
  /** Cluster name -> EDS service name -> number. */
  readonly #clusters = new Map<string, Map<string, number>>();
  /** Region -> zone -> sub-zone -> priority -> number. */
  readonly #places = new Map<string, Map<string, Map<string, Map<number, number>>>>();
  readonly #categories = new Map<string, number>();
  /** Cluster and place or category -> number. */
  readonly #rows = new Map<number, number>();
  #count = 0;
  readonly #free: number[] = [];
  /** The number of rows that use a place or category, by its number. */
  readonly #uses = new Map<number, number>();

  readonly #next = (): number => this.#free.pop() ?? this.#count++;

  findCluster(clusterName: string, clusterServiceName: string): number | undefined {
    return this.#clusters.get(clusterName)?.get(clusterServiceName);
  }

  clusterOf(clusterName: string, clusterServiceName: string): number {
    const services = inner(this.#clusters, clusterName);
    return known(services, clusterServiceName, this.#next);
  }

  /** Precondition: the localities and categories of the cluster are removed as well. */
  removeCluster(clusterName: string, clusterServiceName: string): void {
    const services = this.#clusters.get(clusterName);
    const number = services?.get(clusterServiceName);
    if (services === undefined || number === undefined) return;
    services.delete(clusterServiceName);
    if (services.size === 0) this.#clusters.delete(clusterName);
    this.#free.push(number);
  }

  findLocality(cluster: number, { region, zone, subZone }: Locality, priority: number): number | undefined {
    const place = this.#places.get(region)?.get(zone)?.get(subZone)?.get(priority);
    return place === undefined ? undefined : this.#rows.get(pairOf(cluster, place));
  }

  localityOf(cluster: number, { region, zone, subZone }: Locality, priority: number): number {
    const priorities = inner(inner(inner(this.#places, region), zone), subZone);
    return this.#rowOf(cluster, known(priorities, priority, this.#next));
  }

  removeLocality(cluster: number, { region, zone, subZone }: Locality, priority: number): void {
    const zones = this.#places.get(region);
    const subZones = zones?.get(zone);
    const priorities = subZones?.get(subZone);
    const place = priorities?.get(priority);
    if (place === undefined || !this.#removeRow(cluster, place)) return;
    priorities?.delete(priority);
    if (priorities?.size === 0) subZones?.delete(subZone);
    if (subZones?.size === 0) zones?.delete(zone);
    if (zones?.size === 0) this.#places.delete(region);
  }

  findCategory(cluster: number, category: string): number | undefined {
    const drop = this.#categories.get(category);
    return drop === undefined ? undefined : this.#rows.get(pairOf(cluster, drop));
  }

  categoryOf(cluster: number, category: string): number {
    return this.#rowOf(cluster, known(this.#categories, category, this.#next));
  }

  removeCategory(cluster: number, category: string): void {
    const drop = this.#categories.get(category);
    if (drop !== undefined && this.#removeRow(cluster, drop)) this.#categories.delete(category);
  }

  #rowOf(cluster: number, other: number): number {
    const pair = pairOf(cluster, other);
    const row = this.#rows.get(pair);
    if (row !== undefined) return row;
    this.#uses.set(other, (this.#uses.get(other) ?? 0) + 1);
    const added = this.#next();
    this.#rows.set(pair, added);
    return added;
  }

  /** Removes a row. Returns true if no other row uses its place or category, whose number is free then. */
  #removeRow(cluster: number, other: number): boolean {
    const pair = pairOf(cluster, other);
    const row = this.#rows.get(pair);
    if (row === undefined) return false;
    this.#rows.delete(pair);
    this.#free.push(row);
    const uses = (this.#uses.get(other) ?? 1) - 1;
    if (uses > 0) {
      this.#uses.set(other, uses);
      return false;
    }
    this.#uses.delete(other);
    this.#free.push(other);
    return true;
  }
}

/** Unique, since LoadTable and LoadNames limit numbers far below 2^26. */
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
