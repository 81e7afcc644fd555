'use client';

import { DropZone, FileTrigger } from 'react-aria-components';
import { Button } from '../../_components/button';
import { ExportButton } from '../../_components/export/export-button';
import { Panel } from '../../_components/panel';
import { useImportFile } from '../../_hooks/mutations';
import { ImportsList } from './imports-list';

/** Files: recordings out, and all kinds in. What came in is among the sources, and its clients among the clients. */
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
    <Panel id="files" title="Files" vantage="recordings, dumps and answers as files" actions={actions}>
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
        bootstrap; in JSON, YAML or protobuf, packed or not. It becomes a source, and what it holds clients of
        their own, with every view. Anywhere else on a page it does the same, and so does text that is pasted.
      </DropZone>
      {upload.error !== null && (
        <p role="alert" className="mt-2 break-words text-nacked">
          {upload.error.message}
        </p>
      )}
      <ImportsList />
    </Panel>
  );
}
