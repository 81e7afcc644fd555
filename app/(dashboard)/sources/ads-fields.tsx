'use client';

import { SelectField } from '../../_components/select-field';
import { TextAreaField } from '../../_components/text-area-field';
import { ModeFields } from './mode-fields';
import { NodeFields } from './node-fields';
import { apiVersionChoices, draftTransportChoices } from './source-choices';
import { readsBootstrap, readsServers, type SourceDraft } from './source-draft';

interface AdsFieldsProps {
  readonly draft: SourceDraft;
  readonly onChange: (change: Partial<SourceDraft>) => void;
  readonly errorAt: (field: string) => string | undefined;
}

export function AdsFields({ draft, onChange, errorAt }: AdsFieldsProps) {
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
        <label className="flex items-start gap-2 text-medium">
          <input
            type="checkbox"
            checked={draft.crossCheck}
            onChange={(event) => onChange({ crossCheck: event.target.checked })}
            className="mt-1"
          />
          <span>
            Also subscribe with the other variant (cross-check)
            <span className="block note">
              SotW and delta as two sources. A finding reports where the server sends different resources.
            </span>
          </span>
        </label>
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
