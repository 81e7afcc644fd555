import { Client, credentials } from '@grpc/grpc-js';
import type { ConnectivityState } from '@/lib/observation/connection-states';
import {
  type AnswerOf,
  type ChannelzMethod,
  decodeAnswer,
  encodeRequest,
  pathOf,
  readNumber,
} from '@/server/collect/channelz/channelz-messages';

const states: readonly ConnectivityState[] = [
  ...(['UNKNOWN', 'IDLE', 'CONNECTING', 'READY', 'TRANSIENT_FAILURE', 'SHUTDOWN'] as const),
];
const asBytes = (bytes: Buffer): Buffer => bytes;

/** Reads what the channelz of a peer reports itself, by grpc-js. */
export class PeerChannelz {
  readonly #client: Client;

  constructor(target: string) {
    this.#client = new Client(target, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  }

  /** The states of the subchannels whose target contains the address. */
  async statesOf(address: string): Promise<ConnectivityState[]> {
    const { channel = [] } = await this.#call('GetTopChannels', {});
    const found: ConnectivityState[] = [];
    for (const { subchannelRef = [] } of channel) {
      for (const { subchannelId } of subchannelRef) {
        const answer = await this.#call('GetSubchannel', { subchannelId: readNumber(subchannelId) }).catch(
          () => null,
        );
        const { target = '', state } = answer?.subchannel?.data ?? {};
        if (target.includes(address)) found.push(states[state?.state ?? 0] ?? 'UNKNOWN');
      }
    }
    return found;
  }

  close(): void {
    this.#client.close();
  }

  #call<Method extends ChannelzMethod>(method: Method, request: object): Promise<AnswerOf<Method>> {
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        ...([pathOf(method), asBytes, asBytes, encodeRequest(method, request)] as const),
        (error, answer) => (answer === undefined ? reject(error) : resolve(decodeAnswer(method, answer))),
      );
    });
  }
}
