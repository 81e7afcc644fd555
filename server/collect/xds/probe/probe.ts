import { randomUUID } from 'node:crypto';
import { messageOf } from '@/lib/format/message-of';
import type { NodeInfo } from '@/lib/observation/observation';
import { scopeOfProbe } from '@/lib/xds/client-scope';
import { identifyClient } from '../../../client-id';
import type { Clock, Observe } from '../../../observe';
import type { RunningSource, SourceStatus } from '../../../source-status';
import type { ServerConfig } from '../../../transport/bootstrap/server-config';
import { XdsClient } from '../client/xds-client';
import { FileChannel } from '../file/file-channel';
import type { ResourceCodec } from '../response/resource-codec';
import { RestChannel } from '../rest/rest-channel';
import { grpcTransport } from '../stream/grpc-transport';
import { GrpcXdsChannel } from '../stream/grpc-xds-channel';
import type { CreateChannel } from '../stream/server-link';
import type { StreamLaneOptions } from '../stream/stream-lane';
import { clientFeatures, type XdsNode } from '../stream/xds-node';
import { type Emit, toObservations } from './probe-observations';
import type { ProbeSettings } from './probe-settings';
import { ProbeStatus } from './probe-status';

export interface ProbeOptions {
  readonly sourceId: string;
  readonly settings: ProbeSettings;
  readonly node: XdsNode;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly codec: ResourceCodec;
  /** Called after each change of `status`. */
  readonly onStatus: (status: SourceStatus) => void;
  /** Resolves when all reported observations are processed. The next response is not read before. */
  readonly whenReported?: (sizeBytes: number) => Promise<void>;
  readonly createChannel?: CreateChannel;
  readonly random?: () => number;
}

/** An XdsClient as a source: its events become observations, and the state of its servers a status. */
export class Probe implements RunningSource {
  readonly #options: ProbeOptions;
  readonly clientId: string;
  readonly #client: XdsClient;
  readonly #status: ProbeStatus;
  /** Starts and stops run one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: ProbeOptions) {
    this.#options = options;
    const { sourceId, settings, node, codec, clock, random = Math.random } = options;
    const scope = scopeOfProbe(node.id, sourceId);
    this.clientId = identifyClient(node, scope);
    const known: NodeInfo = { ...node, metadata: codec.redactNode(node.metadata), clientFeatures };
    const status = new ProbeStatus({
      clientId: this.clientId,
      clock,
      authorities: () => this.#client.authorities,
      onStatus: options.onStatus,
      onUp: () => this.#emit({ kind: 'source-up' }),
      onDown: (problem) => this.#emit({ kind: 'source-down', problem }),
    });
    const createChannel =
      options.createChannel ??
      channelCreator({
        ...{ settings, node, codec, clock, random },
        nextStreamId: randomUUID,
        onCredentialProblems: (server, problems) => status.onCredentialProblems(server, problems),
      });
    const observations = toObservations({ clientId: this.clientId, node: known, scope, emit: this.#emit });
    this.#status = status;
    this.#client = new XdsClient(
      { settings, codec, clock, createChannel, whenReported: options.whenReported },
      {
        ...observations,
        onConnecting: (link) => status.onConnecting(link),
        onStreamOpened(link, stream) {
          status.onOpened(link);
          observations.onStreamOpened(link, stream);
        },
        onResponse(link, reported, repeats) {
          status.onResponse(link, reported, repeats);
          observations.onResponse(link, reported, repeats);
        },
        onServerSwitched(change) {
          observations.onServerSwitched(change);
          status.refresh();
        },
        onStreamClosed(link, streamId, end) {
          observations.onStreamClosed(link, streamId, end);
          status.onClosed(link, end);
        },
      },
    );
  }

  get status(): SourceStatus {
    return this.#status.current;
  }

  start(): void {
    this.#next(async () => {
      this.#status.onStarted();
      this.#client.start();
    });
  }

  pause(): void {
    this.#next(async () => {
      this.#status.onPaused();
      await this.#stop();
    });
  }

  resume(): void {
    this.start();
  }

  close(): Promise<void> {
    this.#next(() => this.#stop());
    return this.#turn;
  }

  async #stop(): Promise<void> {
    await this.#client.stop();
    this.#status.onStopped();
  }

  #next(action: () => Promise<void>): void {
    this.#turn = this.#turn.then(action).catch((error: unknown) => {
      const message = messageOf(error);
      this.#status.onFault({ code: 'INTERNAL', message, hint: '' });
    });
  }

  readonly #emit: Emit = (reported, bodies = []) => {
    const { clock, sourceId, observe } = this.#options;
    observe({ observation: { ...reported, at: clock.now(), vantage: 'probe', sourceId }, bodies });
  };
}

interface ChannelCreatorOptions extends Omit<StreamLaneOptions, 'connectTimeoutMs'> {
  readonly settings: ProbeSettings;
  /** Called with the problems of the credential files of a server whenever they change. */
  readonly onCredentialProblems: (server: ServerConfig, problems: readonly string[]) => void;
}

/** A connection that is not ready after this time is explained and retried. */
const connectTimeoutMs = 10_000;

/** Creates the channels of a probe, one for each server, with the configured transport. Files count as one server. */
function channelCreator({ settings, onCredentialProblems, ...parts }: ChannelCreatorOptions): CreateChannel {
  const { transport, apiVersion, maxMessageBytes, keepaliveMs, refreshDelayMs, files } = settings;
  const common = { ...parts, apiVersion, connectTimeoutMs };
  return (server, handler) => {
    const onProblems = (problems: readonly string[]): void => onCredentialProblems(server, problems);
    if (transport === 'file') return new FileChannel({ ...common, files, maxMessageBytes }, handler);
    if (transport === 'rest') {
      const rest = { ...common, server, refreshDelayMs, maxMessageBytes, onCredentialProblems: onProblems };
      return new RestChannel(rest, handler);
    }
    const dial = () =>
      grpcTransport({
        server,
        clock: parts.clock,
        onCredentialProblems: onProblems,
        maxMessageBytes,
        connectTimeoutMs,
        keepaliveMs,
      });
    return new GrpcXdsChannel({ ...common, transport, dial }, handler);
  };
}
