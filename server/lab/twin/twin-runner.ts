import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { ServerCredentials } from '@grpc/grpc-js';
import { messageOf } from '@/lib/format/message-of';
import type { ExplainRequest } from '@/lib/requests/request';
import { buildTwin } from '@/lib/twin/build-twin';
import type {
  Certificate,
  SubjectName,
  Twin,
  TwinListener,
  TwinOptions,
  TwinResource,
} from '@/lib/twin/twin';
import { formatResourceType } from '@/lib/xds/resource-type';
import { ApiError } from '../../api-error';
import { encodeBody } from '../../codec/encode-body';
import type { Clock } from '../../observe';
import { CertificateAuthority } from '../certificates/certificate-authority';
import type { EnvoyFound } from '../envoy-binary/find-envoy';
import type { ClientProgram } from '../interop-runs/client-program';
import { ManagementServer } from '../management-server/management-server';
import { assertAccessLogLine, isAccessLogLine, type ObservedRequest } from './access-log';
import { EchoBackends } from './echo-backends';
import { EnvoyProcess } from './envoy-process';
import { envoyName } from './find-twin-clients';
import { observeRpc, sendRpcs } from './grpc-client';
import { type CallerView, sendRequest } from './send-request';
import { ServiceStubs } from './service-stubs';
import { buildTwinBootstrap, type TwinNode } from './twin-bootstrap';

const timeoutMs = 30_000;
/** Envoy writes its access log a moment after the response. */
const logPatienceMs = 2_000;
const mostEndpoints = 2_000;
const mostResourceBytes = 64 * 1024 * 1024;

interface TwinRunnerOptions {
  readonly clock: Clock;
  /** The Envoy of this machine, as chosen at start. */
  readonly findEnvoy: () => Promise<EnvoyFound>;
  /** The gRPC clients, each with a name of its own. */
  readonly clients: readonly ClientProgram[];
}

interface TwinInput {
  readonly node: TwinNode;
  readonly resources: readonly TwinResource[];
  /** "Envoy", or the name of a gRPC client. */
  readonly program: string;
  /** The name of the listener that receives the request, or that a gRPC client dials. Absent: the only one that fits. */
  readonly listener?: string | undefined;
  readonly request: ExplainRequest;
  readonly times: number;
  /** The HTTP filter whose external service denies the request. Absent: all services allow it. */
  readonly deniedBy?: string | undefined;
}

interface TwinRun {
  readonly twin: Twin;
  readonly version: string;
  readonly listener: TwinListener;
  /** One for each line of the access log, or for each RPC. */
  readonly observed: readonly ObservedRequest[];
  readonly callers: readonly CallerView[];
  /** NACKs of the twin. */
  readonly rejected: readonly { readonly service: string; readonly reason: string }[];
  readonly log: readonly string[];
}

type RunResult = Pick<TwinRun, 'version' | 'observed' | 'callers' | 'log'>;

interface RunParts extends Pick<TwinRun, 'twin' | 'listener' | 'rejected'> {
  readonly input: TwinInput;
  readonly adsPort: number;
  readonly authority: CertificateAuthority;
  readonly signal: AbortSignal;
}

/** Runs one twin at a time: a real Envoy or gRPC client with the config of a client, in which nothing leads beyond loopback. */
export class TwinRunner {
  readonly #options: TwinRunnerOptions;
  /** The names of the gRPC clients, with the versions of their libraries. */
  readonly clients: readonly { readonly name: string; readonly version: string }[];
  #running: { readonly abort: AbortController; readonly done: Promise<unknown> } | undefined;

  constructor(options: TwinRunnerOptions) {
    this.#options = options;
    this.clients = options.clients.map(({ name, version }) => ({ name, version }));
  }

