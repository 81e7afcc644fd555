'use client';

import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useCommand } from '@/app/_ask/use-command';
import { Button } from '@/app/_components/button';
import { CheckboxField } from '@/app/_components/checkbox-field';
import { Dialog } from '@/app/_components/dialog';
import { SelectField } from '@/app/_components/select-field';
import { TextAreaField } from '@/app/_components/text-area-field';
import { TextField } from '@/app/_components/text-field';
import { ApiError } from '@/app/_hooks/api-error';
import { byDescending } from '@/lib/collections/compare';
import { formOf } from '@/lib/observation/source-kinds';
import { ChoiceCards } from './choice-cards';
import { ModeFields } from './mode-fields';
import { ServerFields, type ServerFieldsProps } from './server-fields';
import { apiVersionChoices, draftTransportChoices, kindChoices } from './source-choices';
import { emptyDraft, readsBootstrap, readsServers, type SourceDraft, toNewSource } from './source-draft';

interface AddSourceDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function AddSourceDialog({ isOpen, onClose }: AddSourceDialogProps) {
  return (
    <Dialog title="Add a source" isOpen={isOpen} onClose={onClose} widthPx={600}>
      <AddSourceForm onDone={onClose} />
    </Dialog>
  );
}

/** Mounted while the dialog is open, so that each opening starts with an empty form. */
function AddSourceForm({ onDone }: { readonly onDone: () => void }) {
  const add = useCommand('POST sources');
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(emptyDraft);
  const field = add.error instanceof ApiError ? add.error.field : undefined;
  const { errorAt, elsewhere } = placeError(add.error?.message, field, draft);
  const isEmpty = (readsBootstrap(draft) ? draft.bootstrap : draft.target).trim() === '';

  useEffect(() => {
    if (add.error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [add.error]);

  function change(part: Partial<SourceDraft>) {
    setDraft((before) => ({ ...before, ...part }));
    add.reset();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    add.mutate(toNewSource(draft), { onSuccess: onDone });
  }

  const parts = { draft, onChange: change, errorAt };
  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-4">
      <ChoiceCards
        legend="Kind"
        name="kind"
        value={draft.kind}
        choices={kindChoices}
        onChange={(kind) => change({ kind })}
      />
      <ServerFields {...parts} />
      {formOf(draft.kind).parts.includes('probe') && <AdsFields {...parts} />}
      <TextField
        label="Name (optional)"
        value={draft.label}
        onChange={(label) => change({ label })}
        placeholder="checkout, canary"
        error={errorAt('label')}
      />
      <p role="alert" className="break-words text-nacked empty:hidden">
        {elsewhere}
      </p>
      <div className="flex justify-end gap-2">
        <Button onPress={onDone}>Cancel</Button>
        <Button type="submit" tone="accent" isPending={add.isPending} isDisabled={isEmpty}>
          Add
        </Button>
      </div>
    </form>
  );
}

function AdsFields({ draft, onChange, errorAt }: ServerFieldsProps) {
  const transports = draftTransportChoices(readsBootstrap(draft));
  // The choice made for a bootstrap may not be available.
  const transport = transports.find(({ value }) => value === draft.transport) ?? transports[0];
  return (
    <>
      <div className="grid gap-4 min-[30rem]:grid-cols-2">
        <SelectField
          label="Transport"
          value={transport?.value ?? 'ads'}
          options={transports}
          onChange={(chosen) => onChange({ transport: chosen })}
          error={errorAt('settings.transport')}
        />
        <SelectField
          label="API version"
          value={draft.apiVersion}
          options={apiVersionChoices}
          onChange={(apiVersion) => onChange({ apiVersion })}
          error={errorAt('settings.apiVersion')}
        />
      </div>
      {draft.transport !== 'rest' && (
        <CheckboxField
          label="Also subscribe with the other variant (cross-check)"
          note="SotW and delta as two sources. A finding reports where the server sends different resources."
          isChecked={draft.crossCheck}
          onChange={(crossCheck) => onChange({ crossCheck })}
        />
      )}
      <TextAreaField
        label="Listeners (optional)"
        value={draft.listeners}
        onChange={(listeners) => onChange({ listeners })}
        rows={2}
        placeholder="xds:///shop.example"
        description="One per line: resource names or xds: targets. Empty: all listeners that the server offers."
        error={errorAt('settings.listeners')}
      />
      {readsServers(draft) && (
        <TextAreaField
          label="Server listeners (optional)"
          value={draft.serverListeners}
          onChange={(serverListeners) => onChange({ serverListeners })}
          rows={2}
          placeholder="0.0.0.0:8080"
          description="One per line: listening addresses of a gRPC server, expanded with the server_listener_resource_name_template of the bootstrap."
          error={errorAt('settings.serverListeners')}
        />
      )}
      <NodeFields draft={draft} onChange={onChange} errorAt={errorAt} />
      <ModeFields value={draft} onChange={onChange} errorAt={(field) => errorAt(`settings.${field}`)} />
    </>
  );
}

/** The node that the probe sends. A control plane sends each node the resources of its clients. */
function NodeFields({ draft, onChange, errorAt }: ServerFieldsProps) {
  return (
    <div className="grid gap-4 min-[30rem]:grid-cols-2">
      <TextField
        label="Node preset (optional)"
        value={draft.nodePreset}
        onChange={(nodePreset) => onChange({ nodePreset })}
        placeholder="istio:cart-1.shop"
        description="istio:NAME.NAMESPACE, istio-grpc:NAME.NAMESPACE or envoy-gateway:NAMESPACE/GATEWAY."
        error={errorAt('settings.nodePreset')}
        isMono
      />
      <TextField
        label="Node ID (optional)"
        value={draft.nodeId}
        onChange={(nodeId) => onChange({ nodeId })}
        description="Empty: that of the preset or bootstrap, or a generated one."
        error={errorAt('settings.nodeId')}
        isMono
      />
      <TextField
        label="Node cluster (optional)"
        value={draft.nodeCluster}
        onChange={(nodeCluster) => onChange({ nodeCluster })}
        error={errorAt('settings.nodeCluster')}
        isMono
      />
      <TextField
        label="Node locality (optional)"
        value={draft.nodeLocality}
        onChange={(nodeLocality) => onChange({ nodeLocality })}
        placeholder="region/zone/sub-zone"
        error={errorAt('settings.nodeLocality')}
        isMono
      />
      <div className="min-[30rem]:col-span-2">
        <TextAreaField
          label="Node metadata (optional)"
          value={draft.nodeMetadata}
          onChange={(nodeMetadata) => onChange({ nodeMetadata })}
          rows={2}
          placeholder='{"CLUSTER_ID": "east"}'
          description="The JSON of an object. It is added to that of the preset or bootstrap."
          error={errorAt('settings.nodeMetadata')}
        />
      </div>
    </div>
  );
}

interface PlacedError {
  /** The message for the field that it concerns; undefined for the others. */
  readonly errorAt: (field: string) => string | undefined;
  /** The message if it concerns no field of the form. */
  readonly elsewhere: string;
}

/** `field` is the API's field path, as in "settings.listeners.1"; a list is one field of the form. */
export function placeError(
  message: string | undefined,
  field: string | undefined,
  draft: Pick<SourceDraft, 'kind' | 'from' | 'target'>,
): PlacedError {
  if (message === undefined) return { errorAt: () => undefined, elsewhere: '' };
  const { parts } = formOf(draft.kind);
  const hasServers = readsServers(draft);
  const shown = [
    ...(readsBootstrap(draft) ? ['bootstrap'] : []),
    ...['target', 'settings.credentials', 'label'],
    ...(hasServers ? [] : ['settings.tls', 'settings.tls.serverName']),
    ...(parts.includes('probe') ? adsFields : []),
    ...(parts.includes('node-id') ? ['settings.nodeId'] : []),
  ];
  // A conflict names no field; it concerns the server.
  const named = field ?? (hasServers ? 'bootstrap' : 'target');
  const place = shown
    .filter((each) => named === each || named?.startsWith(`${each}.`))
    .sort(byDescending(({ length }) => length))[0];
  // The path is redundant beside its field.
  const short =
    named !== undefined && message.startsWith(`${named}: `) ? message.slice(named.length + 2) : message;
  return {
    errorAt: (each) => (each === place ? short : undefined),
    elsewhere: place === undefined ? message : '',
  };
}

const adsFields = [
  'transport',
  'apiVersion',
  'profile',
  'errorModel',
  'listeners',
  'serverListeners',
  'nodePreset',
  'nodeId',
  'nodeCluster',
  'nodeLocality',
  'nodeMetadata',
].map((name) => `settings.${name}`);
