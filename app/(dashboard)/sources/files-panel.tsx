'use client';

import { DropZone, FileTrigger } from 'react-aria-components';
import { Button } from '../../_components/button';
import { ExportButton } from '../../_components/export/export-button';
import { Panel } from '../../_components/panel';
import { useImportFile } from '../../_hooks/mutations';

/** Recordings as files: out, and in. What came in is among the sources, and its clients among the clients. */
export function FilesPanel() {
  const upload = useImportFile();
  const take = (file: File | undefined): void => {
    if (file !== undefined) upload.mutate(file);
  };
  const actions = (
    <>
      <ExportButton />
      <FileTrigger onSelect={(files) => take(files?.[0])}>
        <Button icon="plus" isPending={upload.isPending}>
          Import
        </Button>
      </FileTrigger>
    </>
  );
  return (
    <Panel id="files" title="Files" vantage="recordings of this xdscope, or of another" actions={actions}>
      <DropZone
        aria-label="Drop a file here"
        onDrop={async (event) => {
          for (const item of event.items) {
            if (item.kind === 'file') take(await item.getFile());
          }
        }}
        className="rounded-md border border-dashed border-line-strong px-3 py-4 text-muted data-[drop-target]:border-accent data-[drop-target]:bg-hover"
      >
        Drop a file here: a recording (.xdscope), a config dump of Envoy, a CSDS answer, xDS resources, a
        bootstrap. It becomes a source, and what it holds clients of their own, with every view.
      </DropZone>
      <p aria-live="polite" className="mt-2 break-words empty:hidden">
        {upload.isPending && 'It is being read.'}
        {upload.error !== null && <span className="text-nacked">{upload.error.message}</span>}
        {upload.data !== undefined && !upload.isPending && upload.error === null && (
          <>
            {upload.data.label}: {upload.data.notes.join('; ')}
          </>
        )}
      </p>
    </Panel>
  );
}
