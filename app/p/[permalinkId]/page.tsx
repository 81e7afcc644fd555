import { notFound } from 'next/navigation';
import { FailoverTab } from '@/app/(dashboard)/clients/[clientId]/_view/failover/failover-tab';
import { FindingsTab } from '@/app/(dashboard)/clients/[clientId]/_view/findings-tab';
import { GraphTab } from '@/app/(dashboard)/clients/[clientId]/_view/graph-tab';
import { HistoryTab } from '@/app/(dashboard)/clients/[clientId]/_view/history-tab';
import { LoadTab } from '@/app/(dashboard)/clients/[clientId]/_view/load/load-tab';
import { ResolvedTab } from '@/app/(dashboard)/clients/[clientId]/_view/resolved/resolved-tab';
import { ResourcesTab } from '@/app/(dashboard)/clients/[clientId]/_view/resources-tab';
import { findPermalink } from './find-permalink';

interface PermalinkPageProps {
  readonly params: Promise<{ readonly permalinkId: string }>;
}

const tabs = {
  graph: GraphTab,
  resolved: ResolvedTab,
  failover: FailoverTab,
  resources: ResourcesTab,
  load: LoadTab,
  findings: FindingsTab,
  history: HistoryTab,
} as const;

/** The tab that was stored. */
export default async function PermalinkPage({ params }: PermalinkPageProps) {
  const permalink = await findPermalink((await params).permalinkId);
  if (permalink === undefined) notFound();
  const Tab = tabs[permalink.view.tab];
  return <Tab />;
}
