import type { InteropPoller } from './interop-poller';

/** The running sources of the kind `interop`, for commands to their clients. */
export class TestClients {
  readonly #pollers = new Set<InteropPoller>();

  add(poller: InteropPoller): void {
    this.#pollers.add(poller);
  }

  delete(poller: InteropPoller): void {
    this.#pollers.delete(poller);
  }

  /** undefined if no source that answers reports the client. */
  find(clientId: string): InteropPoller | undefined {
    return [...this.#pollers].find(
      (poller) => poller.status.state === 'up' && poller.clientIds.includes(clientId),
    );
  }
}
