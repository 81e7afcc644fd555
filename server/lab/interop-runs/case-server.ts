import type { CaseResource } from '@/lib/interop/interop-case';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { encodeBody } from '../../codec/encode-body';
import { createLoadReportReceiver, type LoadReportReceiver } from '../../collect/lrs/load-report-receiver';
import type { Clock, Observe } from '../../observe';
import { ManagementServer } from '../management-server/management-server';
import { everyNode } from '../management-server/snapshot-store';

export interface ServerNack {
  readonly nodeId: string;
  readonly at: EpochMs;
  readonly resourceType: string;
  readonly errorDetail: string;
}

/** What a client sent. */
interface ClientMessage {
  readonly at: EpochMs;
  /** As in "ACK of RDS". */
  readonly text: string;
}

interface CaseServerOptions {
  readonly clock: Clock;
  /** The node of the client of the run; xDS-enabled servers are clients as well. */
  readonly nodeId: string;
  /** Called with each load report, after rateOf() has changed. */
  readonly onLoad: () => void;
}

/** How often clients report load, which decides how soon a case that depends on it continues. */
const loadIntervalMs = 1_000;

/** A management server of a case, with LRS. It can be stopped and started again on its port. */
export class CaseServer {
  readonly #options: CaseServerOptions;
  readonly #nacks: ServerNack[] = [];
  #newestMessage: ClientMessage | undefined;
  readonly #rates = new Map<string, number>();
  #port = 0;
  #starts = 0;
  #running: { readonly server: ManagementServer; readonly receiver: LoadReportReceiver } | undefined;
  #resources: readonly CaseResource[] = [];
  #stopOn: { readonly typeUrl: string; readonly name: string } | undefined;

  constructor(options: CaseServerOptions) {
    this.#options = options;
  }

  get nacks(): readonly ServerNack[] {
    return this.#nacks;
  }

  /** The newest request, ACK or NACK of the client of the run. */
  get newestMessage(): ClientMessage | undefined {
    return this.#newestMessage;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** "127.0.0.1:PORT". Known after the first start. */
  get target(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** What clients get from the server now: nothing while it does not run. */
  get served(): readonly CaseResource[] {
    return this.isRunning ? this.#resources : [];
  }

  /** Requests per second of a cluster, by the newest load report; 0 without one. */
  rateOf(cluster: string): number {
    return this.#rates.get(cluster) ?? 0;
  }

  /** True if clients have answered every response. */
  isAnswered(): boolean {
    return this.#running?.server.isAnswered() ?? true;
  }

  async start(): Promise<void> {
    if (this.#running !== undefined) return;
    const { clock } = this.#options;
    this.#starts += 1;
    const receiver = createLoadReportReceiver({
      ...{ sourceId: 'interop-run', clock, observe: (emission) => this.#addLoad(emission) },
      codec: { redactNode: (json) => json },
      onStatus: () => undefined,
      request: { intervalMs: loadIntervalMs },
    });
    const server = new ManagementServer({
      ...{ clock, noncePrefix: `${this.#starts}-` },
      addServices: (grpc) => receiver.addTo(grpc),
    });
    server.onVerdict(({ nodeId, accepted, typeUrl, errorDetail }) => {
      if (accepted) return;
      this.#nacks.push({
        ...{ nodeId, at: clock.now() },
        ...{ resourceType: formatResourceType(typeUrl), errorDetail },
      });
    });
    server.onRequest(({ nodeId, typeUrl, reading, resourceNames }) => {
      const kind = reading === 'ack' || reading === 'nack' ? reading.toUpperCase() : 'request';
      if (nodeId === this.#options.nodeId)
        this.#newestMessage = { at: clock.now(), text: `${kind} of ${formatResourceType(typeUrl)}` };
      if (this.#stopOn?.typeUrl === typeUrl && resourceNames.includes(this.#stopOn.name)) this.stop();
    });
    server.setResources(everyNode, this.#resources.map(encode));
    const target = await server.listen(this.#port);
    this.#port = Number(target.slice(target.lastIndexOf(':') + 1));
    receiver.start();
    this.#running = { server, receiver };
  }

  /** Takes the port that start() will use, so that a bootstrap can name a server that does not run yet. */
  async reserve(): Promise<void> {
    await this.start();
    this.stop();
  }

  stop(): void {
    const running = this.#running;
    this.#running = undefined;
    void running?.receiver.close();
    void running?.server.close();
  }

  /** The server stops when a client requests the resource. An empty name: no longer. */
  stopOn(resource: { readonly typeUrl: string; readonly name: string }): void {
    this.#stopOn = resource.name === '' ? undefined : resource;
  }

  /** Replaces everything that the server serves, now or after its next start. */
  serve(resources: readonly CaseResource[]): void {
    this.#resources = resources;
    this.#running?.server.setResources(everyNode, resources.map(encode));
  }

  #addLoad({ observation }: Parameters<Observe>[0]): void {
    if (observation.kind !== 'load-reported') return;
    for (const { clusterName, intervalMs, localities } of observation.clusters) {
      if (intervalMs === null || intervalMs <= 0) continue;
      const ended = localities.reduce(
        (sum, { successful, errors }) => sum + Number(successful) + Number(errors),
        0,
      );
      this.#rates.set(clusterName, (ended / intervalMs) * 1_000);
    }
    this.#options.onLoad();
  }
}

function encode({ typeUrl, name, json }: CaseResource) {
  return { typeUrl, name, bytes: encodeBody(typeUrl, json) };
}