  async run(input: TwinInput, signal?: AbortSignal): Promise<TwinRun> {
    const client = this.#findClient(input.program);
    // The end of a twin that was stopped takes a moment.
    while (this.#running?.abort.signal.aborted) await this.#running.done;
    if (this.#running !== undefined)
      throw unavailable(409, 'expected no other twin under way, got one: wait until it has ended');
    signal?.throwIfAborted();
    const abort = new AbortController();
    const onAbort = (): void => abort.abort(signal?.reason);
    const timer = this.#options.clock.setTimeout(
      () => abort.abort(unavailable(504, `expected an end within ${timeoutMs / 1000} s, got none`)),
      timeoutMs,
    );
    signal?.addEventListener('abort', onAbort);
    const done = this.#run(input, client, abort.signal);
    this.#running = { abort, done: done.catch(() => undefined) };
    try {
      return await done;
    } finally {
      this.#running = undefined;
      timer.cancel();
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Ends the twin that is under way. */
  async close(): Promise<void> {
    this.#running?.abort.abort(unavailable(503, 'xdscope ends'));
    await this.#running?.done;
  }

  /** undefined: an Envoy. A request selects a program that was registered at start, and states no command. */
  #findClient(name: string): ClientProgram | undefined {
    if (name === envoyName) return undefined;
    const found = this.#options.clients.find((each) => each.name === name);
    if (found?.unavailable !== undefined) throw unavailable(503, `client ${name}: ${found.unavailable}`);
    if (found !== undefined) return found;
    const known = [envoyName, ...this.clients.map((each) => each.name)].join(', ');
    throw unavailable(422, `program: expected one of ${known}, got ${JSON.stringify(name)}`);
  }

  async #run(input: TwinInput, program: ClientProgram | undefined, signal: AbortSignal): Promise<TwinRun> {
    const authority = new CertificateAuthority('xdscope twin', () => this.#options.clock.now());
    const backends = new EchoBackends(authority);
    const server = new ManagementServer({ clock: this.#options.clock, identifier: 'xdscope-twin' });
    try {
      const client = program === undefined ? 'envoy' : 'grpc';
      const options: TwinOptions = { ...twinOptions(authority), client, deniedBy: input.deniedBy };
      const twin = await this.#build(input, options, backends);
      assertDenied(input.deniedBy, twin);
      const listener = chooseListener(twin.listeners, input);
      const rejected: { service: string; reason: string }[] = [];
      server.onVerdict(({ accepted, typeUrl, errorDetail }) => {
        if (!accepted) rejected.push({ service: formatResourceType(typeUrl), reason: errorDetail });
      });
      server.setResources('*', encodeResources(twin.resources));
      const adsPort = Number((await server.listen(0, ServerCredentials.createInsecure())).split(':').at(-1));
      signal.throwIfAborted();
      const parts: RunParts = { input, twin, listener, adsPort, authority, rejected, signal };
      return {
        twin,
        listener,
        rejected,
        ...(await (program === undefined
          ? this.#runEnvoy(parts)
          : runGrpcClient(parts, program, this.#options.clock))),
      };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError) throw error;
      throw unavailable(502, messageOf(error));
    } finally {
      backends.close();
      await server.close();
    }
  }

  async #runEnvoy(parts: RunParts): Promise<RunResult> {
    const { input, twin, listener, adsPort, authority, rejected, signal } = parts;
    const envoy = await this.#options.findEnvoy();
    if (envoy.kind === 'absent') throw unavailable(503, `expected an Envoy on this machine: ${envoy.reason}`);
    const services = new ServiceStubs();
    let child: EnvoyProcess | undefined;
    try {
      const stubs = await services.listen();
      signal.throwIfAborted();
      child = await EnvoyProcess.start(
        envoy.command,
        (adminPath) =>
          buildTwinBootstrap({ node: input.node, adsPort, adminPath, resources: twin.resources, stubs }),
        this.#options.clock,
      );
      await whenListening(child, listener, rejected, signal);
      const certificate = authority.issue({ commonName: 'caller', names: listener.callerNames });
      const callers: CallerView[] = [];
      for (let sent = 0; sent < input.times; sent++)
        callers.push(
          await sendRequest(input.request, {
            port: listener.port,
            listenerAddress: listener.address,
            certificate,
            signal,
          }),
        );
      const log = await this.#readLog(child, callers, signal);
      const byPort = new Map(twin.backends.map((backend) => [backend.port, backend]));
      const observed = log.map((line) => assertAccessLogLine(line, byPort));
      return { callers, log, observed, version: envoy.version };
    } finally {
      services.close();
      await child?.stop({ isAborted: signal.aborted });
    }
  }

  /** The first twin shows how many ports it needs. */
  async #build(input: TwinInput, options: TwinOptions, backends: EchoBackends): Promise<Twin> {
    let count = 0;
    const nextPort = (): number => {
      count += 1;
      return count;
    };
    buildTwin(input.resources, { ...options, nextPort });
    const ports = await backends.listen(count);
    const twin = buildTwin(input.resources, {
      ...options,
      nextPort: () => {
        const port = ports.pop();
        if (port === undefined) throw new Error(`expected a twin with ${count} ports, got one with more`);
        return port;
      },
    });
    for (const { port, cluster } of twin.backends)
      backends.setNames(port, twin.backendNames.get(cluster) ?? []);
    // Envoy listens on these.
    await backends.release(twin.listeners.map(({ port }) => port));
    return twin;
  }

  async #readLog(
    child: EnvoyProcess,
    callers: readonly CallerView[],
    signal: AbortSignal,
  ): Promise<string[]> {
    const patience = new AbortController();
    const timer = this.#options.clock.setTimeout(() => patience.abort(), logPatienceMs);
    const abort = (): void => patience.abort();
    signal.addEventListener('abort', abort);
    try {
      await child.whenLines(callers.length, isAccessLogLine, patience.signal);
    } catch (error) {
      signal.throwIfAborted();
      // The answer has the lines that there are.
      if (!patience.signal.aborted) throw error;
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', abort);
    }
    return child.lines.filter(isAccessLogLine);
  }
}

async function runGrpcClient(parts: RunParts, program: ClientProgram, clock: Clock): Promise<RunResult> {
  const { input, twin, listener, adsPort, signal } = parts;
  const { node, request, times } = input;
  const names = twin.resources.map(({ name }) => name);
  const sent = { program, node, adsPort, listener: listener.name, names, request, times, signal, clock };
  const results = await sendRpcs(sent);
  const callers = results.map(({ code, details }) => ({
    grpcStatus: String(code),
    ...(details !== '' && { error: details }),
  }));
  const observed = results.map((result) => observeRpc(result, twin));
  return {
    callers,
    observed,
    log: results.map((result) => JSON.stringify(result)),
    version: program.version,
  };
}

function unavailable(status: number, detail: string): ApiError {
  return new ApiError(status, 'Twin not available', detail);
}

function assertDenied(filter: string | undefined, { stubs }: Twin): void {
  if (filter === undefined || stubs.some((stub) => stub.filter === filter)) return;
  const names = stubs.map((stub) => stub.filter).join(', ') || 'none';
  throw unavailable(
    422,
    `deniedBy: expected a filter whose external service has a stub, got ${JSON.stringify(filter)}, of: ${names}`,
  );
}

function twinOptions(authority: CertificateAuthority): Omit<TwinOptions, 'client'> {
  const issued = new Map<string, Certificate>();
  const issue = (names: readonly SubjectName[]): Certificate => {
    const key = JSON.stringify(names);
    const certificate = issued.get(key) ?? authority.issue({ commonName: 'twin', names });
    issued.set(key, certificate);
    return certificate;
  };
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keySet = JSON.stringify({
    keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: randomUUID() }],
  });
  return {
    nextPort: () => 0,
    issue,
    authority: authority.certificate,
    keySet,
    mostEndpoints,
  };
}

function encodeResources(resources: readonly TwinResource[]) {
  let total = 0;
  return resources.map(({ typeUrl, name, json }) => {
    const bytes = encodeBody(typeUrl, json);
    total += bytes.length;
    if (total > mostResourceBytes)
      throw unavailable(422, `expected resources of at most ${mostResourceBytes} bytes, got more`);
    return { typeUrl, name, bytes };
  });
}

/**
 * The listener that the input names, else the only one with the port of the connection or the authority, else the only
 * one. Throws with the listeners that there are.
 */
function chooseListener(
  listeners: readonly TwinListener[],
  { listener: wanted, request, program }: TwinInput,
): TwinListener {
  if (listeners.length === 0) {
    const kind = program === envoyName ? 'listeners with an address, which an Envoy uses' : 'API listeners';
    throw unavailable(422, `expected ${kind}, got none`);
  }
  const { destinationPort } = request.connection ?? {};
  const port = destinationPort ?? /:(\d+)$/.exec(request.authority)?.[1];
  const named = listeners.filter(({ name }) => name === wanted);
  const atPort = listeners.filter(
    ({ name, address }) =>
      (port !== undefined && address.endsWith(`:${port}`)) || (address === '' && name === request.authority),
  );
  const fitting = wanted !== undefined ? named : atPort.length > 0 ? atPort : listeners;
  const [first, second] = fitting;
  if (first !== undefined && second === undefined) return first;
  const expected = wanted === undefined ? 'the name of a listener' : `a listener ${JSON.stringify(wanted)}`;
  const got = first === undefined ? 'none' : `${fitting.length} that fit`;
  const names = listeners
    .map(({ name, address }) => (address === '' ? name : `${name} (${address})`))
    .join(', ');
  throw unavailable(422, `expected ${expected}, got ${got}, of: ${names}`);
}

async function whenListening(
  child: EnvoyProcess,
  { name }: TwinListener,
  rejected: readonly { readonly service: string; readonly reason: string }[],
  signal: AbortSignal,
): Promise<void> {
  await child.whenReady(signal);
  if ((await child.listListeners(signal)).includes(name)) return;
  const reasons = rejected.map(({ service, reason }) => `${service}: ${reason}`).join('; ');
  throw unavailable(
    502,
    `expected Envoy to accept listener ${JSON.stringify(name)}: ${reasons || child.log}`,
  );
}
