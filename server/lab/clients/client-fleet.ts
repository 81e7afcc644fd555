import { type ChildProcess, fork, spawn } from 'node:child_process';
import path from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { by } from '@/lib/collections/compare';
import type { LabProcess } from '@/lib/views/lab/schema';
import type { Clock } from '../../observe';
import { builtProgram, projectRoot } from '../../project-root';
import type { EnvoyFound } from '../envoy-binary/find-envoy';
import type { PolledTarget } from '../lab';
import { findPort, portOffsets } from '../port-block';
import { findPython } from '../python-client/find-python';
import type { ClientCall, ClientProgram } from './client-program';
import { ClientSupervisor, type SupervisorOptions } from './client-supervisor';
import { keepCalling } from './keep-calling';
import { launchEnvoy, whenAdminAnswers } from './launch-envoy';
import { type ShopClient, shopClients } from './shop-clients';

/**
 * The Node processes start one after the other, each when the previous one serves or after this time. If they started
 * together, the first page would be delayed.
 */
const startIntervalMs = 2500;
/** Limits the time for which the start of the lab waits for the result of the Python check. */
const pythonCheckTimeoutMs = 700;

/** Addresses of the management server for clients. */
interface ServerAddresses {
  /** The address of the server itself. */
  readonly direct: string;
  /** The address for most clients: a tap, if there is one. */
  readonly usual: string;
}

/** Debian's Python packages of gRPC have no channelz. */
const kindsPolled: Readonly<Record<ShopClient['kind'], readonly PolledTarget['kind'][]>> = {
  client: ['csds', 'channelz', 'interop'],
  'python-client': ['csds', 'interop'],
  envoy: ['envoy-admin'],
};

interface Running {
  readonly client: ShopClient;
  readonly port: number;
  readonly label: string;
  readonly supervisor: ClientSupervisor;
}

interface ClientFleetOptions {
  readonly clock: Clock;
  /** Absent: there is no Envoy. */
  readonly findEnvoy?: () => Promise<EnvoyFound>;
  /** Called before an Envoy starts whose listener shall have this port. */
  readonly onEnvoy: (listenerPort: number) => void;
  readonly emitEvent: (what: string, subject: string, text: string) => void;
  readonly onChange: () => void;
}

export class ClientFleet {
  readonly #options: ClientFleetOptions;
  readonly #running: Running[] = [];
  /** Clients that cannot be started on this machine, with the reason. */
  readonly #absent = new Map<ShopClient, string>();
  #firstPort = 0;
  #closed = false;
  #endEdgeCalls: () => void = () => undefined;

  constructor(options: ClientFleetOptions) {
    this.#options = options;
  }

