import { LRUCache } from 'lru-cache';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildResourceRows } from '@/lib/views/client/build-resource-rows';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import type { LiveState } from '../../live/live-state';
import { SharedWork } from '../../workers/shared-work';
import { takeSteps } from '../../workers/threads/take-steps';

interface ClientRowsOptions {
  readonly live: Pick<LiveState, 'world' | 'revisionOf'>;
  readonly freshnessOf: FreshnessOf;
}

interface RowsAtRevision {
  /** The rows may be newer, never older. */
  readonly revision: number;
  readonly rows: readonly ResourceRow[];
}

const rowListsKept = 20;

/** The resources of clients as rows. An unchanged client has the same array. */
export class ClientRows {
  readonly #options: ClientRowsOptions;
  readonly #kept = new LRUCache<string, RowsAtRevision>({ max: rowListsKept });
  readonly #building = new SharedWork<RowsAtRevision | undefined>();

  constructor(options: ClientRowsOptions) {
    this.#options = options;
  }

  /** Returns undefined if there is no such client. */
  async find(clientId: string): Promise<RowsAtRevision | undefined> {
    const revision = this.#options.live.revisionOf(clientId);
    const kept = this.#kept.get(clientId);
    if (kept?.revision === revision) return kept;
    return this.#building.run(`${clientId} ${revision}`, undefined, () => this.#make(clientId, revision));
  }

  async #make(clientId: string, revision: number): Promise<RowsAtRevision | undefined> {
    const { live, freshnessOf } = this.#options;
    const client = live.world.get(clientId);
    if (client === undefined) return undefined;
    const made = { revision, rows: await takeSteps(buildResourceRows(client, freshnessOf)) };
    if ((this.#kept.peek(clientId)?.revision ?? -1) < revision) this.#kept.set(clientId, made);
    return made;
  }
}
