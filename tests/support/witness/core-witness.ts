import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { projectRoot } from '@/server/project-root';
import { witnessGraph } from './witness-graph';

/** What a client answered to one response. crash: it ended. silence: no answer in time. */
export interface Testimony {
  readonly verdict: 'ACK' | 'NACK' | 'crash' | 'silence';
  /** As the client worded it; "" when it is content. */
  readonly error: string;
}

const patienceMs = 10_000;

/**
 * The real C-core, in Debian's python3-grpcio, judging one resource at a time: it is served the resource by a real
 * management server, and its next request is the verdict.
 *
 *     const witness = new CoreWitness(python, ['p']);
 *     await witness.start();
 *     const { verdict, error } = await witness.judge(typeUrl, 'case-1', bytes);
 *     await witness.close();
 */
export class CoreWitness {
  private readonly server = new ManagementServer({ clock: systemClock });
  private target = '';
  private child: ChildProcess | undefined;

  constructor(
    private readonly python: string,
    /** Names under certificate_providers in its bootstrap. */
    private readonly certificateProviders: readonly string[],
  ) {}

  async start(): Promise<void> {
    this.target = await this.server.listen();
  }

  /** `name` is asked for by no other case. */
  judge(typeUrl: string, name: string, bytes: Uint8Array): Promise<Testimony> {
    this.server.setResources('*', witnessGraph(typeUrl, name, bytes));
    const child =
      this.child?.exitCode === null && this.child.signalCode === null ? this.child : this.launch();
    this.child = child;
    return new Promise<Testimony>((resolve) => {
      const end = (verdict: Testimony['verdict'], error = ''): void => {
        stop();
        clearTimeout(timer);
        child.off('exit', onExit);
        resolve({ verdict, error });
      };
      const onExit = (): void => end('crash');
      const timer = setTimeout(() => end('silence'), patienceMs);
      const stop = this.server.onRequest((request) => {
        if (request.typeUrl !== typeUrl || !request.resourceNames.includes(name)) return;
        if (request.reading === 'ack') end('ACK');
        if (request.reading === 'nack') end('NACK', request.errorDetail ?? '');
      });
      child.once('exit', onExit);
      child.stdin?.write(`${name}\n`);
    });
  }

  async close(): Promise<void> {
    const child = this.child;
    if (child?.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.stdin?.end();
      await ended;
    }
    await this.server.close();
  }

  private launch(): ChildProcess {
    const provider = {
      plugin_name: 'file_watcher',
      config: { ca_certificate_file: '/nowhere/ca.pem', refresh_interval: '600s' },
    };
    const bootstrap = {
      xds_servers: [
        { server_uri: this.target, channel_creds: [{ type: 'insecure' }], server_features: ['xds_v3'] },
      ],
      node: { id: 'witness' },
      certificate_providers: Object.fromEntries(this.certificateProviders.map((name) => [name, provider])),
    };
    const script = path.join(projectRoot, 'tests/support/witness/core_client.py');
    return spawn(this.python, ['-u', script], {
      env: {
        NODE_ENV: 'test',
        GRPC_XDS_BOOTSTRAP_CONFIG: JSON.stringify(bootstrap),
        GRPC_VERBOSITY: 'NONE',
        // Nothing else polls the stream while no call is picked; the default is five seconds.
        GRPC_CLIENT_CHANNEL_BACKUP_POLL_INTERVAL_MS: '5',
      },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
  }
}
