import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { messageOf } from '@/lib/format/message-of';
import { messageType } from '../../codec/root';
import { methodOf } from '../../codec/service';

type Call = ServerUnaryCall<Buffer, Buffer>;
type Send = sendUnaryData<Buffer>;

interface ReturnStatus {
  readonly code: number;
  readonly details: string;
}

interface StatusMessage {
  readonly grpcCodeToReturn?: number;
  readonly grpcStatusDescription?: string;
}

interface HookRequestMessage extends StatusMessage {
  readonly command?: number;
  readonly serverPort?: number;
}

const service = 'grpc.testing.HookService';
/** The values of HookRequest.HookRequestCommand. */
const commands = { start: 1, stop: 2, return: 3 } as const;
const maxWaiting = 100;
const empty = Buffer.alloc(0);

/**
 * The hooks of one server of the interop tests: a call of Hook waits until a driver sets the status that it ends with, as a
 * server does whose pod shall terminate only when the driver allows it.
 */
export class HookService {
  readonly #waiting = new Set<Send>();
  #returned: ReturnStatus | undefined;
  /** The server of SendHookRequest {START}, beside the one that serves the RPCs. */
  #own: Server | undefined;

  addTo(server: Server): void {
    server.addService(
      {
        hook: methodOf(service, 'Hook'),
        set: methodOf(service, 'SetReturnStatus'),
        clear: methodOf(service, 'ClearReturnStatus'),
      },
      {
        hook: (call: Call, send: Send) => this.#hook(call, send),
        set: (call: Call, send: Send) => {
          this.#setReturn(decode('SetReturnStatusRequest', call.request));
          send(null, empty);
        },
        clear: (_: Call, send: Send) => {
          this.#returned = undefined;
          send(null, empty);
        },
      },
    );
  }

  /** Answers XdsUpdateHealthService.SendHookRequest. */
  async answer(call: Call, send: Send): Promise<void> {
    try {
      await this.#run(decode<HookRequestMessage>('HookRequest', call.request));
      send(null, empty);
    } catch (error) {
      send({ code: status.INVALID_ARGUMENT, details: messageOf(error) });
    }
  }

  close(): void {
    this.#own?.forceShutdown();
    this.#own = undefined;
  }

  async #run(request: HookRequestMessage): Promise<void> {
    const { command = 0, serverPort = 0 } = request;
    if (command === commands.start) await this.#start(serverPort);
    else if (command === commands.stop) this.close();
    else if (command === commands.return) this.#setReturn(request);
    else throw new Error(`command: expected 1 (START), 2 (STOP) or 3 (RETURN), got ${command}`);
  }

  async #start(port: number): Promise<void> {
    if (this.#own !== undefined) throw new Error('command: expected a STOP before another START, got none');
    if (port < 1 || port > 65_535) throw new Error(`server_port: expected 1 to 65535, got ${port}`);
    const server = new Server();
    this.addTo(server);
    this.#own = server;
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) => {
        if (error === null) {
          resolve();
          return;
        }
        this.close();
        reject(error);
      });
    });
  }

  #hook(call: Call, send: Send): void {
    if (this.#returned !== undefined) send(toError(this.#returned), empty);
    else if (this.#waiting.size >= maxWaiting) {
      const details = `expected at most ${maxWaiting} waiting calls of Hook, got one more`;
      send({ code: status.RESOURCE_EXHAUSTED, details });
    } else {
      this.#waiting.add(send);
      call.on('cancelled', () => this.#waiting.delete(send));
    }
  }

  #setReturn({ grpcCodeToReturn: code = 0, grpcStatusDescription: details = '' }: StatusMessage): void {
    this.#returned = { code, details };
    for (const send of this.#waiting) send(toError(this.#returned), empty);
    this.#waiting.clear();
  }
}

function toError(returned: ReturnStatus): ReturnStatus | null {
  return returned.code === status.OK ? null : returned;
}

function decode<Message extends object>(name: string, bytes: Buffer): Message {
  return messageType(`grpc.testing.${name}`).decode(bytes) as unknown as Message;
}
