import type { Observation } from '../observation/observation';
import { CDS, findResourceType, LDS, RDS } from '../xds/resource-type';
import type { EpochMs } from '../xds/units';
import { HeldResources } from './held-resources';
import { InstanceComparison, type InstanceDifference } from './instance-comparison';
import { SpinCounter } from './spin-counter';

/** A push after which a client had routes or listeners to clusters that the control plane sent later, or removed before. */
interface OrderBreak {
  readonly at: EpochMs;
  readonly clientId: string;
  readonly nodeId: string;
  readonly kind: 'sent-before-cluster' | 'cluster-removed-first';
  /** The listener or route configuration. */
  readonly typeUrl: string;
  readonly name: string;
  readonly cluster: string;
  /** Time until the order was right again. Absent: it is not yet. */
  readonly lastedMs?: number;
  /** The client accepted the push while the cluster was missing: a config tear. Always false of a probe, which has no traffic. */
  readonly isFelt: boolean;
  readonly isOfProbe: boolean;
}

/** How often streams ended with a status, after the same message. */
interface StreamEnds {
  readonly code: string;
  /** The last message of the stream before, as in "NACK of CDS". */
  readonly after: string;
  readonly count: number;
}

export interface ControlPlaneReport {
  /** The address of one instance. */
  readonly server: string;
  /** The identifiers that it states in responses (control_plane.identifier). */
  readonly identifiers: readonly string[];
  readonly clients: number;
  readonly openStreams: number;
  readonly responses: number;
  /** Responses that repeat what was sent, without a request for it. */
  readonly repeated: number;
  /** Periods of at least 10 repeated responses within 10 seconds on one stream, and the most responses in one. */
  readonly spins: number;
  readonly fastestSpin: number;
  /** The time of the newest response of a spin. Absent: there was none. */
  readonly lastSpinAt?: EpochMs;
  /** The newest are first. */
  readonly breaks: readonly OrderBreak[];
  readonly ends: readonly StreamEnds[];
}

interface TypeState {
  /** The resources that the client has been sent, by name: the hash of each. Empty: it is not known. */
  readonly sent: Map<string, string>;
  /** More was sent than `sent` has, which was recorded before what was read of the log. */
  isPartial: boolean;
  version: string;
  isWildcard: boolean | undefined;
  hasResponse: boolean;
  /** The client has requested something since the newest response. */
  isAsked: boolean;
}

interface StreamState {
  readonly server: string;
  readonly nodeId: string;
  readonly clientId: string;
  readonly types: Map<string, TypeState>;
  readonly isOfProbe: boolean;
  /** As HeldResources has it. */
  readonly holder: string;
  readonly isDelta: boolean;
  readonly isOpenedBefore: boolean;
  readonly spins: SpinCounter;
  last: string;
  isOpen: boolean;
}

interface ServerState {
  readonly identifiers: Set<string>;
  readonly clients: Set<string>;
  /** The streams that are open. Those that have ended are only in the sums. */
  readonly streams: Set<StreamState>;
  responses: number;
  repeated: number;
  spins: number;
  fastestSpin: number;
  lastSpinAt: EpochMs | undefined;
  readonly breaks: MutableBreak[];
  readonly ends: Map<string, { code: string; after: string; count: number }>;
}

type MutableBreak = { -readonly [Key in keyof OrderBreak]: OrderBreak[Key] } & {
  readonly stream: StreamState;
};

const mostBreaks = 1_000;
const mostIdentifiers = 20;
/** Limits the streams that are open at a time, each with the names of what it was sent. */
const mostStreams = 1_000;

/**
 * What control planes did, from the observations of probes and taps in the order of the log: repeated responses, pushes that
 * break the order of make-before-break, ends of streams, and differences between instances for one node.
 */
export class ControlPlaneFold {
  readonly #streams = new Map<string, StreamState>();
  readonly #servers = new Map<string, ServerState>();
  readonly #comparison = new InstanceComparison();
  readonly #held = new HeldResources();
  #isWhole = true;
  readonly #clustersOf: (hash: string) => readonly string[];

