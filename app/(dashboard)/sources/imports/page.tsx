import type { Metadata } from 'next';
import { prefetchAnswer } from '@/app/_ask/prefetch-answer';
import { SettingsTabs } from '@/app/_components/settings-tabs';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { FilesPanel } from '@/app/_views/sources/files-panel';
import { TypesPanel } from '@/app/_views/sources/types-panel';

export const metadata: Metadata = { title: 'Imports - Settings' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  return (
    <Prefetched data={[await prefetchAnswer('imports', {})]}>
      <PageBody>
        <PageHead title="Imports" vantage="files that were imported into this xdscope" />
        <SettingsTabs current="/sources/imports" />
        <FilesPanel />
        <TypesPanel />
      </PageBody>
    </Prefetched>
  );
}
