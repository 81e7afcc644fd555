'use client';

import { useItems } from '@/app/_ask/use-question';
import { ErrorState } from '@/app/_components/error-state';
import { ExportButton } from '@/app/_components/export/export-button';
import { FileButton } from '@/app/_components/file-button';
import { ImportItem } from '@/app/_components/imports/import-item';
import { useImportQueue } from '@/app/_components/imports/import-queue';
import { UnsentFiles, WaitingFiles } from '@/app/_components/imports/waiting-files';
import { Panel } from '@/app/_components/panel';

export function FilesPanel() {
  const { give } = useImportQueue();
  const { data: imports = [] } = useItems('imports', {});
  const actions = (
    <>
      <ExportButton />
      <FileButton icon="plus" isMultiple onChoose={give}>
        Import
      </FileButton>
    </>
  );
  return (
    <Panel id="files" title="Files" vantage="imported recordings and config dumps" actions={actions}>
      <p className="rounded-md border border-dashed border-line-strong px-3 py-4 text-muted">
        Drop files or a folder on any page, or paste text: recordings (.xdscope), Envoy config dumps, CSDS
        responses, xDS resources or bootstraps, as JSON, YAML or protobuf, compressed or not. Each file
        becomes a source with its own clients.
      </p>
      <div className="mt-2 flex flex-col gap-2 empty:hidden">
        <UnsentFiles imports={imports} />
        <WaitingFiles />
      </div>
      <ImportsList />
    </Panel>
  );
}

function ImportsList() {
  const { data: imports, error, refetch } = useItems('imports', {});
  if (imports === undefined) {
    return error === null ? null : (
      <ErrorState title="The imports could not be read" error={error} onRetry={() => void refetch()} />
    );
  }
  if (imports.length === 0) return null;
  return (
    <>
      <ul aria-label="Imported files" className="mt-3 grid gap-2 md:grid-cols-2 xl:grid-cols-3">
        {imports.map((item) => (
          <ImportItem key={item.id} item={item} />
        ))}
      </ul>
      <p className="mt-2 note">
        Removing a file removes its clients and pins. Recorded data stays in the log until its retention ends.
      </p>
    </>
  );
}
