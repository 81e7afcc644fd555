import { resourceKey } from '@/lib/observation/client-state';
import { isSameState } from '@/lib/observation/reconcile';
import type { ReportedClient, ReportedClients } from '../codec/codec';
import type { ReportChanges } from '../poll-diff/apply-changes';
import { assignClientIds } from '../poll-diff/assign-client-ids';
import { type CompareOptions, compareAnswers } from '../poll-diff/compare-answers';
import { copyBodies } from '../poll-diff/copy-bodies';
import type { KnownClients } from '../poll-diff/known-clients';

export interface AnswerRequest {
  /** True if the request set exclude_resource_contents. */
  readonly excludesContents: boolean;
  readonly compare: CompareOptions;
}

/** The news of a complete answer. */
export interface CompleteNews extends ReportChanges {
  readonly kind: 'complete';
  /** The number of clients of the answer that are not admitted. */
  readonly notAdmitted: number;
  readonly duplicates: readonly string[];
  /** Sentences about unusual content of the answer. */
  readonly notes: readonly string[];
}

/**
 * `same` and `different` are results of answers without contents; after `different` the full answer must be requested.
 */
export type AnswerNews = CompleteNews | { readonly kind: 'same' } | { readonly kind: 'different' };

/** Compares one answer with the known clients (pure). `next` are the known clients after it. */
export function readAnswer(
  known: KnownClients,
  reported: ReportedClients,
  { excludesContents, compare }: AnswerRequest,
): { readonly news: AnswerNews; readonly next: KnownClients } {
  if (excludesContents && !reported.clients.some(hasContents)) {
    const isSame = isSameApartFromContents(known, reported.clients);
    return { news: { kind: isSame ? 'same' : 'different' }, next: known };
  }
  const { observations, next, clientIds, notAdmitted, duplicates } = compareAnswers(
    known,
    reported.clients,
    compare,
  );
  const bodies =
    observations.length === 0 ? new Map() : new Map(reported.bodies.map((body) => [body.hash, body]));
  const emissions = observations.map((observation) => ({
    observation,
    bodies: copyBodies(observation, bodies),
  }));
  return {
    news: { kind: 'complete', emissions, clientIds, notAdmitted, duplicates, notes: reported.notes },
    next,
  };
}

function hasContents({ resources }: ReportedClients['clients'][number]): boolean {
  return resources.some(({ hash }) => hash !== null);
}

/** True if an answer without contents has the same clients and resources as are known, apart from bodies. */
export function isSameApartFromContents(known: KnownClients, reported: readonly ReportedClient[]): boolean {
  const { clients } = assignClientIds(reported, known);
  if (clients.size !== known.size) return false;
  for (const [clientId, { node, resources }] of clients) {
    const client = known.get(clientId);
    if (client === undefined || client.rows.size !== resources.length) return false;
    if (JSON.stringify(node) !== JSON.stringify(client.node)) return false;
    for (const resource of resources) {
      const row = client.rows.get(resourceKey(resource));
      if (row === undefined) return false;
      // Only the body may show that the resource came in the v2 API.
      const { hash, sizeBytes, apiVersion, changedAt } = row;
      const failedHash = row.errorState?.failedHash ?? null;
      const errorState = resource.errorState === null ? null : { ...resource.errorState, failedHash };
      if (!isSameState({ ...resource, errorState, hash, sizeBytes, apiVersion, changedAt }, row))
        return false;
    }
  }
  return true;
}
