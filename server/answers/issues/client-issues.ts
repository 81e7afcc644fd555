import type { IssueAt } from '@/lib/issues/issue-at';
import type { IssueOfClient, IssuesByClient } from '@/lib/views/fleet/schema';
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

/** Each window of the list of clients asks, and they are found once in this time. */
const freshMs = 1_000;
const issuesListed = 10;

/** The open issues of all clients, as their list shows them. */
export class ClientIssues {
  readonly #parts: ClientIssuesParts;
  #found: { readonly at: EpochMs; readonly issues: Promise<IssuesByClient> } | undefined;

  constructor(parts: ClientIssuesParts) {
    this.#parts = parts;
  }

  find(): Promise<IssuesByClient> {
    const { clock, findOpen } = this.#parts;
    const at = clock.now();
    if (this.#found === undefined || at - this.#found.at >= freshMs)
      this.#found = { at, issues: findOpen().then(groupByClient) };
    return this.#found.issues;
  }
}

function groupByClient(open: readonly OpenIssue[]): IssuesByClient {
  const byClient = new Map<string, IssueOfClient[]>();
  for (const { id, title, clients } of open) {
    for (const clientId of clients) {
      const known = byClient.get(clientId);
      if (known === undefined) byClient.set(clientId, [{ id, title }]);
      else if (known.length < issuesListed) known.push({ id, title });
    }
  }
  return byClient;
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
