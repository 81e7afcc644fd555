import { resourceKey } from '@/lib/observation/client-state';
import { isSameState } from '@/lib/observation/reconcile';
import type { ReportedClient } from '../codec/codec';
import { assignClientIds } from '../poll-diff/assign-client-ids';
import type { KnownClients } from '../poll-diff/known-clients';

/** Does an answer without contents tell what is known: the same clients and resources, nothing changed but unseen bodies? */
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
      // A body may be all that says v2.
      const { hash, sizeBytes, apiVersion, changedAt } = row;
      const failedHash = row.errorState?.failedHash ?? null;
      const errorState = resource.errorState === null ? null : { ...resource.errorState, failedHash };
      if (!isSameState({ ...resource, errorState, hash, sizeBytes, apiVersion, changedAt }, row))
        return false;
    }
  }
  return true;
}
