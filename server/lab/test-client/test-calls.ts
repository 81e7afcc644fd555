import { type Client, Metadata } from '@grpc/grpc-js';
import type { RpcType } from '@/lib/observation/rpc-types';
import type { Clock } from '../../observe';
import type { RpcStatistics } from './rpc-statistics';

/** The RPCs that a test client makes, as XdsUpdateClientConfigureService configures them. */
export interface TestConfiguration {
  readonly types: readonly RpcType[];
  readonly metadata: readonly { readonly type: RpcType; readonly key: string; readonly value: string }[];
  readonly timeoutMs: number;
}

interface TestCallsOptions {
  readonly client: Pick<Client, 'makeUnaryRequest'>;
  readonly clock: Clock;
  readonly statistics: RpcStatistics;
  /** RPCs of each type per second. */
  readonly qps: number;
}

const methods: Readonly<Record<RpcType, string>> = { EMPTY_CALL: 'EmptyCall', UNARY_CALL: 'UnaryCall' };
const tickMs = 50;
/** RPCs that are kept open must not exhaust the memory of the process. */
const maxInFlight = 2_000;
const asBytes = (bytes: Buffer): Buffer => bytes;

/** Makes EmptyCall and UnaryCall at a fixed rate. A late timer does not lower the rate. */
export class TestCalls {
  readonly #options: TestCallsOptions;
  #configuration: TestConfiguration = { types: [], metadata: [], timeoutMs: 20_000 };
  #begunAt = 0;
  #sent = 0;
  #inFlight = 0;
  #timer: { cancel(): void } | undefined;

  constructor(options: TestCallsOptions) {
    this.#options = options;
  }

  configure(configuration: TestConfiguration): void {
    this.#configuration = configuration;
    this.#timer?.cancel();
    this.#begunAt = this.#options.clock.now();
    this.#sent = 0;
    if (configuration.types.length > 0) this.#schedule();
  }

  close(): void {
    this.#timer?.cancel();
  }

  #schedule(): void {
    this.#timer = this.#options.clock.setTimeout(() => {
      const { clock, qps } = this.#options;
      const due = Math.floor(((clock.now() - this.#begunAt) / 1000) * qps) - this.#sent;
      this.#sent += due;
      for (let n = 0; n < due; n++) for (const type of this.#configuration.types) this.#call(type);
      this.#schedule();
    }, tickMs);
  }

  #call(type: RpcType): void {
    if (this.#inFlight >= maxInFlight) return;
    const { client, clock, statistics } = this.#options;
    const { metadata: entries, timeoutMs } = this.#configuration;
    const metadata = new Metadata({ waitForReady: true });
    for (const entry of entries) if (entry.type === type) metadata.add(entry.key, entry.value);
    const deadline = new Date(clock.now() + timeoutMs);
    this.#inFlight += 1;
    const count = statistics.start(type);
    callCounted(client, `/grpc.testing.TestService/${methods[type]}`, { metadata, deadline }, (ended) => {
      this.#inFlight -= 1;
      count(ended);
    });
  }
}

/** Makes a unary RPC without content. `onEnd` gets its status, and the name in the header `hostname` of the answer. */
export function callCounted(
  client: Pick<Client, 'makeUnaryRequest'>,
  method: string,
  { metadata, deadline }: { readonly metadata: Metadata; readonly deadline: Date },
  onEnd: (ended: { readonly code: number; readonly peer: string }) => void,
): void {
  let peer = '';
  const call = client.makeUnaryRequest(
    method,
    asBytes,
    asBytes,
    Buffer.alloc(0),
    metadata,
    { deadline },
    (error) => onEnd({ code: error?.code ?? 0, peer }),
  );
  call.on('metadata', (headers) => {
    peer = String(headers.get('hostname')[0] ?? '');
  });
}
