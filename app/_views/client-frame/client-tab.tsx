'use client';

import dynamic from 'next/dynamic';
import type { ComponentType } from 'react';
import type { ClientViewName } from '@/lib/views/client/client-views';

/** The browser loads the code of the tab that is shown. */
const tabs: Readonly<Record<ClientViewName, ComponentType>> = {
  graph: dynamic(() => import('../graph/graph-tab').then(({ GraphTab }) => GraphTab)),
  resolved: dynamic(() => import('../resolved/resolved-tab').then(({ ResolvedTab }) => ResolvedTab)),
  explain: dynamic(() => import('../explain/explain-tab').then(({ ExplainTab }) => ExplainTab)),
  failover: dynamic(() => import('../failover/failover-tab').then(({ FailoverTab }) => FailoverTab)),
  resources: dynamic(() => import('../resources/resources-tab').then(({ ResourcesTab }) => ResourcesTab)),
  connections: dynamic(() =>
    import('../connections/connections-tab').then(({ ConnectionsTab }) => ConnectionsTab),
  ),
  load: dynamic(() => import('../load/load-tab').then(({ LoadTab }) => LoadTab)),
  propagation: dynamic(() =>
    import('../propagation/propagation-tab').then(({ PropagationTab }) => PropagationTab),
  ),
  findings: dynamic(() => import('../findings/findings-tab').then(({ FindingsTab }) => FindingsTab)),
  'test-client': dynamic(() =>
    import('../test-client/test-client-tab').then(({ TestClientTab }) => TestClientTab),
  ),
  history: dynamic(() => import('../history/history-tab').then(({ HistoryTab }) => HistoryTab)),
};

export function ClientTab({ tab }: { readonly tab: ClientViewName }) {
  const Tab = tabs[tab];
  return <Tab />;
}
