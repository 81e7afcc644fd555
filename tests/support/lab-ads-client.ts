import { Client, type ClientDuplexStream, credentials, type StatusObject } from '@grpc/grpc-js';
import { messageType } from '@/server/codec/root';
import { methodOf } from '@/server/codec/service';

export interface SotwResponse {
  versionInfo?: string;
  nonce?: string;
  typeUrl?: string;
  resources?: { type_url: string; value: Uint8Array }[];
}

export interface DeltaResponse {
  systemVersionInfo?: string;
  nonce?: string;
  typeUrl?: string;
  resources?: { name: string; version: string; resource: { type_url: string; value: Uint8Array } }[];
  removedResources?: string[];
}

/** A stream under the control of a test: it sends nothing by itself, and returns messages in order. */
export class ScriptedStream<Request extends object, Response extends object> {
  readonly #call: ClientDuplexStream<Buffer, Buffer>;
  readonly #requestType: string;

  readonly #received: Response[] = [];
  readonly #waiting: ((response: Response) => void)[] = [];
  readonly status: Promise<StatusObject>;

  constructor(call: ClientDuplexStream<Buffer, Buffer>, requestType: string, responseType: string) {
    this.#call = call;
    this.#requestType = requestType;

    call.on('data', (bytes: Buffer) => {
      const type = messageType(responseType);
      // The decoded message has the fields of its type, which the test states.
      const response = Object.assign(Object.create(null), type.toObject(type.decode(bytes))) as Response;
      const next = this.#waiting.shift();
      if (next === undefined) this.#received.push(response);
      else next(response);
    });
    this.status = new Promise((resolve) => call.on('status', resolve));
    call.on('error', () => undefined);
  }

  send(request: Request): void {
    const type = messageType(this.#requestType);
    this.#call.write(Buffer.from(type.encode(type.create(Object.assign({}, request))).finish()));
  }

  sendRaw(bytes: Buffer): void {
    this.#call.write(bytes);
  }

  next(): Promise<Response> {
    const first = this.#received.shift();
    if (first !== undefined) return Promise.resolve(first);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Reads nothing from the socket until `resume`. */
  pause(): void {
    this.#call.pause();
  }

  resume(): void {
    this.#call.resume();
  }

  /** The messages that were received and not yet read. */
  get pending(): readonly Response[] {
    return this.#received;
  }

  end(): void {
    this.#call.end();
  }
}

/** A bare gRPC client for the services in the descriptor root. */
export class LabGrpcClient {
  readonly #client: Client;

  constructor(target: string) {
    this.#client = new Client(target, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
    });
  }

  sotw(): ScriptedStream<object, SotwResponse> {
    const prefix = 'envoy.service.discovery.v3.Discovery';
    return new ScriptedStream(
      this.#duplex('StreamAggregatedResources'),
      `${prefix}Request`,
      `${prefix}Response`,
    );
  }

  delta(): ScriptedStream<object, DeltaResponse> {
    const prefix = 'envoy.service.discovery.v3.DeltaDiscovery';
    return new ScriptedStream(
      this.#duplex('DeltaAggregatedResources'),
      `${prefix}Request`,
      `${prefix}Response`,
    );
  }

  /** FetchClientStatus, as a plain object. */
  fetchClientStatus(request: object = {}): Promise<{ config?: ClientConfigMessage[] }> {
    const { path, requestSerialize, responseDeserialize } = methodOf(
      'envoy.service.status.v3.ClientStatusDiscoveryService',
      'FetchClientStatus',
    );
    const bytes = Buffer.from(
      messageType('envoy.service.status.v3.ClientStatusRequest').encode(request).finish(),
    );
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        bytes,
        { deadline: Date.now() + 5000 },
        (error, answer) => {
          if (error !== null || answer === undefined) return reject(error);
          const type = messageType('envoy.service.status.v3.ClientStatusResponse');
          resolve(type.toObject(type.decode(answer), { enums: String, longs: Number }));
        },
      );
    });
  }

  close(): void {
    this.#client.close();
  }

  clientStatus(): ScriptedStream<object, { config?: ClientConfigMessage[] }> {
    const prefix = 'envoy.service.status.v3.ClientStatus';
    return new ScriptedStream(
      this.#duplex('StreamClientStatus', `${prefix}DiscoveryService`),
      `${prefix}Request`,
      `${prefix}Response`,
    );
  }

  #duplex(
    name: string,
    service = 'envoy.service.discovery.v3.AggregatedDiscoveryService',
  ): ClientDuplexStream<Buffer, Buffer> {
    const method = methodOf(service, name);
    return this.#client.makeBidiStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
    );
  }
}

export interface GenericXdsConfig {
  typeUrl: string;
  name: string;
  versionInfo?: string;
  configStatus?: string;
  clientStatus?: string;
  xdsConfig?: { type_url: string; value: Uint8Array };
  errorState?: { details?: string; versionInfo?: string };
}

export interface ClientConfigMessage {
  node?: { id?: string };
  genericXdsConfigs?: GenericXdsConfig[];
}
