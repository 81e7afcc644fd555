import type * as z from 'zod';
import type { blockRequest, configurationRequest, servingRequest } from '@/lib/views/test-client/schema';
import { ApiError, badRequest } from '../../api-error';
import type { TestClientSource, TestClients } from '../../collect/interop/test-clients';
import { parseTarget } from '../../transport/targets/target';
import type { GraphBuilder } from '../graph/graph-builder';
import { missingSubject } from '../simulate-failover';
import type { ClientSubjects } from '../subjects/client-subjects';

interface TestClientApiOptions {
  readonly testClients: Pick<TestClients, 'find'>;
  readonly subjects: Pick<ClientSubjects, 'find'>;
  readonly graphs: Pick<GraphBuilder, 'ask'>;
  readonly live: { readonly world: { has(clientId: string): boolean } };
}

/** Commands to test clients. The source that polls the client sends and records them. */
export class TestClientApi {
  readonly #options: TestClientApiOptions;
  /** The sources of which a block is under way. */
  readonly #counting = new Set<TestClientSource>();

  constructor(options: TestClientApiOptions) {
    this.#options = options;
  }

  async countBlock(clientId: string, { rpcs, timeoutSeconds }: z.output<typeof blockRequest>): Promise<void> {
    const source = this.#findSource(clientId);
    if (this.#counting.has(source))
      throw conflict('expected no other block of this client under way, got one: wait until it has ended');
    this.#counting.add(source);
    try {
      await assertDone(source.request({ kind: 'count-block', rpcs, timeoutMs: timeoutSeconds * 1000 }));
    } finally {
      this.#counting.delete(source);
    }
  }

  async configure(
    clientId: string,
    { types, metadata, timeoutSeconds }: z.output<typeof configurationRequest>,
  ): Promise<void> {
    const source = this.#findSource(clientId);
    const timeout = timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1000 };
    const configuration = { types: [...new Set(types)], metadata, ...timeout };
    await assertDone(source.request({ kind: 'configure', configuration }));
  }

  /** xdscope connects only to servers that the client itself is configured to call. */
  async setServer(
    clientId: string,
    { address, isServing }: z.output<typeof servingRequest>,
    signal?: AbortSignal,
  ): Promise<void> {
    const { subjects, graphs } = this.#options;
    const source = this.#findSource(clientId);
    const subject = await subjects.find(clientId, undefined, signal && { signal });
    if (subject === undefined) throw missingSubject({ clientId });
    const { servers } = await graphs.ask(
      'peers',
      subject.source,
      { peers: [], addresses: [address] },
      signal,
    );
    const parsed = parseTarget(address);
    if (servers.length === 0 || !parsed.ok) {
      const got = JSON.stringify(address);
      const reason = parsed.ok ? '' : `: ${parsed.problem.message}`;
      throw badRequest(`expected host:port of an endpoint of this client, got ${got}${reason}`, 'address');
    }
    const { target } = parsed;
    await assertDone(source.request({ kind: 'set-serving', target, isServing }), 'Test server failed');
  }

  #findSource(clientId: string): TestClientSource {
    const { testClients, live } = this.#options;
    if (!live.world.has(clientId)) throw missingSubject({ clientId });
    const source = testClients.find(clientId);
    if (source !== undefined) return source;
    throw conflict(
      'expected a source of the kind interop that answers for this client, got none: add its address as a source, or resume that source',
    );
  }
}

function conflict(detail: string): ApiError {
  return new ApiError(409, 'Test client not available', detail);
}

/** Throws an ApiError that states what failed. */
async function assertDone(
  answered: ReturnType<TestClientSource['request']>,
  title = 'Test client failed',
): Promise<void> {
  const problem = await answered;
  if (problem !== undefined) throw new ApiError(502, title, problem);
}
