'use client';

import dynamic from 'next/dynamic';
import type { ComponentType } from 'react';
import type { ClientTab } from '@/app/(dashboard)/clients/[clientId]/_view/client-tabs';

/** Every tab of a client has a permalink. The browser loads the code of the tab that is shown. */
const tabs: Readonly<Record<ClientTab, ComponentType>> = {
  graph: dynamic(() =>
    import('@/app/(dashboard)/clients/[clientId]/_view/graph-tab').then((module) => module.GraphTab),
  ),
  resolved: dynamic(() =>
    import('@/app/(dashboard)/clients/[clientId]/_view/resolved/resolved-tab').then(
      (module) => module.ResolvedTab,
    ),
  ),
  failover: dynamic(() =>
    import('@/app/(dashboard)/clients/[clientId]/_view/failover/failover-tab').then(
      (module) => module.FailoverTab,
    ),
  ),
  resources: dynamic(() =>
    import('@/app/(dashboard)/clients/[clientId]/_view/resources-tab').then((module) => module.ResourcesTab),
  ),
  load: dynamic(() =>
    import('@/app/(dashboard)/clients/[clientId]/_view/load/load-tab').then((module) => module.LoadTab),
  ),
  propagation: dynamic(() =>
    import('@/app/(dashboard)/clients/[clientId]/_view/propagation-tab').then(
      (module) => module.PropagationTab,
    ),
  ),
  findings: dynamic(() =>
    import('@/app/(dashboard)/clients/[clientId]/_view/findings-tab').then((module) => module.FindingsTab),
  ),
  history: dynamic(() =>
    import('@/app/(dashboard)/clients/[clientId]/_view/history-tab').then((module) => module.HistoryTab),
  ),
};

export function PermalinkTab({ tab }: { readonly tab: ClientTab }) {
  const Tab = tabs[tab];
  return <Tab />;
}
