import { byDescending } from '@/lib/collections/compare';
import type {
  BuildResources,
  CaseAction,
  CaseMesh,
  CaseServer as CaseServerName,
  InteropCase,
} from '@/lib/interop/interop-case';
import type { Clock } from '../../observe';
import { CaseBackends } from './case-backends';
import { CaseCertificates } from './case-certificates';
import { CaseServer, type ServerNack } from './case-server';
import { labServer, type ServerProgram } from './client-program';
import { XdsBackends } from './xds-backends';

interface CaseNetworkOptions {
  readonly clock: Clock;
  /** The node id of the client. */
  readonly nodeId: string;
  /** The xDS-enabled servers of cases that have such. Absent: those of the lab. */
  readonly serverProgram?: ServerProgram;
  /** Opens a tap before a management server, and resolves to its address. Absent: the client connects directly. */
  readonly openTap?: (upstream: string) => Promise<string>;
}

/** What is done to servers and backends; the rest is done to the client. */
type NetworkAction = Exclude<CaseAction, { readonly kind: 'configure' }>;

const answerMs = 5_000;
const pollMs = 50;
/** Labels that rules of the case metadata_filter match. */
const nodeMetadata = { a: '1', b: '2' } as const;

/** The node of the bootstrap. grpc-js-xds makes no RPCs without cluster and locality. */
export function nodeOfRun(id: string) {
  const locality = { region: 'lab', zone: 'a' };
  return { id, cluster: 'interop', locality, metadata: { ...nodeMetadata, app: 'interop' } };
}

/** The management servers and backends of a case on loopback. */
export class CaseNetwork {
  readonly #options: CaseNetworkOptions;
  readonly #backends: CaseBackends;
  readonly #xdsBackends: XdsBackends;
  readonly #certificates: CaseCertificates | undefined;
  readonly servers: ReadonlyMap<CaseServerName, CaseServer>;
  readonly #builders = new Map<CaseServerName, BuildResources>();
  readonly #mesh: CaseMesh;

  constructor(testCase: InteropCase, options: CaseNetworkOptions) {
    this.#options = options;
    const { clock, nodeId, serverProgram: program = labServer() } = options;
    const { backends, isSecure, dualStack, servers = ['primary'], resources } = testCase;
    const serveAll = (): void => this.#serveAll();
    const [groups, xdsGroups] = isSecure ? [{}, backends] : [backends, {}];
    this.#backends = new CaseBackends({ clock, groups, onHealth: serveAll, ...(dualStack && { dualStack }) });
    this.#xdsBackends = new XdsBackends({ clock, groups: xdsGroups, program });
    this.#certificates = isSecure && new CaseCertificates(clock);
    this.servers = new Map(
      servers.map((name) => [name, new CaseServer({ clock, nodeId, onLoad: serveAll })]),
    );
    this.#mesh = {
      group: (name) => [...this.#backends.group(name), ...this.#xdsBackends.group(name)],
      nodeMetadata,
      rateOf: (cluster) => Math.max(...[...this.servers.values()].map((server) => server.rateOf(cluster))),
    };
    if (resources !== undefined) this.#builders.set('primary', resources);
  }

  /** The NACKs of the client, those of each server in their order. */
  get nacks(): readonly ServerNack[] {
    const all = [...this.servers.values()].flatMap((server) => server.nacks);
    return all.filter(({ nodeId }) => nodeId === this.#options.nodeId);
  }

  /** The newest xDS message of the client, as in "ACK of RDS to the primary server, 30.1 s before". */
  describeNewestMessage(): string {
    const messages = [...this.servers].flatMap(([name, { newestMessage }]) =>
      newestMessage === undefined ? [] : [{ name, ...newestMessage }],
    );
    const [newest] = messages.sort(byDescending(({ at }) => at));
    if (newest === undefined) return 'no xDS message of the client';
    const { name, at, text } = newest;
    const to = this.servers.size > 1 ? ` to the ${name} server` : '';
    return `${text}${to}, ${((this.#options.clock.now() - at) / 1_000).toFixed(1)} s before`;
  }

  async start(): Promise<void> {
    await this.#backends.start();
    await this.#xdsBackends.reserve();
    for (const [name, server] of this.servers) {
      await server.reserve();
      if (this.#builders.has(name)) await server.start();
    }
    this.#serveAll();
    const { nodeId } = this.#options;
    await this.#xdsBackends.start((backend) => ({
      xds_servers: [serverEntry(this.#server('primary').target)],
      node: nodeOfRun(`${nodeId}-${backend}`),
      certificate_providers: this.#certificates?.providersOf('server'),
    }));
  }

  /** What the backends demand of connections. */
  inspectBackends() {
    return this.#xdsBackends.inspect(this.#certificates?.authority ?? '');
  }

  close(): void {
    for (const server of this.servers.values()) server.stop();
    this.#builders.clear();
    this.#backends.stop();
    this.#xdsBackends.close();
    this.#certificates?.close();
  }

  /** `used`: the backends of the newest block. */
  async do(action: NetworkAction, used: readonly string[]): Promise<void> {
    switch (action.kind) {
      case 'serve': {
        const { server = 'primary', resources } = action;
        this.#builders.set(server, resources);
        this.#serveAll();
        return;
      }
      case 'start-server':
        await this.#server(action.server).start();
        return;
      case 'stop-server':
        this.#server(action.server).stop();
        return;
      case 'stop-server-on':
        this.#server(action.server).stopOn(action);
        return;
      case 'start-backends':
        await this.#backends.start([...action.backends]);
        return;
      case 'stop-backends':
        this.#backends.stop([...action.backends]);
        return;
      case 'stop-second-address':
        this.#backends.stopSecondAddress(action.backends);
        return;
      case 'set-serving':
        this.#backends.setServing(action.backends === 'used' ? used : action.backends, action.isServing);
    }
  }

  /** What is measured before clients have answered a push is not yet its effect. */
  async whenAnswered(): Promise<void> {
    const { clock } = this.#options;
    const begunAt = clock.now();
    const isAnswered = () => [...this.servers.values()].every((server) => server.isAnswered());
    while (!isAnswered() && clock.now() - begunAt < answerMs)
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, pollMs));
  }

  /** As JSON text. */
  async buildBootstrap(): Promise<string> {
    const { nodeId, openTap } = this.#options;
    const entryOf = async ({ target }: CaseServer) => serverEntry((await openTap?.(target)) ?? target);
    const ofBootstrap = [...this.servers].filter(([name]) => name !== 'authority');
    const authority = this.servers.get('authority');
    return JSON.stringify({
      xds_servers: await Promise.all(ofBootstrap.map(([, server]) => entryOf(server))),
      node: nodeOfRun(nodeId),
      ...(this.#certificates && { certificate_providers: this.#certificates.providersOf('client') }),
      ...(authority && { authorities: { other: { xds_servers: [await entryOf(authority)] } } }),
    });
  }

  /** All resources follow from the mesh: unchanged ones are not sent again. */
  #serveAll(): void {
    for (const [name, build] of this.#builders) this.#server(name).serve(build(this.#mesh));
  }

  #server(name: CaseServerName): CaseServer {
    const found = this.servers.get(name);
    if (found !== undefined) return found;
    throw new Error(`server: expected one of ${[...this.servers.keys()].join(', ')}, got "${name}"`);
  }
}

function serverEntry(target: string) {
  return { server_uri: target, channel_creds: [{ type: 'insecure' }], server_features: ['xds_v3'] };
}
