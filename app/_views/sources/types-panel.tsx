'use client';

import { useCommand, useUpload } from '@/app/_ask/use-command';
import { useItems } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { BytesText } from '@/app/_components/bytes-text';
import { ErrorLine } from '@/app/_components/error-line';
import { FileButton } from '@/app/_components/file-button';
import { Panel } from '@/app/_components/panel';
import { QueryContent } from '@/app/_components/query-content';
import { formatCounted } from '@/lib/format/count';
import type { DescriptorSet } from '@/lib/views/sources/descriptor-set-schema';

/** Protobuf types that users add, so that parts with these types can be decoded. */
export function TypesPanel() {
  const { data: sets, error, refetch } = useItems('descriptor-sets', {});
  const add = useUpload('descriptor-sets');
  const upload = (
    <FileButton
      icon="plus"
      isPending={add.isPending}
      onChoose={([file]) => {
        if (file !== undefined) add.mutate({ name: file.name, files: [file] });
      }}
    >
      Add types
    </FileButton>
  );
  return (
    <Panel id="types" title="Types" vantage="custom protobuf types" actions={upload}>
      <div aria-live="polite" className="empty:hidden">
        {add.data !== undefined && add.error === null && (
          <p className="mb-3">
            {add.data.name}: {formatCounted(add.data.types.length, 'type')} added{' '}
            {add.data.skipped.length > 0 && `, ${add.data.skipped.length} already known`}.
          </p>
        )}
        <ErrorLine error={add.error} className="mb-3" />
      </div>
      <QueryContent query={{ data: sets, error, refetch }} what="the types" rows={1}>
        {(sets) => (
          <>
            {sets.length === 0 && (
              <p className="text-muted">
                None. Parts with an unknown type are shown as bytes. To decode them, add a descriptor set, as
                written by <code className="font-mono">protoc --include_imports --descriptor_set_out</code> or{' '}
                <code className="font-mono">buf build</code>.
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

function DescriptorSetItem({ set }: { readonly set: DescriptorSet }) {
  const remove = useCommand('DELETE descriptor-sets/{id}');
  return (
    <li className="rounded-md border border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3">
        <span className="min-w-0 font-medium break-all">{set.name}</span>
        <span className="text-muted">
          <BytesText sizeBytes={set.sizeBytes} />, {set.origin === 'flag' ? 'by flag' : 'uploaded'}
        </span>
        {set.origin === 'browser' && (
          <Button
            tone="quiet"
            icon="trash"
            className="ml-auto"
            label={`Remove the types of ${set.name}`}
            isPending={remove.isPending}
            onPress={() => remove.mutate({ id: set.id })}
          >
            Forget
          </Button>
        )}
      </div>
      {set.problem !== undefined && <p className="break-words text-nacked">{set.problem}</p>}
      <ErrorLine error={remove.error} />
      <Names title={formatCounted(set.types.length, 'type')} names={set.types} />
      {set.skipped.length > 0 && (
        <Names
          title={`${set.skipped.length} skipped`}
          names={set.skipped.map(({ name, reason }) => `${name}: ${reason}`)}
        />
      )}
    </li>
  );
}

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  if (names.length === 0) return <p className="text-muted">{title}</p>;
  return (
    <details className="text-medium">
      <summary className="cursor-pointer text-muted">{title}</summary>
      <ul className="max-h-64 overflow-auto">
        {names.map((name) => (
          <li key={name} className="font-mono text-small break-all">
            {name}
          </li>
        ))}
      </ul>
    </details>
  );
}
