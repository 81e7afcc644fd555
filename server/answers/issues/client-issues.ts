import type { IssueAt } from '@/lib/issues/issue-at';
import type { IssueOfClient } from '@/lib/views/fleet/schema';
import { describeIssueKind } from '@/lib/views/issues/describe-issue-kind';
import type { Issue } from '@/lib/views/issues/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../observe';

/** An issue with the ids of the clients that have it. */
export interface OpenIssue extends IssueOfClient {
  readonly clients: ReadonlySet<string>;
}

interface ClientIssuesParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly findOpen: () => Promise<readonly OpenIssue[]>;
}

/** The issues of some clients. */
export interface FoundIssues {
  /** By the id of the client; one without issues is absent. */
  readonly issues: ReadonlyMap<string, readonly IssueOfClient[]>;
  /** The reason why they are not known; empty if they are. */
  readonly problem: string;
}

/** Each window of the list of clients asks, and they are found once in this time. */
const freshMs = 1_000;

export class ClientIssues {
  readonly #parts: ClientIssuesParts;
  #open: { readonly at: EpochMs; readonly issues: Promise<readonly OpenIssue[]> } | undefined;

  constructor(parts: ClientIssuesParts) {
    this.#parts = parts;
  }

  async find(clientIds: readonly string[]): Promise<FoundIssues> {
    const { clock, findOpen } = this.#parts;
    const at = clock.now();
    if (this.#open === undefined || at - this.#open.at >= freshMs) this.#open = { at, issues: findOpen() };
    const issues = await this.#open.issues;
    const found = clientIds.map((id) => {
      const own = issues.filter(({ clients }) => clients.has(id));
      return [id, own.map(({ id: issueId, title }) => ({ id: issueId, title }))] as const;
    });
    return { issues: new Map(found.filter(([, own]) => own.length > 0)), problem: '' };
  }
}

/** `own`: the issues that xdscope itself measures. */
export function openIssues(found: readonly IssueAt[], own: readonly Issue[]): OpenIssue[] {
  return [
    ...found.map(({ record: { id, cause }, periods }) => ({
      ...{ id, title: describeIssueKind(cause, periods).title },
      clients: new Set(periods.map(({ clientId }) => clientId)),
    })),
    ...own.map(({ id, title, clients }) => ({
      ...{ id, title },
      clients: new Set(clients.items.map(({ clientId }) => clientId)),
    })),
  ];
}
