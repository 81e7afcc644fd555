'use client';

import { FileTrigger } from 'react-aria-components';
import { ErrorLine } from '@/app/_components/error-line';
import { formatCounted } from '@/lib/format/count';
import { Button } from '../../_components/button';
import { Panel } from '../../_components/panel';
import { QueryContent } from '../../_components/query-content';
import { useAddDescriptorSet } from '../../_hooks/mutations';
import { useDescriptorSets } from '../../_hooks/queries';
import { DescriptorSetItem } from './descriptor-set-item';

/** Types that xdscope does not ship and was reported, so that what is of them decodes. */
export function TypesPanel() {
  const { data: sets, error, refetch } = useDescriptorSets();
  const add = useAddDescriptorSet();
  const upload = (
    <FileTrigger
      onSelect={(files) => {
        const file = files?.[0];
        if (file !== undefined) add.mutate(file);
      }}
    >
      <Button icon="plus" isPending={add.isPending}>
        Add types
      </Button>
    </FileTrigger>
  );
  return (
    <Panel
      id="types"
      title="Types"
      vantage="what protobuf types xdscope was reported beside its own"
      actions={upload}
    >
      <div aria-live="polite" className="empty:hidden">
        {add.data !== undefined && add.error === null && (
          <p className="mb-3">
            {add.data.name}: {formatCounted(add.data.types.length, 'type')} added
            {add.data.skipped.length > 0 && `, ${add.data.skipped.length} were there already`}.
          </p>
        )}
        <ErrorLine error={add.error} className="mb-3" />
      </div>
      <QueryContent query={{ data: sets, error, refetch }} what="the types" rows={1}>
        {(sets) => (
          <>
            {sets.length === 0 && (
              <p className="text-muted">
                None. A part of a type that xdscope does not know is kept and shown as bytes. Add a descriptor
                set, as <code className="font-mono">protoc --include_imports --descriptor_set_out</code> and{' '}
                <code className="font-mono">buf build</code> write it, and it decodes.
              </p>
            )}
            {sets.length > 0 && (
              <ul className="flex flex-col gap-2">
                {sets.map((set) => (
                  <DescriptorSetItem key={set.id} set={set} />
                ))}
              </ul>
            )}
          </>
        )}
      </QueryContent>
    </Panel>
  );
}
