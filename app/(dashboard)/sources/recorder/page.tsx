import type { Metadata } from 'next';
import { prefetchAnswer } from '@/app/_ask/prefetch-answer';
import { SettingsTabs } from '@/app/_components/settings-tabs';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { RecorderPanel } from '@/app/_views/sources/recorder-panel';
import { ReplaysPanel } from '@/app/_views/sources/replays-panel';

export const metadata: Metadata = { title: 'Recorder - Settings' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  return (
    <Prefetched data={[await prefetchAnswer('health', {})]}>
      <PageBody>
        <PageHead title="Recorder" vantage="the log of this xdscope" />
        <SettingsTabs current="/sources/recorder" />
        <RecorderPanel />
        <ReplaysPanel />
      </PageBody>
    </Prefetched>
  );
}
