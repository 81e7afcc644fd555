import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import { configTypes } from '@/lib/views/fleet/config-types';
import type { FleetMember } from '@/lib/views/fleet/fleet-member';
import type { EpochMs } from '@/lib/xds/units';
import type { KeptClient, KeptPoint } from './saved-sizes';

/** Bytes that one client held at a moment. */
interface ClientSample {
  readonly at: EpochMs;
  /** The key is the type URL. */
  readonly bytes: ReadonlyMap<string, number>;
}

/** Bytes by position in `types`, because thousands of clients have the same few types. */
interface Point {
  readonly at: EpochMs;
  readonly bytes: number[];
}

const defaultMostPoints = 24;

/**
 * Bytes of each client by type, since it was first seen: a point for each change. When a client has too many points,
 * every second one is removed, except for the first. MUTABLE.
 */
export class ClientGrowth {
  readonly #mostPoints: number;

  readonly #types: string[] = [];
  readonly #places = new Map<string, number>();
  #points = new Map<string, Point[]>();

  constructor(mostPoints = defaultMostPoints) {
    this.#mostPoints = mostPoints;
  }

  /** Forgets clients that are not among `members`. */
  *note(at: EpochMs, members: readonly FleetMember[]): Steps<void> {
    const before = this.#points;
    const points = new Map<string, Point[]>();
    for (const [index, { summary }] of members.entries()) {
      if (index % itemsPerStep === 0) yield;
      const known = before.get(summary.id) ?? [];
      points.set(summary.id, known);
      const bytes = this.#bytesOf(summary);
      const last = known.at(-1);
      if (last !== undefined && isSame(last.bytes, bytes)) continue;
      known.push({ at, bytes });
      if (known.length > this.#mostPoints) thinOut(known);
    }
    this.#points = points;
  }

  /** Oldest first; empty for an unknown client. */
  of(clientId: string): ClientSample[] {
    return (this.#points.get(clientId) ?? []).map(({ at, bytes }) => ({
      at,
      bytes: new Map(bytes.flatMap((size, place) => (size === 0 ? [] : [[this.#types[place] ?? '', size]]))),
    }));
  }

  /** Order of `bytes` in what keep() yields. */
  get typeUrls(): readonly string[] {
    return this.#types;
  }

  /** Yields what is to be stored. */
  *keep(): Iterable<KeptClient> {
    for (const [client, points] of this.#points) yield { client, points };
  }

  /** Restores a stored client, whose bytes are in the order of `types`. Precondition: note() was not called. */
  restore(types: readonly string[], { client, points }: KeptClient): void {
    const places = types.map((typeUrl) => this.#placeOf(typeUrl));
    const inOurOrder = ({ at, bytes: reported }: KeptPoint): Point => {
      const bytes: number[] = [];
      for (const [index, size] of reported.entries()) {
        const place = places[index];
        if (place === undefined) continue;
        while (bytes.length <= place) bytes.push(0);
        bytes[place] = size;
      }
      return { at, bytes };
    };
    this.#points.set(client, points.map(inOurOrder));
  }

  /** Sum of all types when the client was first seen. */
  firstOf(clientId: string): { readonly at: EpochMs; readonly bytes: number } | undefined {
    const first = this.#points.get(clientId)?.[0];
    return first && { at: first.at, bytes: first.bytes.reduce((sum, size) => sum + size, 0) };
  }

  #bytesOf(summary: FleetMember['summary']): number[] {
    const bytes: number[] = [];
    for (const { typeUrl, sizeBytes } of configTypes(summary)) {
      if (sizeBytes === undefined) continue;
      const place = this.#placeOf(typeUrl);
      while (bytes.length <= place) bytes.push(0);
      bytes[place] = sizeBytes;
    }
    return bytes;
  }

  #placeOf(typeUrl: string): number {
    const known = this.#places.get(typeUrl);
    if (known !== undefined) return known;
    this.#types.push(typeUrl);
    this.#places.set(typeUrl, this.#types.length - 1);
    return this.#types.length - 1;
  }
}

/** A missing value at the end is 0. */
function isSame(a: readonly number[], b: readonly number[]): boolean {
  const length = Math.max(a.length, b.length);
  for (let place = 0; place < length; place += 1) if ((a[place] ?? 0) !== (b[place] ?? 0)) return false;
  return true;
}

function thinOut(points: Point[]): void {
  const kept = points.filter((_, index) => index % 2 === 0);
  points.splice(0, points.length, ...kept);
}