  get polledTargets(): PolledTarget[] {
    return this.#running.flatMap(({ client, port, label }) =>
      kindsPolled[client.kind].map((kind) => ({ kind, target: `127.0.0.1:${port}`, label })),
    );
  }

  async start(addresses: ServerAddresses, firstPort: number): Promise<void> {
    this.#firstPort = firstPort;
    const searched = this.#startPython(addresses);
    void this.#startEnvoy(addresses);
    const clients = shopClients.filter(({ kind }) => kind === 'client');
    const supervisors = await Promise.all(
      clients.map((client) => this.#addGrpc(client, { addresses, python: '', label: client.name })),
    );
    void this.#startInTurn(supervisors);
    await this.#within(pythonCheckTimeoutMs, searched);
  }

  processes(): LabProcess[] {
    return [
      ...this.#running.map(({ client, port, supervisor }): LabProcess => {
        const { state, pid, restarts, reason } = supervisor;
        const { name, kind, locality, text } = client;
        const address = `127.0.0.1:${port}`;
        const whole = reason === '' ? text : `${text}; ${reason}`;
        return { name, kind, address, state, pid: pid ?? undefined, restarts, locality, text: whole };
      }),
      ...[...this.#absent].map(([{ name, kind, locality }, text]): LabProcess => {
        const absent = { address: '', state: 'absent', restarts: 0 } as const;
        return { name, kind, locality, text, ...absent };
      }),
    ];
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#endEdgeCalls();
    await Promise.all(this.#running.map(({ supervisor }) => supervisor.close()));
  }

  async #startPython(addresses: ServerAddresses): Promise<void> {
    const found = await findPython();
    if (this.#closed) return;
    for (const client of shopClients.filter(({ kind }) => kind === 'python-client')) {
      if (found.kind === 'absent') {
        this.#absent.set(client, `no Python 3 with grpcio (harmless): ${found.reason}`);
        continue;
      }
      const label = `${client.name} (C-core ${found.grpcVersion}, Python)`;
      const supervisor = await this.#addGrpc(client, { addresses, python: found.command, label });
      if (!this.#closed) supervisor.start();
    }
    this.#options.onChange();
  }

  async #startEnvoy({ usual }: ServerAddresses): Promise<void> {
    const { clock, findEnvoy, onChange, onEnvoy } = this.#options;
    const client = shopClients.find(({ kind }) => kind === 'envoy');
    if (findEnvoy === undefined || client === undefined) return;
    const found = await findEnvoy();
    if (this.#closed) return;
    if (found.kind === 'absent') {
      this.#absent.set(client, `no Envoy (harmless): ${found.reason}`);
      onChange();
      return;
    }
    const { command, version } = found;
    const listenerPort = await findPort(this.#firstPort + portOffsets.edgeListener);
    const supervisor = await this.#add(client, `${client.name} (Envoy ${version})`, (adminPort) => ({
      launch: () => launchEnvoy(client, { command, adsTarget: usual, adminPort }),
      whenServing: (hasEnded) => whenAdminAnswers(adminPort, clock, hasEnded),
    }));
    if (this.#closed) return;
    onEnvoy(listenerPort);
    supervisor.start();
    this.#endEdgeCalls = callThroughEdge(listenerPort, client.calls);
  }

  #addGrpc(
    client: ShopClient,
    { addresses, python, label }: { addresses: ServerAddresses; python: string; label: string },
  ): Promise<ClientSupervisor> {
    const adsTarget = client.isDirect === true ? addresses.direct : addresses.usual;
    return this.#add(client, label, (adminPort) => ({
      launch: () => launchClient(client, { adminPort, calls: client.calls }, { adsTarget, python }),
    }));
  }

  async #add(
    client: ShopClient,
    label: string,
    programOf: (adminPort: number) => Pick<SupervisorOptions, 'launch' | 'whenServing'>,
  ): Promise<ClientSupervisor> {
    const { clock, emitEvent, onChange } = this.#options;
    const port = await findPort(this.#firstPort + portOffsets.firstClient + shopClients.indexOf(client));
    const supervisor = new ClientSupervisor({
      ...programOf(port),
      ...{ name: client.name, clock, onChange },
      emitEvent: (what, text) => emitEvent(what, client.name, text),
    });
    this.#running.push({ client, port, label, supervisor });
    this.#running.sort(by((each) => shopClients.indexOf(each.client)));
    return supervisor;
  }

  async #startInTurn(supervisors: readonly ClientSupervisor[]): Promise<void> {
    for (const supervisor of supervisors) {
      if (this.#closed) return;
      supervisor.start();
      await this.#within(startIntervalMs, supervisor.firstServed);
    }
  }

  #within(timeoutMs: number, done: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#options.clock.setTimeout(resolve, timeoutMs);
      done.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}

/** Calls through the listener of the Envoy, from now on. Returns a function that ends it. */
function callThroughEdge(listenerPort: number, calls: readonly ClientCall[]): () => void {
  const client = new Client(`127.0.0.1:${listenerPort}`, credentials.createInsecure());
  const timers = calls.map((call) => keepCalling(client, call));
  return () => {
    for (const timer of timers) clearInterval(timer);
    client.close();
  };
}

/** Starts a client that is connected to its parent by a pipe. It ends when the pipe breaks, even after kill -9. */
export function launchClient(
  client: ShopClient,
  program: ClientProgram,
  options: { adsTarget: string; python: string },
): ChildProcess {
  const args = [JSON.stringify(program)];
  const env = environmentOf(client, options.adsTarget);
  if (client.kind === 'python-client') {
    const script = path.join(projectRoot, 'server', 'lab', 'python-client', 'xds_client.py');
    return spawn(options.python, ['-B', '-u', script, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  }
  return fork(builtProgram('lab-client'), args, {
    env,
    // Young generation and heap are small, because the whole lab must stay below 1 GiB.
    execArgv: ['--max-old-space-size=96', '--max-semi-space-size=2'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** The environment excludes the user's own gRPC settings (proxies, bootstrap, experiments). */
function environmentOf(client: ShopClient, adsTarget: string): NodeJS.ProcessEnv {
  const { name, locality } = client;
  const bootstrap = {
    xds_servers: [
      { server_uri: adsTarget, channel_creds: [{ type: 'insecure' }], server_features: ['xds_v3'] },
    ],
    node: {
      id: name,
      cluster: 'shop',
      locality: { region: locality.region, zone: locality.zone, sub_zone: locality.subZone },
      metadata: { app: name, team: 'shop' },
    },
  };
  const { PATH, HOME, TZ, LANG } = process.env;
  return {
    NODE_ENV: 'production',
    ...Object.fromEntries(
      Object.entries({ PATH, HOME, TZ, LANG }).filter(([, value]) => value !== undefined),
    ),
    GRPC_XDS_BOOTSTRAP_CONFIG: JSON.stringify(bootstrap),
    // The mesh of the lab fails calls on purpose, so the library does not log them.
    GRPC_VERBOSITY: 'NONE',
  };
}
