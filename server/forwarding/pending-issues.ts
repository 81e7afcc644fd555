import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import type { IssuesByClient } from '@/lib/views/fleet/schema';
import type { IssuesChange } from '../store/heads/client-heads';

/** The issues of clients that differ from those that are written. MUTABLE. */
export class PendingIssues {
  readonly #written: Map<string, string>;
  #found: IssuesByClient | undefined;

  /** `written`: the issues of each client as JSON, by its id. */
  constructor(written: ReadonlyMap<string, string>) {
    this.#written = new Map(written);
  }

  /**
   * Returns what differs from what was found of all clients; undefined if nothing does. It counts as written: if that fails, this
   * object is of no use any more.
   */
  *take(found: IssuesByClient | undefined): Steps<IssuesChange | undefined> {
    if (found === undefined || found === this.#found) return undefined;
    this.#found = found;
    const changed = new Map<string, string>();
    let visited = 0;
    for (const [id, issues] of found) {
      if (visited++ % itemsPerStep === 0) yield;
      const json = JSON.stringify(issues);
      if (this.#written.get(id) === json) continue;
      changed.set(id, json);
      this.#written.set(id, json);
    }
    const removed = [...this.#written.keys()].filter((id) => !found.has(id));
    for (const id of removed) this.#written.delete(id);
    return changed.size + removed.length === 0 ? undefined : { changed, removed };
  }
}
