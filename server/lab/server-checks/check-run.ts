import type { CheckMessage, CheckOutcome, CheckResult, ServerCheck } from '@/lib/server-checks/server-check';
import { type DiscoveryMethod, discoveryMethods } from '@/lib/xds/discovery-methods';
import type { ResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { Transport } from '../../collect/xds/stream/transport';
import type { Clock } from '../../observe';
import type { Resource } from '../management-server/snapshot-store';
import { CheckMessages } from './check-messages';
import { type CheckRequest, type CheckResponse, CheckStream, describeResponse } from './check-stream';

/** For this long nothing is sent: then the server is silent. */
const quietMs = 700;
/** A server has this long to send what it must send. */
const patienceMs = 2_000;

/** The first answer of a stream may need a connection, and a server that has just started. */
const firstPatienceMs = 5_000;

/** Resources that a server serves. The first two of each are those that checks request by name. */
export interface ServedNames {
  readonly clusters: readonly string[];
  readonly endpoints: readonly string[];
  /** Requests for all of these are answered, and requests for one of them are not, as was measured before the checks. */
  readonly wholeOnly: readonly NamedResources[];
}

export type NamedResources = 'clusters' | 'endpoints';

/** Two observations, and what they are likely caused by. */
export function describeWholeOnly(names: ServedNames, of: NamedResources): string {
  const seen = `a request for all ${names[of].length} ${of} is answered, and one for a single name is not`;
  return `${seen}: likely the server waits until a request names every resource of the type, as a cache of go-control-plane for ADS does`;
}

/** Replaces all resources of each of these types, which clients must not see one after the other. */
export type ReplaceConfig = (
  changes: readonly { readonly type: ResourceType; readonly resources: readonly Resource[] }[],
) => Promise<void>;

/** `together`: replace() changes several types as one update. `aliases`: those of resources are served. */
export type AdapterFeature = 'together' | 'aliases' | 'heartbeats' | 'errors' | 'rest' | 'large';

/** Changes what the checked server serves. */
export interface ConfigAdapter {
  readonly replace: ReplaceConfig;
  readonly features: readonly AdapterFeature[];
  /** Feature `heartbeats`: renews the time to live of the resources that have one. */
  readonly sendHeartbeats?: (type: ResourceType) => void;
  /** Feature `errors`: an error takes the place of a resource (xDS proposal TP3). */
  readonly setError?: (type: ResourceType, name: string, text: string) => void;
  /** Feature `rest`: the address of REST-JSON polling. */
  readonly restTarget?: string;
}

/** A check, with the exchange that decides it. */
export interface RunnableCheck extends ServerCheck {
  /** The resources that must be served; else the check is not asked. */
  readonly needs?: {
    readonly clusters?: number;
    readonly endpoints?: number;
    /** Requests for some of these must be answered. */
    readonly someOf?: NamedResources;
  };
  /** What the adapter must be able to do; else the check is not asked. */
  readonly features?: readonly AdapterFeature[];
  readonly run: (run: CheckRun) => Promise<CheckOutcome>;
}

interface CheckRunOptions {
  readonly transport: Transport;
  /** Opens a connection of its own, which sends an HTTP/2 PING at this interval. */
  readonly openTransport: (keepaliveMs: number) => Transport;
  readonly node: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  readonly names: ServedNames;
  /** Absent: the server is only read. */
  readonly adapter?: ConfigAdapter | undefined;
}

interface OpenOptions {
  /** The stream is of this type alone; absent: ADS. */
  readonly type?: ResourceType;
  /** The stream has a connection of its own, which sends an HTTP/2 PING at this interval. */
  readonly keepaliveMs?: number;
}

/** The server did not answer what every check begins with. The check fails with this text. */
export class CheckError extends Error {}

/** One run of a check: its streams, and what they sent and received. */
export class CheckRun {
  readonly #messages = new CheckMessages();
  readonly #options: CheckRunOptions;
  readonly #streams: CheckStream[] = [];
  readonly #transports: Transport[] = [];
  readonly #beganAt: EpochMs;

  constructor(options: CheckRunOptions) {
    this.#options = options;
    this.#beganAt = options.clock.now();
  }

  get names(): ServedNames {
    return this.#options.names;
  }

  get clusters(): readonly string[] {
    return this.names.clusters;
  }

  /** The name of the cluster, or of the endpoints, at a place of the list. */
  cluster(at: 0 | 1): string {
    return this.names.clusters[at] ?? '';
  }

  endpoints(at: 0 | 1): string {
    return this.names.endpoints[at] ?? '';
  }

  /** What was sent and received so far, and the time since the beginning. */
  get recorded(): Pick<CheckResult, 'messages' | 'moreMessages' | 'tookMs'> {
    return { ...this.#messages.all, tookMs: this.#options.clock.now() - this.#beganAt };
  }

  open(isDelta: boolean, { type, keepaliveMs }: OpenOptions = {}): CheckStream {
    const { node, clock } = this.#options;
    const stream = new CheckStream({
      ...{ node, clock, number: this.#streams.length + 1, beganAt: this.#beganAt },
      transport: keepaliveMs === undefined ? this.#options.transport : this.#connect(keepaliveMs),
      method: methodOf(type ?? null, isDelta),
      record: (message) => this.#messages.add(message),
    });
    this.#streams.push(stream);
    return stream;
  }

  #connect(keepaliveMs: number): Transport {
    const transport = this.#options.openTransport(keepaliveMs);
    this.#transports.push(transport);
    return transport;
  }

  /** Records a message that is not one of a stream. */
  record(message: Pick<CheckMessage, 'isSent' | 'typeUrl' | 'version' | 'names'>): void {
    const afterMs = this.#options.clock.now() - this.#beganAt;
    this.#messages.add({ ...message, stream: 1, afterMs, nonce: '', removed: [], error: '' });
  }

  close(): void {
    for (const stream of this.#streams) stream.close();
    for (const transport of this.#transports) transport.close();
  }

  /** Opens a stream with a first request. Throws CheckError if it is not answered. */
  async begin(
    isDelta: boolean,
    type: ResourceType,
    request: Partial<CheckRequest> = {},
  ): Promise<{ readonly stream: CheckStream; readonly first: CheckResponse }> {
    const stream = this.open(isDelta);
    stream.send({ typeUrl: type.typeUrl, ...request });
    const first = await stream.next(type, 0, firstPatienceMs);
    if (first !== undefined) return { stream, first };
    const why = (await stream.explainEnd()) ?? stream.ended;
    throw new CheckError(`the first request of ${type.service} was not answered${why ? `: ${why}` : ''}`);
  }

  /** A first request for these names is answered. */
  async isAnswered(type: ResourceType, resourceNames: readonly string[]): Promise<boolean> {
    const stream = this.open(false);
    stream.send({ typeUrl: type.typeUrl, resourceNames });
    return (await stream.next(type, 0, firstPatienceMs)) !== undefined;
  }

  /** Like begin(); the first response is ACKed, and the server has the time to answer that. */
  async beginAndAck(isDelta: boolean, type: ResourceType, request: Partial<CheckRequest> = {}) {
    const begun = await this.begin(isDelta, type, request);
    begun.stream.ack(begun.first, request.resourceNames ?? []);
    await this.pause(begun.stream);
    return begun;
  }

  /** The response of the type that follows the first `count`; undefined: there is none within two seconds. */
  next(stream: CheckStream, type: ResourceType, count: number): Promise<CheckResponse | undefined> {
    return stream.next(type, count, patienceMs);
  }

  /** Gives the server the time to send what it must not send. */
  pause(stream: CheckStream, times = 1): Promise<void> {
    return stream.until(() => false, quietMs * times);
  }

  async replace(...changes: { readonly type: ResourceType; readonly resources: readonly Resource[] }[]) {
    await this.adapter.replace(changes);
  }

  /** Throws unless the check states that it changes the config. */
  get adapter(): ConfigAdapter {
    const { adapter } = this.#options;
    if (adapter === undefined) throw new Error('expected a server whose config can be changed, got none');
    return adapter;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get node(): Readonly<Record<string, unknown>> {
    return this.#options.node;
  }

  /** Expects that nothing of the type follows the first `count` responses. */
  async expectSilence(stream: CheckStream, type: ResourceType, count: number): Promise<CheckOutcome> {
    await this.pause(stream, 2);
    const more = stream.of(type).slice(count);
    if (stream.ended !== undefined) return { isMet: false, seen: stream.ended };
    if (more.length === 0) return { isMet: true, seen: 'nothing was sent' };
    const before = stream.of(type)[count - 1];
    const isChange =
      this.#options.adapter === undefined && more.some(({ content }) => content !== before?.content);
    if (isChange) return { isMet: undefined, seen: 'the config changed during the check: repeat it' };
    return { isMet: false, seen: `it sent ${more.map(describeResponse).join('; ')}` };
  }
}

/** Names are compared as sets. */
export function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  const [one, other] = [new Set(left), new Set(right)];
  return one.size === other.size && [...one].every((name) => other.has(name));
}

function methodOf(type: ResourceType | null, isDelta: boolean): DiscoveryMethod {
  const found = discoveryMethods.find(
    (each) => each.type === type && each.isDelta === isDelta && each.apiVersion === 'v3',
  );
  if (found === undefined) throw new Error(`expected a discovery method of ${type?.service}, got none`);
  return found;
}
