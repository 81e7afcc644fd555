import type { Metadata } from 'next';
import { SettingsTabs } from '@/app/_components/settings-tabs';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { queryKeys } from '@/app/_hooks/query-keys';
import { getRuntime } from '@/server';
import { RecorderPanel } from '../recorder-panel';
import { ReplaysPanel } from '../replays-panel';

export const metadata: Metadata = { title: 'Recorder - Settings' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  const health = await getRuntime().api.ask('health', {}, { params: {} });
  return (
    <Prefetched data={[[queryKeys.health, health]]}>
      <PageBody>
        <PageHead title="Recorder" vantage="the log of this xdscope" />
        <SettingsTabs current="/sources/recorder" />
        <RecorderPanel />
        <ReplaysPanel />
      </PageBody>
    </Prefetched>
  );
}
