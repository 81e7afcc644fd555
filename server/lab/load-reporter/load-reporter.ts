import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { ascending } from '@/lib/collections/compare';
import { defaultOverprovisioningFactor } from '@/lib/lb/envoy/availability';
import { splitLocalities } from '@/lib/lb/envoy/split-localities';
import { splitPriorities } from '@/lib/lb/envoy/split-priorities';
import type { Locality } from '@/lib/observation/observation';
import type { LabProcess } from '@/lib/views/lab/schema';
import { messageType } from '../../codec/root';
import { methodOf } from '../../codec/service';
import type { Clock } from '../../observe';
import { nextCallDeadline } from '../call-deadline';
import type { Random } from '../random';
import { usualWeight } from '../shop/shop-endpoints';
import { type ShopLocality, shopLocalities } from '../shop/shop-localities';
import type { ShopState } from '../shop/shop-state';
import { LoadTally } from './load-tally';

interface LoadReporterOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly state: () => ShopState;
  readonly portOf: (backend: string) => number;
  readonly onChange: () => void;
}

const service = 'envoy.service.load_stats.v3.LoadReportingService';
const requestType = 'envoy.service.load_stats.v3.LoadStatsRequest';
const responseType = 'envoy.service.load_stats.v3.LoadStatsResponse';
const name = 'shop-sidecar';
const locality: Locality = { region: 'eu-west1', zone: 'eu-west1-a', subZone: '' };
/** These clusters have two priorities, or drop requests. */
const clusters = ['catalog-stable', 'cart', 'recommendations'];
const method = '/shop.v1.Catalog/List';
const everyMs = 100;
const retryMs = 2_000;
const bytes = (message: Buffer): Buffer => message;

interface ReportRequest {
  readonly intervalMs: number;
  readonly withEndpoints: boolean;
}

/**
 * A process that sends load reports as Envoy does. It makes real requests to the lab's backends, spread by Envoy's
 * rules, and reports them over a real LRS stream with priorities, endpoints and named metrics. The gRPC clients of the
 * lab report none of these (grpc-js-xds 1.14, C-core 1.51), so views that show them need this data. It runs only when a
 * user starts it.
 */
export class LoadReporter {
  readonly #options: LoadReporterOptions;
  readonly #timers = new Set<{ cancel(): void }>();
  readonly #backends = new Map<number, Client>();
  #tallies: readonly LoadTally[] = [];
  #server: Client | undefined;
  #stream: ClientDuplexStream<Buffer, Buffer> | undefined;

  constructor(options: LoadReporterOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#server !== undefined;
  }

  /** `target` is the address of the LRS server. */
  start(target: string): void {
    if (this.isRunning) return;
    this.#server = dialLoopback(target);
    this.#tallies = clusters.map((cluster) => new LoadTally(cluster));
    this.#openStream();
    this.#callSoon();
    this.#options.onChange();
  }

