import { status as grpcStatus } from '@grpc/grpc-js';
import { decodeClientStatus, type ReportedClient } from '../../codec/decode-client-status';
import type { RedactionMarker } from '../../codec/redaction-marker';
import { messageType } from '../../codec/root';
import { methodOf } from '../../codec/service';
import { CallError } from '../../transport/grpc/grpc-requester';
import type { RawAnswer } from '../../transport/grpc/raw-answer';
import { assignClientIds } from './assign-client-ids';
import type { KnownClients } from './known-clients';

const csds = 'envoy.service.status.v3.ClientStatusDiscoveryService';

/** The paths of CSDS for a poller that requests the clients of its process. */
export const csdsPaths = {
  streamPath: methodOf(csds, 'StreamClientStatus').path,
  fetchPath: methodOf(csds, 'FetchClientStatus').path,
} as const;

interface ClientsOfProcessOptions {
  readonly marker: RedactionMarker;
  readonly maxClients?: number | undefined;
  readonly request: (message: Buffer) => Promise<RawAnswer>;
}

const noClient = 'The CSDS of the process reports no xDS client yet.';

/** The xDS clients of a process by its CSDS, for services on the same port that name no client. */
export class ClientsOfProcess {
  readonly #options: ClientsOfProcessOptions;
  readonly #request: Buffer;
  #clients: KnownClients = new Map();
  #servesCsds = true;

  constructor(options: ClientsOfProcessOptions) {
    this.#options = options;
    const request = messageType('envoy.service.status.v3.ClientStatusRequest');
    this.#request = Buffer.from(request.encode({ excludeResourceContents: true }).finish());
  }

  get clients(): KnownClients {
    return this.#clients;
  }

  /** A sentence about why no client is known; undefined if one is. `what`: whose client is not known. */
  findLack(what: string): string | undefined {
    if (this.#clients.size > 0) return undefined;
    const noCsds = `The process does not serve CSDS on this port, so that it is not known which xDS client ${what}.`;
    return this.#servesCsds ? noClient : noCsds;
  }

  async identify(): Promise<void> {
    const { clients } = assignClientIds(await this.#requestClients(), this.#clients);
    const { maxClients = Number.POSITIVE_INFINITY } = this.#options;
    this.#clients = new Map(
      [...clients]
        .slice(0, maxClients)
        .map(([id, { node, scope }]) => [id, { node, scope, side: 'client' as const, rows: new Map() }]),
    );
  }

  /** No clients if the process does not serve CSDS. */
  async #requestClients(): Promise<readonly ReportedClient[]> {
    try {
      const answer = await this.#options.request(this.#request);
      this.#servesCsds = true;
      return decodeClientStatus(answer.take(), this.#options.marker).clients;
    } catch (error) {
      if (!(error instanceof CallError && error.code === grpcStatus.UNIMPLEMENTED)) throw error;
      this.#servesCsds = false;
      return [];
    }
  }
}
