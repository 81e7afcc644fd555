import type { Metadata } from 'next';
import { SettingsTabs } from '@/app/_components/settings-tabs';
import { PageBody } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { Prefetched } from '@/app/_components/shell/prefetched';
import { queryKeys } from '@/app/_hooks/query-keys';
import { getRuntime } from '@/server';
import { FilesPanel } from '../files-panel';
import { TypesPanel } from '../types-panel';

export const metadata: Metadata = { title: 'Imports - Settings' };
export const dynamic = 'force-dynamic';

export default async function Page() {
  const imports = await getRuntime().api.ask('imports', {}, { params: {} });
  return (
    <Prefetched data={[[queryKeys.imports, imports.items]]}>
      <PageBody>
        <PageHead title="Imports" vantage="files that were imported into this xdscope" />
        <SettingsTabs current="/sources/imports" />
        <FilesPanel />
        <TypesPanel />
      </PageBody>
    </Prefetched>
  );
}
