import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import type { State } from '@/lib/xds/status';
import { messageType } from '@/server/codec/root';
import { sha256 } from '@/server/codec/sha256';
import type { Account, AccountRow } from './account';
import { startChild } from './child';
import { nameOf } from './compare';
import type { ServerEvent } from './control-plane';
import type { ClientOptions, RunningClient } from './peer';

const service = 'envoy.service.status.v3';

interface ClientStatusResponse {
  readonly config?: readonly {
    readonly clientScope?: string;
    readonly genericXdsConfigs?: readonly {
      readonly typeUrl?: string;
      readonly name?: string;
      readonly versionInfo?: string;
      readonly clientStatus?: State;
      readonly xdsConfig?: { readonly value?: Uint8Array };
    }[];
  }[];
}

/**
 * Starts a gRPC client of this suite, whose last arguments are its admin address and its targets. The bootstrap is in
 * the environment.
 */
export async function startGrpcClient(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  options: ClientOptions,
): Promise<RunningClient> {
  const { workDir, targets = ['xds:///svc-a'] } = options;
  const bootstrap = path.join(workDir, 'bootstrap.json');
  writeFileSync(bootstrap, JSON.stringify(bootstrapOf(options), null, 2));
  const child = startChild(command, [...args, '127.0.0.1:0', ...targets], {
    env: { GRPC_XDS_BOOTSTRAP: bootstrap, GRPC_EXPERIMENTAL_XDS_FALLBACK: 'true', ...env, ...options.env },
    logFile: path.join(workDir, 'client.log'),
  });
  const calls = new Map<string, string>();
  const onCall = (listener: (target: string, result: string) => void): void =>
    child.onLine((line) => {
      const [, target, result] = /^CALL (\S+) (.*)$/.exec(line) ?? [];
      if (target !== undefined && result !== undefined) listener(target, result);
    });
  onCall((target, result) => void calls.set(target, result));
  const adminTarget = `127.0.0.1:${(await child.line('ADMIN'))[0]}`;
  const csds = new Client(adminTarget, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  return {
    adminTarget,
    async account(server): Promise<Account> {
      const ended = child.ended();
      if (ended !== undefined) throw new Error(`the client ended: ${ended}`);
      const rows = rowsOf(await fetchClientStatus(csds));
      const events = await server.events();
      const isServing = (name: string): boolean => {
        const ofTarget = [...calls].filter(([target]) => nameOf(target) === name);
        return (ofTarget.length > 0 ? ofTarget : [...calls]).every(([, result]) => result.startsWith('ok'));
      };
      return {
        rows: rows.map((row) => {
          const answered = withUnreported(row, events);
          return isServing(row.name) ? withLaterAck(answered, events) : answered;
        }),
        calls: Object.fromEntries(calls),
      };
    },
    targets: {
      open: (target) => child.write(`open ${target}`),
      close(target) {
        child.write(`close ${target}`);
        calls.delete(target);
      },
    },
    onCall,
    async burst(target, count) {
      const answers = child.line(`BURST ${target}`);
      child.write(`burst ${target} ${count}`);
      return Object.fromEntries(
        (await answers).map((text) => {
          const [answer = '', number] = text.split('=');
          return [answer, Number(number)];
        }),
      );
    },
    serve: (address) => child.write(`serve ${address}`),
    ended: () => child.ended(),
    async stop() {
      csds.close();
      await child.stop();
    },
  };
}

/** grpc-js-xds requires a locality, and servers the name of their listener. */
function bootstrapOf({ nodeId, servers, serverFeatures }: ClientOptions): object {
  const features = { channel_creds: [{ type: 'insecure' }], server_features: ['xds_v3', ...serverFeatures] };
  return {
    server_listener_resource_name_template: serverListenerOf('%s'),
    xds_servers: servers.map((server) => ({ server_uri: server, ...features })),
    node: {
      id: nodeId,
      cluster: 'peers',
      locality: { region: 'here', zone: 'here-a', sub_zone: '' },
      metadata: {},
    },
  };
}

/** The name of the Listener of a server that listens on the address. */
export function serverListenerOf(address: string): string {
  return `grpc/server?xds.resource.listening_address=${address}`;
}

function fetchClientStatus(client: Client): Promise<ClientStatusResponse> {
  const type = messageType(`${service}.ClientStatusResponse`);
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      `/${service}.ClientStatusDiscoveryService/FetchClientStatus`,
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => type.toObject(type.decode(bytes), { enums: String }) as ClientStatusResponse,
      Buffer.alloc(0),
      { deadline: Date.now() + 5_000 },
      (error, answer) => {
        if (error !== null || answer === undefined) reject(error ?? new Error('CSDS: no answer'));
        else resolve(answer);
      },
    );
  });
}

/**
 * Some clients report NACKED for ever when the payload that they had accepted before comes again: the control plane received
 * an ACK, and calls succeed.
 */
function withLaterAck(row: AccountRow, events: readonly ServerEvent[]): AccountRow {
  if (row.answer?.state !== 'NACKED') return row;
  const answer = events.findLast(
    ({ kind, typeUrl, names }) =>
      (kind === 'ack' || kind === 'nack') && typeUrl === row.typeUrl && names.includes(row.name),
  );
  return answer?.kind === 'ack' ? { ...row, answer: { state: 'ACKED', version: answer.version } } : row;
}

/**
 * The control plane knows what the client's own report has no trace of: the NACK of a payload whose name the client could not
 * read, and a response that it never answers.
 */
function withUnreported(row: AccountRow, events: readonly ServerEvent[]): AccountRow {
  const { typeUrl, name, effect } = row;
  const ofType = events.slice(events.findLastIndex(({ kind }) => kind === 'end') + 1);
  const isOfRow = (event: ServerEvent): boolean => event.typeUrl === typeUrl;
  const newest = ofType.findLast(
    (event) => isOfRow(event) && event.kind === 'response' && name in event.payloads,
  );
  const payload = newest?.payloads[name];
  // Other control planes encode the payload again.
  if (newest === undefined || payload === undefined || !/^[0-9a-f]{64}$/.test(payload)) return row;
  const answers = ofType.filter((event) => isOfRow(event) && event.kind !== 'response');
  const verdict = answers.findLast(
    ({ kind, version }) => kind !== 'subscription' && version === newest.version,
  );
  const isHeld = effect?.state === 'ACKED' || effect?.state === 'DOES_NOT_EXIST';
  if (verdict?.kind === 'nack' && isHeld && payload !== effect.hash)
    return { ...row, answer: { state: 'NACKED', version: '' } };
  const isLate = verdict === undefined && Date.now() - newest.atMs > answerMs;
  const isSubscribed = answers.some(({ names }) => names.includes(name));
  return isLate && isSubscribed ? { ...row, answer: { state: 'NO_ANSWER', version: '' } } : row;
}

/** xdscope shows NO_ANSWER after this time. */
const answerMs = 2_000;

/** A gRPC client reports one status, which covers its answer and what it runs. */
function rowsOf({ config = [] }: ClientStatusResponse): AccountRow[] {
  return config.flatMap(({ clientScope = '', genericXdsConfigs = [] }) =>
    genericXdsConfigs.map((row) => {
      const { typeUrl = '', name = '', versionInfo = '', clientStatus = 'UNKNOWN', xdsConfig } = row;
      const hash = xdsConfig?.value === undefined ? {} : { hash: sha256(xdsConfig.value) };
      const fact = { state: clientStatus, version: versionInfo, ...hash };
      return { typeUrl: normaliseTypeUrl(typeUrl), name, scope: clientScope, answer: fact, effect: fact };
    }),
  );
}
