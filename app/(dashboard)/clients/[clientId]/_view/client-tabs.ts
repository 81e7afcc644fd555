import type { View } from '@/lib/api/schema';

export type ClientTab = View['tab'];

/**
 * The tabs of a client in their order. `shared`: a permalink shows the tab only if it was the shared one, because it
 * stores for no other tab what lies outside the resources of the client.
 */
const clientTabs = {
  graph: { label: 'Graph', inPermalink: 'always' },
  resolved: { label: 'Resolved', inPermalink: 'always' },
  failover: { label: 'Failover', inPermalink: 'always' },
  resources: { label: 'Resources', inPermalink: 'always' },
  load: { label: 'Load', inPermalink: 'shared' },
  propagation: { label: 'Propagation', inPermalink: 'shared' },
  findings: { label: 'Findings', inPermalink: 'always' },
  history: { label: 'History', inPermalink: 'shared' },
} as const satisfies Record<ClientTab, { readonly label: string; readonly inPermalink: 'always' | 'shared' }>;

export function isClientTab(text: string | undefined): text is ClientTab {
  return text !== undefined && Object.hasOwn(clientTabs, text);
}

/** `shared`: the tab that a permalink stored; null: the client is not stored. */
export function listTabs(
  shared: ClientTab | null,
): readonly { readonly id: ClientTab; readonly label: string }[] {
  return (Object.keys(clientTabs) as ClientTab[])
    .filter((id) => shared === null || id === shared || clientTabs[id].inPermalink === 'always')
    .map((id) => ({ id, label: clientTabs[id].label }));
}