  /** `clustersOf`: names of the clusters that a listener or route configuration references. */
  constructor(clustersOf: (hash: string) => readonly string[]) {
    this.#clustersOf = clustersOf;
  }

  /** `isOpenedBefore`: the stream was opened before what is read of the log. */
  add(observation: Observation, isOpenedBefore = false): void {
    if (observation.kind === 'stream-opened') {
      const { streamId, server, clientId, node, at, vantage, sourceId, method } = observation;
      if (this.#streams.size >= mostStreams) {
        this.#isWhole = false;
        return;
      }
      const of = { server, clientId, nodeId: node.id, isOpenedBefore, isDelta: method.startsWith('Delta') };
      const holder = `${sourceId} ${clientId}`;
      this.#open(streamId, { ...of, holder, isOfProbe: vantage === 'probe' }, at);
      return;
    }
    if (!('streamId' in observation)) return;
    const stream = this.#streams.get(observation.streamId);
    if (stream === undefined || observation.vantage === 'lrs') return;
    switch (observation.kind) {
      case 'request-sent':
        this.#request(stream, observation);
        break;
      case 'response-received':
        this.#response(stream, observation);
        break;
      case 'ack-sent':
      case 'nack-sent':
        this.#answer(stream, observation);
        break;
      case 'stream-closed':
        this.#close(stream, observation);
        break;
    }
  }

  /** False if there were more streams at a time than are followed. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** States whether the stream is followed. */
  has(streamId: string): boolean {
    return this.#streams.has(streamId);
  }