  stop(): void {
    if (!this.isRunning) return;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#stream?.cancel();
    this.#stream = undefined;
    for (const client of [this.#server, ...this.#backends.values()]) client?.close();
    this.#backends.clear();
    this.#server = undefined;
    this.#options.onChange();
  }

  process(): LabProcess {
    return {
      name,
      kind: 'load-reporter',
      address: '',
      state: this.isRunning ? 'running' : 'stopped',
      pid: this.isRunning ? process.pid : undefined,
      restarts: 0,
      locality,
      text: 'simulated: calls the backends as an Envoy would, and reports load by priority and endpoint, with named metrics; it has no config of its own',
    };
  }

  #after(delayMs: number, callback: () => void): void {
    const timer = this.#options.clock.setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, delayMs);
    this.#timers.add(timer);
  }

  #openStream(): void {
    const { path } = methodOf(service, 'StreamLoadStats');
    const stream = this.#server?.makeBidiStreamRequest(path, bytes, bytes);
    if (stream === undefined) return;
    this.#stream = stream;
    let request: ReportRequest | undefined;
    stream.on('data', (message: Buffer) => {
      const isFirst = request === undefined;
      request = readRequest(message);
      if (isFirst) this.#reportAfter(stream, () => request);
    });
    // The status event has the same information.
    stream.on('error', () => undefined);
    stream.on('status', () => {
      if (stream !== this.#stream) return;
      this.#stream = undefined;
      if (this.isRunning) this.#after(retryMs, () => this.#openStream());
    });
    stream.write(
      encodeRequest({ node: { id: name, cluster: 'shop', locality, userAgentName: 'xdscope lab' } }),
    );
  }

  #reportAfter(
    stream: ClientDuplexStream<Buffer, Buffer>,
    currentRequest: () => ReportRequest | undefined,
  ): void {
    const { clock, portOf } = this.#options;
    const { intervalMs, withEndpoints } = currentRequest() ?? { intervalMs: 0, withEndpoints: false };
    // The server specified no interval, so reports are not allowed.
    if (intervalMs <= 0) return;
    const begunAt = clock.now();
    this.#after(intervalMs, () => {
      if (stream !== this.#stream) return;
      const tookMs = clock.now() - begunAt;
      const clusterStats = this.#tallies.map((tally) => tally.take(tookMs, withEndpoints, portOf));
      stream.write(encodeRequest({ clusterStats }));
      this.#reportAfter(stream, currentRequest);
    });
  }

  #callSoon(): void {
    this.#after(everyMs, () => {
      for (const tally of this.#tallies) this.#call(tally);
      this.#callSoon();
    });
  }

  #call(tally: LoadTally): void {
    const { clock, random, state, portOf } = this.#options;
    if (random() * 100 < (state().dropPercents.get(tally.cluster) ?? 0)) {
      tally.drop();
      return;
    }
    let point = random();
    const chosen = spreadRequests(tally.cluster, state()).find(({ share }) => {
      point -= share;
      return point < 0;
    });
    if (chosen === undefined) return;
    const begunAt = clock.now();
    const end = tally.begin(chosen.locality, chosen.backend);
    this.#backendAt(portOf(chosen.backend)).makeUnaryRequest(
      method,
      bytes,
      bytes,
      Buffer.alloc(0),
      { deadline: nextCallDeadline() },
      (error) => end({ isOk: error === null, tookMs: clock.now() - begunAt }),
    );
  }

  #backendAt(port: number): Client {
    const client = this.#backends.get(port) ?? dialLoopback(`127.0.0.1:${port}`);
    this.#backends.set(port, client);
    return client;
  }
}

/** Ignores proxy variables of the environment. */
function dialLoopback(target: string): Client {
  return new Client(target, credentials.createInsecure(), { 'grpc.enable_http_proxy': 0 });
}

function encodeRequest(fields: object): Buffer {
  const type = messageType(requestType);
  return Buffer.from(type.encode(type.fromObject(fields)).finish());
}

function readRequest(message: Buffer): ReportRequest {
  const type = messageType(responseType);
  const { loadReportingInterval, reportEndpointGranularity } = type.toObject(type.decode(message), {
    longs: Number,
  });
  const { seconds = 0, nanos = 0 } = loadReportingInterval ?? {};
  return { intervalMs: seconds * 1_000 + nanos / 1e6, withEndpoints: reportEndpointGranularity === true };
}

interface EndpointShare {
  readonly locality: ShopLocality;
  /** Name of the backend. */
  readonly backend: string;
  /** A number from 0 to 1. Shares sum to 1 unless the list is empty. */
  readonly share: number;
}

const panicThreshold = 50;

/** Returns where Envoy would send the requests to an assignment, by health, priorities and weights. */
export function spreadRequests(assignment: string, state: ShopState): EndpointShare[] {
  const localities = shopLocalities.filter((each) => each.assignment === assignment);
  const priorities = [...new Set(localities.map(({ priority }) => priority))].sort(ascending);
  const ofPriority = (priority: number) => localities.filter((each) => each.priority === priority);
  const healthyOf = ({ backends }: ShopLocality) => backends.filter(({ name }) => !state.unhealthy.has(name));
  const healths = priorities.map((priority) => {
    const all = ofPriority(priority);
    const hosts = {
      healthy: all.flatMap(healthyOf).length,
      degraded: 0,
      total: all.flatMap(({ backends }) => backends).length,
      excluded: 0,
    };
    return { hosts, weighed: hosts, overprovisioningFactor: defaultOverprovisioningFactor };
  });
  const split = splitPriorities(healths, panicThreshold);
  return priorities.flatMap((priority, at) => {
    const { healthyLoad = 0, isPanic = false } = split.priorities[at] ?? {};
    const all = ofPriority(priority);
    const hostsOf = (locality: ShopLocality) => (isPanic ? locality.backends : healthyOf(locality));
    const shares = splitLocalities(
      all.map((locality) => ({
        weight: state.localityWeights.get(locality.key) ?? usualWeight,
        available: hostsOf(locality).length,
        total: locality.backends.length,
      })),
      defaultOverprovisioningFactor,
    );
    return all.flatMap((locality, index) => {
      const hosts = hostsOf(locality);
      const share = ((healthyLoad / 100) * (shares[index] ?? 0)) / hosts.length;
      return share > 0 ? hosts.map(({ name }) => ({ locality, backend: name, share })) : [];
    });
  });
}
