import type { LabProcess } from '@/lib/api/lab';
import type { Clock } from '../../observe';
import { findPort, portOffsets } from '../port-block';
import { findPython } from '../python-client/find-python';
import { ClientSupervisor } from './client-supervisor';
import { launchClient } from './launch-client';
import { type ShopClient, shopClients } from './shop-clients';

/**
 * The Node processes start one after the other, each when the previous one serves or after this time. If they started
 * together, the first page would be delayed.
 */
const startIntervalMs = 2500;
/** Limits the time for which the start of the lab waits for the result of the Python check. */
const pythonCheckTimeoutMs = 700;

/** Addresses of the management server for clients. */
export interface ServerAddresses {
  /** The address of the server itself. */
  readonly direct: string;
  /** The address for most clients: a tap, if there is one. */
  readonly usual: string;
}

interface Running {
  readonly client: ShopClient;
  readonly port: number;
  readonly label: string;
  readonly supervisor: ClientSupervisor;
}

export interface ClientFleetOptions {
  readonly clock: Clock;
  readonly restart: boolean;
  readonly emitEvent: (what: string, subject: string, text: string) => void;
  readonly onChange: () => void;
}

export class ClientFleet {
  private readonly running: Running[] = [];
  /** Clients that cannot be started on this machine, with the reason. */
  private readonly absent = new Map<ShopClient, string>();
  private firstPort = 0;
  private closed = false;

  constructor(private readonly options: ClientFleetOptions) {}

  get csdsTargets(): { target: string; label: string }[] {
    return this.running.map(({ port, label }) => ({ target: `127.0.0.1:${port}`, label }));
  }

  async start(addresses: ServerAddresses, firstPort: number): Promise<void> {
    this.firstPort = firstPort;
    const searched = this.startPython(addresses);
    const clients = shopClients.filter(({ kind }) => kind === 'client');
    const supervisors = await Promise.all(
      clients.map((client) => this.add(client, { addresses, python: '', label: client.name })),
    );
    void this.startInTurn(supervisors);
    await this.within(pythonCheckTimeoutMs, searched);
  }

  processes(): LabProcess[] {
    return [
      ...this.running.map(({ client, port, supervisor }): LabProcess => {
        const { state, pid, restarts, reason } = supervisor;
        const { name, kind, locality, text } = client;
        const address = `127.0.0.1:${port}`;
        const whole = reason === '' ? text : `${text}; ${reason}`;
        return { name, kind, address, state, pid, restarts, locality, text: whole, failPercent: null };
      }),
      ...[...this.absent].map(([{ name, kind, locality }, text]): LabProcess => {
        const absent = { address: '', state: 'absent', pid: null, restarts: 0, failPercent: null } as const;
        return { name, kind, locality, text, ...absent };
      }),
    ];
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.running.map(({ supervisor }) => supervisor.close()));
  }

  private async startPython(addresses: ServerAddresses): Promise<void> {
    const found = await findPython();
    if (this.closed) return;
    for (const client of shopClients.filter(({ kind }) => kind === 'python-client')) {
      if (found.kind === 'absent') {
        this.absent.set(client, `no Python 3 with grpcio (harmless): ${found.reason}`);
        continue;
      }
      const label = `${client.name} (C-core ${found.grpcVersion}, Python)`;
      const supervisor = await this.add(client, { addresses, python: found.command, label });
      if (!this.closed) supervisor.start();
    }
    this.options.onChange();
  }

  private async add(
    client: ShopClient,
    { addresses, python, label }: { addresses: ServerAddresses; python: string; label: string },
  ): Promise<ClientSupervisor> {
    const { clock, restart, emitEvent, onChange } = this.options;
    const adsTarget = client.isDirect === true ? addresses.direct : addresses.usual;
    const port = await findPort(this.firstPort + portOffsets.firstClient + shopClients.indexOf(client));
    const supervisor = new ClientSupervisor({
      name: client.name,
      launch: () => launchClient(client, { adminPort: port, calls: client.calls }, { adsTarget, python }),
      clock,
      restart,
      emitEvent: (what, text) => emitEvent(what, client.name, text),
      onChange,
    });
    this.running.push({ client, port, label, supervisor });
    this.running.sort((a, b) => shopClients.indexOf(a.client) - shopClients.indexOf(b.client));
    return supervisor;
  }

  private async startInTurn(supervisors: readonly ClientSupervisor[]): Promise<void> {
    for (const supervisor of supervisors) {
      if (this.closed) return;
      supervisor.start();
      await this.within(startIntervalMs, supervisor.firstServed);
    }
  }

  private within(timeoutMs: number, done: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.options.clock.setTimeout(resolve, timeoutMs);
      done.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}
