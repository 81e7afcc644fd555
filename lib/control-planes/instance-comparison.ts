import { findResourceType } from '../xds/resource-type';
import type { EpochMs } from '../xds/units';

interface ComparedStream {
  readonly server: string;
  readonly nodeId: string;
  readonly isOpen: boolean;
  readonly types: ReadonlyMap<
    string,
    {
      /** The hash of each resource. Empty: it is not known. */
      readonly sent: ReadonlyMap<string, string>;
      /** More was sent than `sent` has. */
      readonly isPartial: boolean;
      readonly version: string;
      readonly isWildcard: boolean | undefined;
      readonly hasResponse: boolean;
    }
  >;
}

/** Two instances of a control plane send a node different resources, or equal ones with different versions. */
export interface InstanceDifference {
  /** `versions`: names and contents are equal. That is no fault, because each instance may have versions of its own. */
  readonly kind: 'resources' | 'versions';
  readonly nodeId: string;
  readonly typeUrl: string;
  /** In the order of their names. */
  readonly servers: readonly [string, string];
  readonly versions: readonly [string, string];
  /** Names that only one of the two sends, as far as both must send all, and those whose contents differ. */
  readonly onlyFirst: readonly string[];
  readonly onlySecond: readonly string[];
  readonly differing: readonly string[];
  readonly since: EpochMs;
  /** Absent: it lasts. */
  readonly until?: EpochMs;
}

const longestMs = 5_000;
const mostEnded = 200;
const mostNames = 20;

/** Compares what instances of one control plane, each with an address of its own, have sent to one node. */
export class InstanceComparison {
  readonly #streams = new Map<string, Set<ComparedStream>>();
  readonly #open = new Map<string, InstanceDifference>();
  readonly #ended: InstanceDifference[] = [];

  /** Call it when a stream has opened, changed or ended. */
  update(stream: ComparedStream, at: EpochMs): void {
    const { nodeId } = stream;
    const streams = this.#streams.get(nodeId) ?? new Set();
    this.#streams.set(nodeId, streams);
    if (stream.isOpen) streams.add(stream);
    else streams.delete(stream);
    const before = [...this.#open].filter(([, difference]) => difference.nodeId === nodeId);
    const found = new Map<string, InstanceDifference>();
    if (new Set([...streams].map(({ server }) => server)).size > 1 || before.length > 0) {
      for (const difference of findDifferences(nodeId, [...streams], at))
        found.set(keyOf(difference), difference);
    }
    for (const [key, difference] of before) if (!found.has(key)) this.#end(key, difference, at);
    for (const [key, difference] of found) {
      this.#open.set(key, { ...difference, since: this.#open.get(key)?.since ?? at });
    }
  }

  list(now: EpochMs): InstanceDifference[] {
    const lasting = [...this.#open.values()].filter(({ since }) => now - since > longestMs);
    return [...lasting, ...this.#ended].sort((left, right) => right.since - left.since);
  }

  #end(key: string, difference: InstanceDifference, at: EpochMs): void {
    this.#open.delete(key);
    if (at - difference.since <= longestMs) return;
    this.#ended.push({ ...difference, until: at });
    if (this.#ended.length > mostEnded) this.#ended.shift();
  }
}

function keyOf({ kind, nodeId, typeUrl, servers }: InstanceDifference): string {
  return JSON.stringify([kind, nodeId, typeUrl, ...servers]);
}

function* findDifferences(
  nodeId: string,
  streams: readonly ComparedStream[],
  since: EpochMs,
): Generator<InstanceDifference> {
  for (const [index, one] of streams.entries()) {
    for (const other of streams.slice(index + 1)) {
      if (one.server === other.server) continue;
      const [first, second] = one.server < other.server ? [one, other] : [other, one];
      for (const [typeUrl, left] of first.types) {
        const right = second.types.get(typeUrl);
        if (right === undefined || !left.hasResponse || !right.hasResponse) continue;
        // Other names depend on what each client has requested.
        const isWhole =
          findResourceType(typeUrl)?.absenceDeletes === true &&
          [left, right].every(({ isWildcard, isPartial }) => isWildcard === true && !isPartial);
        const onlyFirst = isWhole ? namesWithout(left.sent, right.sent) : [];
        const onlySecond = isWhole ? namesWithout(right.sent, left.sent) : [];
        const differing = [...left.sent].flatMap(([name, hash]) => {
          const otherHash = right.sent.get(name);
          return otherHash === hash || !hash || !otherHash ? [] : [name];
        });
        const isEqual = onlyFirst.length + onlySecond.length + differing.length === 0;
        // Versions of responses without a common resource are not of the same config.
        const isCompared = isWhole || [...left.sent.keys()].some((name) => right.sent.has(name));
        if (isEqual && (!isCompared || left.version === right.version)) continue;
        yield {
          kind: isEqual ? 'versions' : 'resources',
          ...{ nodeId, typeUrl, servers: [first.server, second.server] },
          versions: [left.version, right.version],
          onlyFirst: onlyFirst.slice(0, mostNames),
          onlySecond: onlySecond.slice(0, mostNames),
          differing: differing.slice(0, mostNames),
          since,
        };
      }
    }
  }
}

function namesWithout(names: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): string[] {
  return [...names.keys()].filter((name) => !others.has(name));
}