  report(): ControlPlaneReport[] {
    return [...this.#servers].map(([server, state]) => {
      const open = [...state.streams].map((stream) => stream.spins);
      const lastSpinAt = newestOf([state.lastSpinAt, ...open.map(({ lastAt }) => lastAt)]);
      return {
        ...(lastSpinAt !== undefined && { lastSpinAt }),
        ...{ server, identifiers: [...state.identifiers], clients: state.clients.size },
        ...{ openStreams: state.streams.size, responses: state.responses, repeated: state.repeated },
        spins: open.reduce((sum, { count }) => sum + count, state.spins),
        fastestSpin: Math.max(state.fastestSpin, ...open.map(({ most }) => most)),
        breaks: state.breaks.map(({ stream: _, ...found }) => found).reverse(),
        ends: [...state.ends.values()].sort((left, right) => right.count - left.count),
      };
    });
  }

  /** Differences that last, or lasted, longer than 5 seconds, the newest first. */
  differences(now: EpochMs): InstanceDifference[] {
    return this.#comparison.list(now);
  }

  #open(streamId: string, of: Omit<StreamState, 'types' | 'spins' | 'last' | 'isOpen'>, at: EpochMs): void {
    const stream: StreamState = {
      ...{ ...of, types: new Map(), spins: new SpinCounter(), last: 'no message', isOpen: true },
    };
    this.#streams.set(streamId, stream);
    const state = this.#serverOf(of.server);
    state.clients.add(of.clientId);
    state.streams.add(stream);
    this.#comparison.update(stream, at);
  }

  #serverOf(server: string): ServerState {
    const known = this.#servers.get(server);
    if (known !== undefined) return known;
    const created: ServerState = {
      ...{ identifiers: new Set(), clients: new Set(), streams: new Set(), breaks: [], ends: new Map() },
      ...{ responses: 0, repeated: 0, spins: 0, fastestSpin: 0, lastSpinAt: undefined },
    };
    this.#servers.set(server, created);
    return created;
  }

  #request(stream: StreamState, { typeUrl, resourceNames }: Extract<Observation, { kind: 'request-sent' }>) {
    const type = typeOf(stream, typeUrl);
    type.isWildcard ??= resourceNames.length === 0 || resourceNames.includes('*');
    type.isAsked = true;
    stream.last = `request of ${nameOf(typeUrl)}`;
  }

  #response(stream: StreamState, response: Extract<Observation, { kind: 'response-received' }>): void {
    const { typeUrl, resources, removedNames = [], at, repeats = 1, controlPlane, versionInfo } = response;
    const server = this.#serverOf(stream.server);
    const type = typeOf(stream, typeUrl);
    const changed = resources.filter(({ name, hash }) => type.sent.get(name) !== hash);
    const removed = removedNames.filter((name) => type.sent.has(name));
    const isRepeated = changed.length === 0 && removed.length === 0 && type.hasResponse && !type.isAsked;
    server.responses += repeats;
    if (controlPlane !== '' && server.identifiers.size < mostIdentifiers)
      server.identifiers.add(controlPlane);
    const more = repeats - (isRepeated ? 0 : 1);
    server.repeated += more;
    stream.spins.add(at, more);
    for (const { name, hash } of changed) type.sent.set(name, hash);
    for (const name of removed) type.sent.delete(name);
    this.#addUnchanged(stream, type, response);
    type.version = versionInfo;
    type.hasResponse = true;
    type.isAsked = false;
    stream.last = `response of ${nameOf(typeUrl)}`;
    if (typeUrl === CDS.typeUrl) {
      this.#supply(stream, at);
      for (const cluster of removed) this.#noteRemoval(stream, cluster, at);
    } else if (typeUrl === LDS.typeUrl || typeUrl === RDS.typeUrl) {
      this.#repoint(stream, at);
      for (const { name, hash } of changed) this.#noteMissing(stream, { typeUrl, name, hash }, at);
    }
    this.#comparison.update(stream, at);
  }

  /** A response states the names of unchanged resources only if they are not all that the client holds. */
  #addUnchanged(
    { holder, isDelta }: StreamState,
    type: TypeState,
    {
      typeUrl,
      resources,
      unchangedResources = 0,
      names,
    }: Extract<Observation, { kind: 'response-received' }>,
  ): void {
    const { sent } = type;
    const total = resources.length + unchangedResources;
    if (unchangedResources > 0 && (isDelta || sent.size < total)) {
      const held = this.#held.find(holder, typeUrl);
      for (const name of names ?? held.keys()) if (!sent.has(name)) sent.set(name, held.get(name) ?? '');
    }
    if (!isDelta) type.isPartial = sent.size < total;
  }

  #answer(stream: StreamState, answer: Extract<Observation, { kind: 'ack-sent' | 'nack-sent' }>): void {
    const { typeUrl, kind, removed, at } = answer;
    const isAccepted = kind === 'ack-sent';
    this.#held.apply(stream.holder, answer.changed, removed);
    const type = typeOf(stream, typeUrl);
    stream.last = `${isAccepted ? 'ACK' : 'NACK'} of ${nameOf(typeUrl)}`;
    if (answer.resourceNames !== undefined) type.isAsked = true;
    // In state of the world absence deletes: the answer states what the client has removed.
    for (const key of removed) {
      if (key.typeUrl !== typeUrl || !type.sent.delete(key.name)) continue;
      if (typeUrl === CDS.typeUrl) this.#noteRemoval(stream, key.name, at);
    }
    if (isAccepted && !stream.isOfProbe) {
      for (const found of this.#serverOf(stream.server).breaks) {
        if (found.stream === stream && found.lastedMs === undefined && found.typeUrl === typeUrl)
          found.isFelt = true;
      }
    }
    this.#comparison.update(stream, at);
  }

  #close(stream: StreamState, { code, at, streamId }: Extract<Observation, { kind: 'stream-closed' }>): void {
    stream.isOpen = false;
    const server = this.#serverOf(stream.server);
    const { ends, breaks } = server;
    const { count, most, lastAt } = stream.spins;
    server.lastSpinAt = newestOf([server.lastSpinAt, lastAt]);
    server.spins += count;
    server.fastestSpin = Math.max(server.fastestSpin, most);
    server.streams.delete(stream);
    const key = `${code} ${stream.last}`;
    const known = ends.get(key) ?? { code, after: stream.last, count: 0 };
    ends.set(key, { ...known, count: known.count + 1 });
    // What was missing when the stream ended is not known to have been supplied.
    for (const found of breaks) if (found.stream === stream) found.lastedMs ??= at - found.at;
    this.#comparison.update(stream, at);
    stream.types.clear();
    this.#streams.delete(streamId);
  }

  /** A client that subscribes to clusters by name requests them after their routes: that is no fault of the order. */
  #clustersOfWildcard(stream: StreamState): ReadonlyMap<string, string> | undefined {
    const type = stream.types.get(CDS.typeUrl);
    return type?.isWildcard === true && type.hasResponse && !type.isPartial ? type.sent : undefined;
  }

  #noteMissing(
    stream: StreamState,
    { typeUrl, name, hash }: { readonly typeUrl: string; readonly name: string; readonly hash: string },
    at: EpochMs,
  ): void {
    const clusters = this.#clustersOfWildcard(stream);
    if (clusters === undefined) return;
    for (const cluster of this.#clustersOf(hash)) {
      if (!clusters.has(cluster))
        this.#note(stream, { kind: 'sent-before-cluster', typeUrl, name, cluster, at });
    }
  }

  #noteRemoval(stream: StreamState, cluster: string, at: EpochMs): void {
    if (this.#clustersOfWildcard(stream) === undefined) return;
    for (const { typeUrl } of [LDS, RDS]) {
      for (const [name, hash] of stream.types.get(typeUrl)?.sent ?? []) {
        if (!this.#clustersOf(hash).includes(cluster)) continue;
        // The client still routes to it.
        this.#note(stream, {
          kind: 'cluster-removed-first',
          typeUrl,
          name,
          cluster,
          at,
          isFelt: !stream.isOfProbe,
        });
      }
    }
  }

  #note(
    stream: StreamState,
    found: Pick<OrderBreak, 'kind' | 'typeUrl' | 'name' | 'cluster' | 'at'> & { readonly isFelt?: boolean },
  ): void {
    const { breaks } = this.#serverOf(stream.server);
    const { clientId, nodeId, isOfProbe } = stream;
    breaks.push({ isFelt: false, ...found, clientId, nodeId, isOfProbe, stream });
    if (breaks.length > mostBreaks) breaks.shift();
  }

  /** Clusters that were missing have arrived. */
  #supply(stream: StreamState, at: EpochMs): void {
    const clusters = this.#clustersOfWildcard(stream);
    for (const found of this.#serverOf(stream.server).breaks) {
      if (found.stream !== stream || found.lastedMs !== undefined || clusters?.has(found.cluster) !== true)
        continue;
      found.lastedMs = at - found.at;
    }
  }

  /** Routes and listeners no longer lead to what was missing. */
  #repoint(stream: StreamState, at: EpochMs): void {
    for (const found of this.#serverOf(stream.server).breaks) {
      if (found.stream !== stream || found.lastedMs !== undefined) continue;
      const hash = stream.types.get(found.typeUrl)?.sent.get(found.name);
      if (hash === undefined || !this.#clustersOf(hash).includes(found.cluster))
        found.lastedMs = at - found.at;
    }
  }
}

function typeOf({ types, isOpenedBefore }: StreamState, typeUrl: string): TypeState {
  const known = types.get(typeUrl);
  if (known !== undefined) return known;
  const created: TypeState = {
    ...{ sent: new Map(), version: '', isWildcard: undefined, hasResponse: false, isAsked: false },
    isPartial: isOpenedBefore,
  };
  types.set(typeUrl, created);
  return created;
}

function nameOf(typeUrl: string): string {
  return findResourceType(typeUrl)?.service ?? typeUrl.slice(typeUrl.lastIndexOf('.') + 1);
}

function newestOf(times: readonly (EpochMs | undefined)[]): EpochMs | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
