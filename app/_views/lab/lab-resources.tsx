'use client';

import { useCallback, useMemo, useState } from 'react';
import { useCommand } from '@/app/_ask/use-command';
import { useItems } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { column, unsorted } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { DataTable } from '@/app/_components/data-table';
import { Dialog } from '@/app/_components/dialog';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorLine } from '@/app/_components/error-line';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { formatCounted } from '@/lib/format/count';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { LabResource } from '@/lib/views/lab/schema';
import { formatResourceType } from '@/lib/xds/resource-type';
import { ResourceForm } from './resource-form';

const resourceId = ({ typeUrl, name }: LabResource) => `${typeUrl}\n${name}`;

const columns: readonly DataColumn<LabResource>[] = unsorted([
  column('type', 'Type', ({ typeUrl }) => typeUrl, {
    widthPx: 64,
    as: (typeUrl) => <span title={typeUrl}>{formatResourceType(typeUrl)}</span>,
  }),
  column('name', 'Name', ({ name }) => name, { as: 'name', grows: true }),
  column('version', 'Version', ({ version }) => version, { as: 'name', widthPx: 96, align: 'right' }),
]);

export function LabResources() {
  const { data, error, refetch } = useItems('lab/resources', {});
  const [editing, setEditing] = useState<LabResource | 'new' | null>(null);
  const close = () => setEditing(null);
  const resources = useMemo(() => data?.toSorted(compareResourceKeys), [data]);
  const open = useCallback((resource: LabResource) => setEditing(resource), []);

  return (
    <Panel
      title="The mesh’s resources"
      vantage={`${formatCounted(resources?.length ?? 0, 'resource')} served by the lab’s management server`}
      actions={
        <>
          <RenewButton />
          <Button icon="plus" onPress={() => setEditing('new')}>
            Add resource
          </Button>
        </>
      }
      flush
    >
      <QueryContent query={{ data: resources, error, refetch }} what="the mesh’s resources">
        {(rows) => (
          <DataTable
            label="The mesh’s resources"
            rows={rows}
            columns={columns}
            rowId={resourceId}
            onActivate={open}
            rowHeightPx={34}
            className="max-h-120"
            empty={<EmptyState title="No resources" />}
          />
        )}
      </QueryContent>
      <Dialog
        title={editing === 'new' ? 'Add resource' : 'Edit resource'}
        isOpen={editing !== null}
        onClose={close}
        widthPx={860}
      >
        {editing !== null && <ResourceForm resource={editing === 'new' ? null : editing} onDone={close} />}
      </Dialog>
    </Panel>
  );
}

/** Renews all versions without changes, like control planes whose versions are timestamps. */
function RenewButton() {
  const renew = useCommand('POST lab/renew');
  return (
    <>
      <ErrorLine error={renew.error} />
      <Button tone="quiet" isPending={renew.isPending} onPress={() => renew.mutate({})}>
        Re-push unchanged
      </Button>
    </>
  );
}
