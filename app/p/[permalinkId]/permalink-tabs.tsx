import type { ComponentType } from 'react';
import type { ClientTab } from '@/app/(dashboard)/clients/[clientId]/_view/client-tabs';
import { FailoverTab } from '@/app/(dashboard)/clients/[clientId]/_view/failover/failover-tab';
import { FindingsTab } from '@/app/(dashboard)/clients/[clientId]/_view/findings-tab';
import { GraphTab } from '@/app/(dashboard)/clients/[clientId]/_view/graph-tab';
import { HistoryTab } from '@/app/(dashboard)/clients/[clientId]/_view/history-tab';
import { LoadTab } from '@/app/(dashboard)/clients/[clientId]/_view/load/load-tab';
import { ResolvedTab } from '@/app/(dashboard)/clients/[clientId]/_view/resolved/resolved-tab';
import { ResourcesTab } from '@/app/(dashboard)/clients/[clientId]/_view/resources-tab';
import { TruthTab } from '@/app/(dashboard)/clients/[clientId]/_view/truth-tab';

/** Every tab of a client has a permalink. */
export const permalinkTabs: Readonly<Record<ClientTab, ComponentType>> = {
  graph: GraphTab,
  resolved: ResolvedTab,
  failover: FailoverTab,
  resources: ResourcesTab,
  load: LoadTab,
  truth: TruthTab,
  findings: FindingsTab,
  history: HistoryTab,
};
