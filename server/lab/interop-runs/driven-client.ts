import type { ChildProcess } from 'node:child_process';
import { messageOf } from '@/lib/format/message-of';
import type { MethodCounts, RpcBlock, RpcConfiguration } from '@/lib/observation/test-client';
import { decodeClientStatus } from '../../codec/decode-client-status';
import { messageType } from '../../codec/root';
import {
  accumulatedStats,
  clientStats,
  configure,
  decodeAccumulatedStats,
  decodeStats,
  encodeAccumulatedStatsRequest,
  encodeConfiguration,
  encodeStatsRequest,
} from '../../collect/interop/interop-messages';
import { csdsPaths } from '../../collect/poll-diff/clients-of-process';
import type { Clock } from '../../observe';
import { noSecurity, openChannelSecurity } from '../../transport/grpc/channel-security';
import { GrpcRequester } from '../../transport/grpc/grpc-requester';
import type { Target } from '../../transport/targets/target';

/** The time after which a client answers a block with the RPCs that have ended: more for many RPCs on a busy machine. */
const blockTimeoutMs = 10_000;
const blockMsPerRpc = 30;
/** The time that an answer may take beyond what it waits for. */
const spareMs = 10_000;
const stderrTailChars = 4_000;
const dialMs = 100;

/** A client under test: its process, and the services by which the driver measures and configures it. */
export class DrivenClient {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #services: GrpcRequester;
  #stderr = '';
  #exit: string | undefined;
  readonly #whenEnded: Promise<void>;

  constructor(child: ChildProcess, statsTarget: Target, clock: Clock) {
    this.#child = child;
    this.#clock = clock;
    const security = openChannelSecurity(noSecurity, clock);
    this.#services = new GrpcRequester({
      ...csdsPaths,
      target: statsTarget,
      security,
      clock,
      random: () => 1,
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrTailChars);
    });
    child.stdout?.resume();
    // The process that ends closes the pipe; its exit is reported below.
    child.stdin?.on('error', () => undefined);
    this.#whenEnded = new Promise((resolve) => {
      const end = (how: string): void => {
        this.#exit ??= how;
        resolve();
      };
      child.once('error', ({ message }) => end(message));
      child.once('close', (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
  }

  /** How the process ended. undefined: it runs. */
  get exit(): string | undefined {
    return this.#exit;
  }

  /** The end of the standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Resolves when the client serves its statistics or has ended. Rejects if it does neither in time. */
  async whenServing(withinMs: number, signal?: AbortSignal): Promise<void> {
    const endsAt = this.#clock.now() + withinMs;
    while (this.#exit === undefined) {
      signal?.throwIfAborted();
      try {
        await this.readCounts();
        return;
      } catch (error) {
        if (this.#clock.now() >= endsAt)
          throw new Error(`expected statistics within ${withinMs} ms: ${messageOf(error)}`, { cause: error });
      }
      await Promise.race([this.#pause(dialMs), this.#whenEnded]);
    }
  }

  async countBlock(rpcs: number): Promise<RpcBlock> {
    const askedAt = this.#clock.now();
    const timeoutMs = Math.max(blockTimeoutMs, rpcs * blockMsPerRpc);
    const request = encodeStatsRequest({ rpcs, timeoutMs });
    const answer = await this.#call(clientStats, request, timeoutMs + spareMs);
    const tookMs = this.#clock.now() - askedAt;
    return { requested: rpcs, timeoutMs, tookMs, ...decodeStats(answer) };
  }

  async readCounts(): Promise<readonly MethodCounts[]> {
    const answer = await this.#call(accumulatedStats, encodeAccumulatedStatsRequest(), spareMs);
    return decodeAccumulatedStats(answer).methods;
  }

  /** The resources of the xDS clients with this node, by CSDS. */
  async readReport(nodeId: string) {
    const request = messageType('envoy.service.status.v3.ClientStatusRequest');
    const bytes = Buffer.from(request.encode({ excludeResourceContents: true }).finish());
    const answer = await this.#services.request(bytes, spareMs);
    const { clients } = decodeClientStatus(answer.take(), () => '[redacted]');
    return clients
      .filter(({ node }) => node.id === nodeId)
      .flatMap(({ resources }) =>
        resources.map(({ typeUrl, name, clientStatus }) => ({ typeUrl, name, status: clientStatus })),
      );
  }

  async configure(configuration: RpcConfiguration): Promise<void> {
    await this.#call(configure, encodeConfiguration(configuration), spareMs);
  }

  /** Resolves when the process has ended. */
  async close(): Promise<void> {
    this.#services.close();
    if (this.#exit === undefined) this.#child.kill('SIGKILL');
    await this.#whenEnded;
  }

  async #call(path: string, request: Buffer, timeoutMs: number): Promise<Uint8Array> {
    return (await this.#services.requestUnary(path, request, timeoutMs)).take();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.setTimeout(resolve, ms));
  }
}
