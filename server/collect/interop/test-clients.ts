import type { RunningSource } from '../../source-status';
import type { InteropRequest } from './poll';

/** A running source of the kind `interop`. */
export interface TestClientSource extends RunningSource {
  readonly isClosing: boolean;
  /** Resolves with a sentence about what failed, or undefined. */
  request(request: InteropRequest): Promise<string | undefined>;
}

/** The running sources of the kind `interop`, for commands to their clients. */
export class TestClients {
  readonly #sources = new Set<TestClientSource>();

  add(source: TestClientSource): void {
    for (const each of this.#sources) if (each.isClosing) this.#sources.delete(each);
    this.#sources.add(source);
  }

  /** undefined if no source that answers reports the client. */
  find(clientId: string): TestClientSource | undefined {
    return [...this.#sources].find(
      ({ isClosing, status }) => !isClosing && status.state === 'up' && status.clients.has(clientId),
    );
  }
}
